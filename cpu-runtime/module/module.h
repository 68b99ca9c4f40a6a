/* module.h: what the files share that load code while a program runs. */
#ifndef CUCPU_MODULE_H
#define CUCPU_MODULE_H
#include "driver/driver.h"
#include "program/program.h"

/* Where the options of cuModuleLoadDataEx and cuLinkCreate say that texts and times go; NULL: the program does not
** want them. */
typedef struct JitOutputs {
    char *error, *info;
    size_t error_size, info_size;
    void **error_used, **info_used, **wall_time;
} JitOutputs;
void drv_jit_outputs(JitOutputs *o, unsigned n, const CUjit_option *options, void **values); /* adds to o */
/* now: it is compiled as a whole; else when its kernels are used, if it is long (lazy.h). */
CUresult drv_load_text(CUmodule *module, const char *text, bool now, const JitOutputs *outputs);
/* The PTX (malloc'ed) in GPU code of at most so many bytes (fatbin.h); why there is none goes to outputs. */
CUresult drv_read_image(const void *image, size_t bytes, const JitOutputs *outputs, char **text);
/* The module of PTX that no handle stands for; *log (malloc'ed, or NULL): the messages of the compiler. */
CUresult drv_open_text(const char *text, char **log, RtModule **out);
/* The same, compiled as a whole, now. */
CUresult drv_compile_text(const char *text, size_t n, char **log, RtModule **out);

/* link.c: texts put together to one, which ends with a NUL. */
typedef struct LinkedText {
    char *text;
    size_t size;
    int texts;
} LinkedText;
CUresult drv_append_text(LinkedText *l, const char *text, size_t n);

/* The module of the file with this number (command.h), opened; NULL: it could not be.  *log (malloc'ed): the name
** that is not defined; log NULL, or another reason: stderr has it. */
RtModule *rt_open_module(unsigned number, char **log);
/* Of a shared object in memory; *log (malloc'ed) as above. */
CUresult rt_open_object(const char *bytes, size_t n, char **log, RtModule **out);
/* checked.c: the module again with checks, if they are asked for; NULL: it is to be used as it is. */
RtModule *rt_checked_module(RtModule *m);
void rt_reset_modules(void); /* handles of modules, not of libraries, are invalid */
#endif
