#include "jobs.h"
int jobs_open(struct jobs **out, struct engine *e, char *m, size_t n){(void)e;(void)m;(void)n;*out=NULL;return 0;}
void jobs_close(struct jobs *j){(void)j;}
void jobs_wake(struct jobs *j){(void)j;}
