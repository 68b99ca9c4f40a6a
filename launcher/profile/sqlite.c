/* sqlite.c: loads libsqlite3. */
#include "launcher/profile/sqlite.h"
#include <dlfcn.h>
#include <stddef.h>

const Sqlite *sqlite_load(void) {
    static Sqlite loaded;
    void *library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    bool all = library != NULL;
#define SQLITE_F(result, name, parameters)                                                                             \
    if (all) all = (*(void **)&loaded.name = dlsym(library, "sqlite3_" #name)) != NULL;
    SQLITE_FUNCTIONS
#undef SQLITE_F
    return all ? &loaded : NULL;
}
