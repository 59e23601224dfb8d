#ifndef INDIVO_CLIBXML2TREE_SHIM_H
#define INDIVO_CLIBXML2TREE_SHIM_H

// As in the root's libxml2: ICU's headers do not go together with Foundation's.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED
#include <libxml/parser.h>
#include <libxml/xmlreader.h>
#include <libxml/tree.h>
#include <libxml/xpath.h>

static inline void tree_xmlFree(void *memory) { xmlFree(memory); }

#endif
