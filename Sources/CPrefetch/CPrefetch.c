/* Header only: see include/CPrefetch.h. */
#include "CPrefetch.h"
