/* The headers of OpenSSL's libcrypto, for the Cryptography module alone. libssl is not used. */
#ifndef MARTLET_CLIBCRYPTO_SHIM_H
#define MARTLET_CLIBCRYPTO_SHIM_H
/* Hides what OpenSSL 3.0 has deprecated. */
#define OPENSSL_NO_DEPRECATED
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

/* A macro that Swift does not import. */
static const int martlet_selection_public_key = EVP_PKEY_PUBLIC_KEY;

/* Names of parameters. A builder keeps the pointer that it is given, and Swift would make a string
   of its own of the macro, which ends with the call. */
static const char *const martlet_param_group = OSSL_PKEY_PARAM_GROUP_NAME;
static const char *const martlet_param_point = OSSL_PKEY_PARAM_PUB_KEY;
static const char *const martlet_param_modulus = OSSL_PKEY_PARAM_RSA_N;
static const char *const martlet_param_exponent = OSSL_PKEY_PARAM_RSA_E;
#endif
