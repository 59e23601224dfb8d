#ifndef INDIVO_CLIBXML2_SHIM_H
#define INDIVO_CLIBXML2_SHIM_H

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

// `xmlFree` is a global variable, which Swift may not read from several tasks.
static inline void indivo_xmlFree(void *memory) { xmlFree(memory); }

// Converts without a word on standard error; the result tells what went wrong.
static void indivo_ignoreError(void *context, xmlErrorPtr error) { (void)context; (void)error; }
static inline int indivo_convert(xmlCharEncodingHandlerPtr handler, xmlBufferPtr output, xmlBufferPtr input) {
    xmlStructuredErrorFunc handlerBefore = xmlStructuredError;
    void *contextBefore = xmlStructuredErrorContext;
    xmlSetStructuredErrorFunc(NULL, indivo_ignoreError);
    int result = xmlCharEncInFunc(handler, output, input);
    xmlSetStructuredErrorFunc(contextBefore, handlerBefore);
    return result;
}

// Evaluates an XPath expression without a word on standard error; the context's own handler hears what is wrong.
static void indivo_ignoreMessage(void *context, const char *message, ...) { (void)context; (void)message; }
static inline xmlXPathObjectPtr indivo_evaluate(const xmlChar *expression, xmlXPathContextPtr context) {
    xmlGenericErrorFunc handlerBefore = xmlGenericError;
    void *contextBefore = xmlGenericErrorContext;
    xmlSetGenericErrorFunc(NULL, indivo_ignoreMessage);
    xmlXPathObjectPtr result = xmlXPathEvalExpression(expression, context);
    xmlSetGenericErrorFunc(contextBefore, handlerBefore);
    return result;
}

#endif
