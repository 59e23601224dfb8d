#ifndef INDIVO_APPLE_LIKE_LIBXML2_H
#define INDIVO_APPLE_LIKE_LIBXML2_H

// Stands for the module `libxml2` of Apple's SDKs: libxml2's own headers, and nothing of this package.

// Debian's libxml2 is built with ICU, see CLibXML2.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/tree.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>
#include <libxml/c14n.h>
#include <libxml/xmlschemas.h>
#include <libxml/xmlerror.h>

#endif
