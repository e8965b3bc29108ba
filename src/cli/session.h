/* session.h: what commands about a model and a table begin and end with: opening both, name=value words, printing
 * answers. */
#ifndef OF_CLI_SESSION_H
#define OF_CLI_SESSION_H

#include "names.h"
#include "render.h"

/* What a command does to its table. */
enum access {
    ACCESS_READ,
    ACCESS_WRITE,
    ACCESS_MAKE, /* write, and make the directory where there is none */
    ACCESS_PLAN  /* read; a directory that is not there is an empty one, and is not made */
};

struct session {
    struct invocation *in;
    struct arena *arena; /* in->arena */
    of_model *model;
    const struct json *names; /* of the model */
    of_db *db;                /* NULL where only the model was asked for */
    void *ctx;                /* what with_database was given */
};

/* Each opens what it says, runs work and closes again; what work returns is the exit code. */
int with_model(struct invocation *in, int (*work)(struct session *s));
int with_table(struct invocation *in, enum access access, int (*work)(struct session *s));
/* Which table the options mean: 0, or EXIT_USAGE after a message. The two above and the one below ask that first. */
int choose_target(struct invocation *in);
/* Without a model. */
int with_database(struct invocation *in, enum access access, int (*work)(struct session *s), void *ctx);
/* The file of the model: --model, or ./onefold.yaml. */
const char *model_path(const struct invocation *in);

/* The message of a failed call; returns EXIT_ERROR. */
int fail_of(const of_error *err);
/* Asks on the terminal; false if the answer is no. Where nobody can be asked: false after naming --yes. */
bool confirm(struct session *s, const char *question);

/* ---- name=value ---- */

enum assign { ASSIGN_SET, ASSIGN_JSON, ASSIGN_ADD, ASSIGN_SUBTRACT, ASSIGN_REMOVE };
struct assignment {
    enum assign op;
    struct slice name, text;
};
/* name=value, name:=JSON, name+=1, name-=1, name= (remove). 0 or EXIT_USAGE after a message. */
int assignment_parse(const struct invocation *in, const char *word, struct assignment *out);
/* Sets item's attribute by the entity's types; ASSIGN_SUBTRACT sets the negated number. 0 or an exit code. */
int assign_entity(struct session *s, const char *entity, const struct assignment *x, of_item *item);
/* Attributes of an entity from arguments[from..]; only = and :=. NULL after a message, in *code. */
of_item *entity_arguments(struct session *s, const char *entity, size_t from, int *code);
/* The entity in s->names; NULL after a message with the nearest name. */
const struct json *find_entity(struct session *s, const char *name);

/* ---- answers ---- */

struct slice report_text(const of_answer *report);
/* With --json the report as it is; else its tree is given to render. Frees the report. Returns an exit code. */
int print_report(struct session *s, of_answer *report, void (*render)(struct session *s, const struct json *tree));
/* The text of a report as it is, to standard output or --output; frees it. */
int print_text(struct session *s, of_answer *report, const char *output);
int print_slice(struct slice text, const char *output);
/* One entity's attributes, one under the other, or as JSON; hidden ones left out. */
void print_item(struct session *s, const char *entity, const of_item *item);
/* The raw requests of --dry-run (to standard output) or --explain (to standard error); frees them. NULL: nothing. */
void print_requests(struct session *s, of_answer *requests);
/* Where the options ask for requests: &requests, else NULL. */
of_answer **wants_requests(const struct invocation *in, of_answer **requests);
/* The answer of run, query and scan: a table per entity and a line about what was read. */
void render_results(struct session *s, const struct json *tree);

/* How far a long job is, on standard error where that is a terminal: an of_progress. end_progress clears the line. */
void show_progress(void *ctx, const char *what, uint64_t done, uint64_t of);
void end_progress(void);
/* The list that check and lint make: place, what is wrong, what to do. */
void render_problems(struct session *s, const struct json *list);

/* A whole file, or standard input for "-"; NULL after a message. */
char *slurp(struct session *s, const char *path, size_t *n);

#endif
