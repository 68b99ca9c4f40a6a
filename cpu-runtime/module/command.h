/* command.h: the cucpu command as a child process, for code that comes while the program runs: PTX
 * (module.c), CUDA C++ (nvrtc.c). */
#ifndef CUCPU_COMMAND_H
#define CUCPU_COMMAND_H
#include <stdbool.h>
#include <stddef.h>

enum { RT_NAME_BYTES = 4096, RT_NO_COMPILER = -2 };

/* Files are named by numbers with a suffix, in a directory of this process that goes with the last of them: nothing
** is left of a process that ends by a signal later. */
bool rt_new_file(unsigned *number); /* false: there is no directory */
void rt_end_file(unsigned number);  /* whatever its suffix is */
void rt_file_name(char *out, unsigned number, const char *suffix);
bool rt_write_file(const char *name, const char *bytes, size_t n);
char *rt_read_file(const char *name, size_t *size); /* a NUL after the bytes; NULL: it cannot be read */

/* The file of the command; false: there is none, and out (RT_NAME_BYTES) says where it should be. */
bool rt_find_compiler(char *out);
/* cucpu with these arguments, which NULL ends; argv[0] is set here.  *log (malloc'ed, or NULL): its messages,
** without the prefix of our own names.  Its exit status, RT_NO_COMPILER, or another negative number. */
int rt_run_cucpu(const char **argv, const char *prefix, char **log);
#endif
