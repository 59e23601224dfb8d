#ifndef INDIVO_CLIBCURL_SHIM_H
#define INDIVO_CLIBCURL_SHIM_H

#include <curl/curl.h>

#endif
