#ifndef INDIVO_LIBXML2_SHIM_H
#define INDIVO_LIBXML2_SHIM_H

// Debian's libxml2 is built with ICU, whose headers define what Foundation's own copy defines otherwise. Without this
// no file could import both. Only the tail of one struct depends on it, which is never made or read from Swift.
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
