/* The header of libyaml, for the CacheConfiguration module alone. */
#ifndef MARTLET_CLIBYAML_SHIM_H
#define MARTLET_CLIBYAML_SHIM_H
#include <yaml.h>
#endif
