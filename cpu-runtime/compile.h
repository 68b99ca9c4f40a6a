/* compile.h: the cucpu command as a child process, for code that comes while the program runs: PTX
 * (module.c), CUDA C++ (nvrtc.c). */
#ifndef CUCPU_COMPILE_H
#define CUCPU_COMPILE_H
#include <stdbool.h>
#include <stddef.h>

enum { RT_NAME_BYTES = 4096, RT_NO_COMPILER = -2 };

/* Files are numbers with a suffix, in a directory of this process that goes with the last of them: nothing is left of a process that ends by
** a signal later. */
bool rt_new_file(unsigned *number); /* false: there is no directory */
void rt_end_file(unsigned number);  /* whatever its suffix is */
void rt_file_name(char *out, unsigned number, const char *suffix);
bool rt_write_file(const char *name, const char *bytes, size_t n);
char *rt_read_file(const char *name, size_t *size); /* a NUL behind the bytes; NULL: not to be had */

/* cucpu with these arguments, which NULL ends; argv[0] is set here.  *log (malloc'ed, or NULL): what it says, without the prefix of
** our own names.  Its exit status, RT_NO_COMPILER, or another negative number. */
int rt_run_cucpu(const char **argv, const char *prefix, char **log);

/* image.c: a shared object as a PTX text with one line of comment, which cuModuleLoadData takes. */
char *rt_make_image(const char *bytes, size_t n, int arch); /* NULL: no memory */
bool rt_is_image(const char *text);
char *rt_read_image(const char *text, size_t *n); /* NULL: damaged, or no memory */

/* module.c: a module with this name of a file opened; NULL: it could not be.  *log (malloc'ed): the name that nobody defines; log NULL, or
** another reason: stderr says it. */
struct RtModule *rt_open_module(unsigned number, char **log);
#endif
