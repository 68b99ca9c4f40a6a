/* link.c: cuLink*: PTX texts are put together, and what cuLinkComplete gives is a PTX text for cuModuleLoadData.
**
** A text that needs no other one is compiled when it is added, as CUDA does, so that errors come there; of several
** texts all but the first lose their heading (.target, .address_size; .version becomes .another) and become one, of
** parts with names of their own.  The whole is compiled when it is complete, so that what no text defines, or two,
** is an error there; cuModuleLoadData finds it compiled.  Refused: what is not PTX. */
#include "base/handles.h"
#include "module/fatbin.h"
#include "module/image.h"
#include "module/module.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CUlinkState_st {
    RtLink link;
    LinkedText linked;
    bool complete;
    JitOutputs outputs; /* of cuLinkCreate, for what a later call does not say where to put */
};

/* Compiles `text`; what there is to say goes to `outputs`. */
static CUresult try_text(const JitOutputs *outputs, const char *text) {
    CUmodule module;
    CUresult r = drv_load_text(&module, text, true, outputs);
    if (r == CUDA_SUCCESS) cuModuleUnload(module);
    return r;
}

/* Blanks, or another directive that is no longer, instead of one of the heading and its operand. */
static void blank(char *text, const char *directive, const char *other) {
    size_t n = strlen(directive);
    for (char *s = strstr(text, directive); s; s = strstr(s, directive)) {
        if (s[n] != ' ' && s[n] != '\t') {
            s += n;
            continue;
        }
        memset(s, ' ', n);
        memcpy(s, other, strlen(other));
        for (s += n; *s == ' ' || *s == '\t'; s++) {}
        while (*s && *s != '\n' && *s != '\r' && *s != ' ' && strncmp(s, "//", 2)) {
            bool more = *s == ',';
            *s++ = ' ';
            while (more && (*s == ' ' || *s == '\t')) s++;
        }
        return;
    }
}

CUresult drv_append_text(LinkedText *l, const char *text, size_t n) {
    char *more = realloc(l->text, l->size + n + 2);
    if (!more) return CUDA_ERROR_OUT_OF_MEMORY;
    l->text = more;
    char *at = more + l->size;
    memcpy(at, text, n);
    at[n] = '\n';
    at[n + 1] = 0;
    if (l->texts++) {
        blank(at, ".version", ".another");
        blank(at, ".target", "");
        blank(at, ".address_size", "");
    }
    l->size += n + 1;
    return CUDA_SUCCESS;
}

static RtHandles states = RT_HANDLES;

static bool is_state(CUlinkState s) { return rt_has_handle(&states, s); }

CUresult cuLinkCreate(unsigned n, CUjit_option *options, void **values, CUlinkState *state) {
    DRV_ENTER(true);
    if (!state || (n && (!options || !values))) return CUDA_ERROR_INVALID_VALUE;
    CUlinkState made = calloc(1, sizeof *made);
    if (!made) return CUDA_ERROR_OUT_OF_MEMORY;
    drv_jit_outputs(&made->outputs, n, options, values);
    rt_add_handle(&states, &made->link);
    *state = made;
    return CUDA_SUCCESS;
}

/* This installation's libcudadevrt.a or its like: its functions are those of the device library. */
static bool is_own_library(CUjitInputType type, const char *data, size_t size) {
    static const char begin[] = "/* GNU ld script */\nINPUT(libcudart.so";
    return type == CU_JIT_INPUT_LIBRARY && size > sizeof begin && !memcmp(data, begin, sizeof begin - 1);
}

/* The PTX in one input; what NVRTC has made is PTX as well, whatever the program says it is. */
static CUresult read_input(CUjitInputType type, const void *data, size_t size, const JitOutputs *outputs, char **text) {
    bool binary = type == CU_JIT_INPUT_CUBIN || type == CU_JIT_INPUT_FATBINARY;
    *text = NULL;
    if (binary && size >= sizeof(uint32_t) && rt_is_gpu_image(data)) return drv_read_image(data, size, outputs, text);
    *text = strndup(data, size);
    if (!*text) return CUDA_ERROR_OUT_OF_MEMORY;
    return type == CU_JIT_INPUT_PTX || (binary && rt_is_image(*text)) ? CUDA_SUCCESS : CUDA_ERROR_NO_BINARY_FOR_GPU;
}

static CUresult add_text(CUlinkState state, const char *text, const JitOutputs *outputs) {
    if (state->linked.texts && (rt_is_image(text) || rt_is_image(state->linked.text))) {
        rt_message("what NVRTC, or cucpu -ptx, has compiled cannot be linked with other code");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    bool alone = !strstr(text, ".extern .func") && !strstr(text, ".extern .global") && !strstr(text, ".extern .const");
    CUresult r = alone ? try_text(outputs, text) : CUDA_SUCCESS;
    return r == CUDA_SUCCESS ? drv_append_text(&state->linked, text, strlen(text)) : r;
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name, unsigned n,
                       CUjit_option *options, void **values) {
    (void)name;
    DRV_ENTER(true);
    if (!is_state(state)) return CUDA_ERROR_INVALID_HANDLE;
    if (!data || !size || state->complete || type >= CU_JIT_NUM_INPUT_TYPES || (n && (!options || !values)))
        return CUDA_ERROR_INVALID_VALUE;
    JitOutputs own = state->outputs;
    drv_jit_outputs(&own, n, options, values);
    if (is_own_library(type, data, size)) return CUDA_SUCCESS;
    char *text;
    CUresult r = read_input(type, data, size, &own, &text);
    if (r == CUDA_SUCCESS) r = add_text(state, text, &own);
    free(text);
    return r;
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned n, CUjit_option *options,
                       void **values) {
    DRV_ENTER(true);
    if (!is_state(state)) return CUDA_ERROR_INVALID_HANDLE;
    if (!path) return CUDA_ERROR_INVALID_VALUE;
    FILE *f = fopen(path, "rb");
    if (!f) return CUDA_ERROR_FILE_NOT_FOUND;
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    char *text = size > 0 ? malloc((size_t)size) : NULL;
    bool ok = text && fread(text, 1, (size_t)size, f) == (size_t)size;
    fclose(f);
    CUresult r = ok ? cuLinkAddData(state, type, text, (size_t)size, path, n, options, values) : CUDA_ERROR_INVALID_PTX;
    free(text);
    return r;
}

CUresult cuLinkComplete(CUlinkState state, void **cubin, size_t *size) {
    static const char nothing[] = ".version 7.0\n.target sm_70\n.address_size 64\n";
    DRV_ENTER(true);
    if (!is_state(state) || state->complete) return CUDA_ERROR_INVALID_HANDLE;
    if (!cubin) return CUDA_ERROR_INVALID_VALUE;
    LinkedText *l = &state->linked;
    CUresult r = l->texts ? CUDA_SUCCESS : drv_append_text(l, nothing, sizeof nothing - 1);
    if (r == CUDA_SUCCESS) r = try_text(&state->outputs, l->text);
    if (r != CUDA_SUCCESS) return r == CUDA_ERROR_INVALID_PTX ? CUDA_ERROR_UNKNOWN : r; /* as CUDA's linker */
    state->complete = true;
    *cubin = l->text;
    if (size) *size = l->size + 1;
    return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state) {
    DRV_ENTER_FREE();
    if (!rt_remove_handle(&states, (const RtLink *)state)) return CUDA_ERROR_INVALID_HANDLE;
    free(state->linked.text);
    free(state);
    return CUDA_SUCCESS;
}
