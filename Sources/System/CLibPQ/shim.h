#ifndef INDIVO_CLIBPQ_SHIM_H
#define INDIVO_CLIBPQ_SHIM_H

#include <libpq-fe.h>

#endif
