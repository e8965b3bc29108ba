/* tls_library.h: OpenSSL, loaded by dlopen when TLS is asked for (docs/decisions/0020): a server without it starts 2 ms earlier and is
 * 5 MB smaller. Its functions are called through the table, by their own names. */
#ifndef OF_WIRE_TLS_LIBRARY_H
#define OF_WIRE_TLS_LIBRARY_H

#include <openssl/err.h>
#include <openssl/ssl.h>

#define TLS_FUNCTIONS(X)                                                                                             \
    X(TLS_server_method) X(SSL_CTX_new) X(SSL_CTX_free) X(SSL_CTX_ctrl) X(SSL_CTX_set_options)                       \
    X(SSL_CTX_set_cipher_list) X(SSL_CTX_set_alpn_select_cb) X(SSL_CTX_set_session_id_context)                       \
    X(SSL_CTX_use_certificate_chain_file) X(SSL_CTX_use_PrivateKey_file) X(SSL_CTX_check_private_key)                \
    X(SSL_CTX_get0_certificate) X(SSL_CTX_set_default_passwd_cb) X(SSL_CTX_set_default_passwd_cb_userdata)           \
    X(SSL_CTX_load_verify_locations) X(SSL_load_client_CA_file) X(SSL_CTX_set_client_CA_list) X(SSL_CTX_set_verify)  \
    X(SSL_select_next_proto) X(SSL_new) X(SSL_free) X(SSL_set_bio) X(SSL_set_accept_state) X(SSL_do_handshake)       \
    X(SSL_read) X(SSL_write) X(SSL_shutdown) X(SSL_get_error) X(X509_get0_notBefore) X(X509_get0_notAfter)           \
    X(ASN1_TIME_diff) X(ERR_clear_error) X(ERR_peek_error) X(ERR_reason_error_string) X(BIO_get_new_index)           \
    X(BIO_meth_new) X(BIO_meth_free) X(BIO_meth_set_read) X(BIO_meth_set_write) X(BIO_meth_set_ctrl)                 \
    X(BIO_new) X(BIO_free) X(BIO_set_data) X(BIO_get_data) X(BIO_set_init) X(BIO_set_flags) X(BIO_clear_flags)        \
    /* the client's side: bench */                                                                                   \
    X(TLS_client_method) X(SSL_CTX_set_default_verify_paths) X(SSL_set_connect_state) X(SSL_set_fd) X(SSL_set1_host) \
    X(SSL_ctrl) X(SSL_get_verify_result) X(X509_verify_cert_error_string)

struct tls_library {
#define X(name) __typeof__(&name) name;
    TLS_FUNCTIONS(X)
#undef X
};

/* NULL, with one sentence in *why, where it cannot be had. */
const struct tls_library *tls_library(const char **why);

#endif
