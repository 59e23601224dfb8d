#include "CBuildCommit.h"

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

const char *indivo_build_commit(void) {
#ifdef INDIVO_COMMIT
    return TEXT(INDIVO_COMMIT);
#else
    return "";
#endif
}
