/* embedded.c: the PTX in host objects that nvcc has made.
**
** The registry (program/registry.c) calls this at the first use of a kernel or a variable of such an object.  Where
** nvcc has linked device code (-rdc=true) the wrapper lists the containers that were linked: their PTX is put
** together. */
#include "base/env.h"
#include "module/fatbin.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static CUresult append_container(LinkedText *l, const void *image, char **log) {
    char *text;
    CUresult r = rt_fatbin_text(image, SIZE_MAX, rt_env()->capability, &text, log);
    if (r == CUDA_SUCCESS) r = drv_append_text(l, text, strlen(text));
    free(text);
    return r;
}

static CUresult read_wrapper(LinkedText *l, const RtFatbinWrapper *w, char **log) {
    if (!w || w->magic != RT_FATBIN_WRAPPER) return CUDA_ERROR_INVALID_IMAGE;
    if (w->version == 1 || !w->all) return append_container(l, w->data, log);
    CUresult r = CUDA_SUCCESS;
    for (const void *const *image = w->all; *image && r == CUDA_SUCCESS; image++) r = append_container(l, *image, log);
    return r;
}

static cudaError_t load(const void *wrapper, RtModule **out) {
    LinkedText l = {0};
    char *log = NULL;
    CUresult r = read_wrapper(&l, wrapper, &log);
    if (r == CUDA_SUCCESS) r = drv_open_text(l.text, &log, out);
    if (r != CUDA_SUCCESS && log) fputs(log, stderr);
    free(log);
    free(l.text);
    return (cudaError_t)r; /* the numbers are the same */
}

__attribute__((constructor)) static void begin(void) { rt_on_foreign(load); }
