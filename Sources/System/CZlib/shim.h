#ifndef INDIVO_CZLIB_SHIM_H
#define INDIVO_CZLIB_SHIM_H

// Debian's zlib1g-dev, and the SDKs of Apple's systems, have it.
#include <zlib.h>

#endif
