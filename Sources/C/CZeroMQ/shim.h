/* libzmq's header, for the ZeroMQ module alone: no other module imports C. */
#ifndef MARTLET_CZEROMQ_SHIM_H
#define MARTLET_CZEROMQ_SHIM_H
#include <zmq.h>
#endif
