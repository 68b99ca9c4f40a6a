/* register_first.h: kernels are registered before the constructors of the same file run. */
#ifndef CUCPU_LAUNCHER_REGISTER_FIRST_H
#define CUCPU_LAUNCHER_REGISTER_FIRST_H
#include <stdbool.h>

/* Changes an object of the host half in place; files that are no such objects stay. False after a
 * message. */
bool register_first(const char *file);

#endif
