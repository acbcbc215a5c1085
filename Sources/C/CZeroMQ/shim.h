/* libzmq's header, for the ZeroMQ module alone: nobody else imports C. */
#ifndef MARTLET_CZEROMQ_SHIM_H
#define MARTLET_CZEROMQ_SHIM_H
#include <zmq.h>
#endif
