#ifndef INDIVO_CLIBOAUTH_SHIM_H
#define INDIVO_CLIBOAUTH_SHIM_H

/* oauth.h uses size_t without including what declares it. */
#include <stddef.h>
#include <oauth.h>

#endif
