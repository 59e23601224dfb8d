#ifndef CBUILDCOMMIT_H
#define CBUILDCOMMIT_H

/// The commit that the package was built from, as `INDIVO_COMMIT` gave it to the build; empty without it.
const char *indivo_build_commit(void);

#endif
