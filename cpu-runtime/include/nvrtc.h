/* nvrtc.h: CUDA C++ compiled while a program runs; the functions are in libcudart, -lnvrtc means
 * it. */
#ifndef CUCPU_NVRTC_H
#define CUCPU_NVRTC_H
#define __NVRTC_H__ /* programs ask for it */
#include <stddef.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef enum {
    NVRTC_SUCCESS = 0,
    NVRTC_ERROR_OUT_OF_MEMORY = 1,
    NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
    NVRTC_ERROR_INVALID_INPUT = 3,
    NVRTC_ERROR_INVALID_PROGRAM = 4,
    NVRTC_ERROR_INVALID_OPTION = 5,
    NVRTC_ERROR_COMPILATION = 6,
    NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
    NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
    NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
    NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
    NVRTC_ERROR_INTERNAL_ERROR = 11,
    NVRTC_ERROR_TIME_FILE_WRITE_FAILED = 12,
    NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED = 13,
    NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED = 14,
    NVRTC_ERROR_PCH_CREATE = 15,
    NVRTC_ERROR_CANCELLED = 16,
    NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED = 17
} nvrtcResult;
typedef struct _nvrtcProgram *nvrtcProgram;

extern const char *nvrtcGetErrorString(nvrtcResult result);
extern nvrtcResult nvrtcVersion(int *major, int *minor);
extern nvrtcResult nvrtcGetNumSupportedArchs(int *count);
extern nvrtcResult nvrtcGetSupportedArchs(int *archs);
extern nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name,
                                      int headers, const char *const *texts,
                                      const char *const *includeNames);
extern nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program);
extern nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options);
extern nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *size);
extern nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *ptx);
extern nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *size);
extern nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *cubin);
extern nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram program, size_t *size);
extern nvrtcResult nvrtcGetLTOIR(nvrtcProgram program, char *ir);
extern nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram program, size_t *size);
extern nvrtcResult nvrtcGetOptiXIR(nvrtcProgram program, char *ir);
extern nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *size);
extern nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log);
extern nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *expression);
extern nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *expression,
                                       const char **lowered);
extern nvrtcResult nvrtcSetFlowCallback(nvrtcProgram program, int (*callback)(void *payload, void *reserved), void *payload);
extern nvrtcResult nvrtcGetPCHHeapSize(size_t *bytes);
extern nvrtcResult nvrtcSetPCHHeapSize(size_t bytes);
extern nvrtcResult nvrtcGetPCHCreateStatus(nvrtcProgram program);
extern nvrtcResult nvrtcGetPCHHeapSizeRequired(nvrtcProgram program, size_t *bytes);

#if defined(__cplusplus)
}

#include <cxxabi.h>
#include <stdlib.h>
#include <string>
#include <typeinfo>
namespace cucpu_nvrtc_ {
template <typename T> struct Kept {};
} // namespace cucpu_nvrtc_
/* The name of a type as name expressions write it: `int`, `ns::S<float>`. */
static inline nvrtcResult nvrtcGetTypeName(const std::type_info &info, std::string *result) {
    char *text = abi::__cxa_demangle(info.name(), 0, 0, 0);
    if (!text) return NVRTC_ERROR_INTERNAL_ERROR;
    *result = text;
    free(text);
    return NVRTC_SUCCESS;
}
/* typeid drops const and references: the name of a template's argument keeps them. */
template <typename T> static inline nvrtcResult nvrtcGetTypeName(std::string *result) {
    std::string kept;
    nvrtcResult r = nvrtcGetTypeName(typeid(cucpu_nvrtc_::Kept<T>), &kept);
    if (r != NVRTC_SUCCESS) return r;
    size_t first = kept.find('<') + 1, last = kept.rfind('>');
    while (last > first && kept[last - 1] == ' ') last--;
    *result = kept.substr(first, last - first);
    return NVRTC_SUCCESS;
}
#endif
#endif
