/* tls_trouble.h: what went wrong with the encryption, in words that say what to do. */
#ifndef OF_REMOTE_TLS_TROUBLE_H
#define OF_REMOTE_TLS_TROUBLE_H

#include "curl_library.h"
#include "settings.h"

/* Sets e and returns true if it was the encryption that failed. verified: CURLINFO_SSL_VERIFYRESULT; said: libcurl's words. */
bool tls_trouble(const struct remote_settings *s, CURLcode code, long verified, const char *said, struct err *e);

#endif
