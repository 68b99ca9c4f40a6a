/* nvToolsExt.h: NVTX, the annotation API.  Ranges and marks are recorded where the program runs under nvprof, nsys or with
** CUCPU_TRACE (docs/profiler.md); else every function exists and does nothing.  Nothing has to be linked. */
#ifndef CUCPU_NVTOOLSEXT_H
#define CUCPU_NVTOOLSEXT_H
#include <stdint.h>
#include <wchar.h>

#define NVTX_VERSION 3
#define NVTX_API
#define NVTX_SUCCESS 0
#define NVTX_FAIL 1
#define NVTX_ERR_NO_INJECTION_LIBRARY_AVAILABLE 7
#define NVTX_NO_PUSH_POP_TRACKING ((int)-2)
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))
#define NVTX_RESOURCE_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxResourceAttributes_t))
#define NVTX_RESOURCE_CLASS_GENERIC 1
#define NVTX_RESOURCE_MAKE_TYPE(kind, index) ((uint32_t)(NVTX_RESOURCE_CLASS_##kind) << 16 | (uint32_t)(index))

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration *nvtxStringHandle_t;
typedef struct nvtxResourceHandle *nvtxResourceHandle_t;
typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
    NVTX_MESSAGE_UNKNOWN = 0,
    NVTX_MESSAGE_TYPE_ASCII = 1,
    NVTX_MESSAGE_TYPE_UNICODE = 2,
    NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
    NVTX_PAYLOAD_UNKNOWN = 0,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
    NVTX_PAYLOAD_TYPE_INT64 = 2,
    NVTX_PAYLOAD_TYPE_DOUBLE = 3,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
    NVTX_PAYLOAD_TYPE_INT32 = 5,
    NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;
typedef enum nvtxResourceGenericType_t {
    NVTX_RESOURCE_TYPE_UNKNOWN = 0,
    NVTX_RESOURCE_TYPE_GENERIC_POINTER = NVTX_RESOURCE_MAKE_TYPE(GENERIC, 1),
    NVTX_RESOURCE_TYPE_GENERIC_HANDLE = NVTX_RESOURCE_MAKE_TYPE(GENERIC, 2),
    NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE = NVTX_RESOURCE_MAKE_TYPE(GENERIC, 3),
    NVTX_RESOURCE_TYPE_GENERIC_THREAD_POSIX = NVTX_RESOURCE_MAKE_TYPE(GENERIC, 4)
} nvtxResourceGenericType_t;
typedef union nvtxMessageValue_t {
    const char *ascii;
    const wchar_t *unicode;
    nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct nvtxEventAttributes_v2 {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    union payload_t {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_v2;
typedef nvtxEventAttributes_v2 nvtxEventAttributes_t;
typedef struct nvtxResourceAttributes_v0 {
    uint16_t version, size;
    int32_t identifierType;
    union identifier_t {
        const void *pValue;
        uint64_t ullValue;
    } identifier;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxResourceAttributes_v0;
typedef nvtxResourceAttributes_v0 nvtxResourceAttributes_t;

#ifndef CUCPU_NVTX_TYPES_ONLY
/* Of libcudart.so, where the program has it. */
enum { CUCPU_NVTX_MARK_, CUCPU_NVTX_PUSH_, CUCPU_NVTX_POP_, CUCPU_NVTX_START_, CUCPU_NVTX_END_ };
enum { CUCPU_NVTX_DOMAIN_OF_, CUCPU_NVTX_STRING_OF_, CUCPU_NVTX_CATEGORY_, CUCPU_NVTX_THREAD_ };
#ifdef __cplusplus
extern "C" {
#endif
uint64_t cucpu_nvtx_event(int what, nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a, uint64_t id)
    __attribute__((weak));
void *cucpu_nvtx_name(int what, nvtxDomainHandle_t domain, uint32_t id, const char *ascii, const wchar_t *wide)
    __attribute__((weak));
#ifdef __cplusplus
}
#endif

#define CUCPU_NVTX_ static __inline__ __attribute__((unused))
CUCPU_NVTX_ uint64_t cucpu_nvtx_do_(int what_, nvtxDomainHandle_t d_, const nvtxEventAttributes_t *a_, uint64_t id_) {
    return cucpu_nvtx_event ? cucpu_nvtx_event(what_, d_, a_, id_) : 0;
}
CUCPU_NVTX_ uint64_t cucpu_nvtx_text_(int what_, const char *ascii_, const wchar_t *wide_) {
    nvtxEventAttributes_t a_;
    a_.version = NVTX_VERSION;
    a_.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    a_.category = 0;
    a_.colorType = NVTX_COLOR_UNKNOWN;
    a_.payloadType = NVTX_PAYLOAD_UNKNOWN;
    a_.messageType = wide_ ? NVTX_MESSAGE_TYPE_UNICODE : NVTX_MESSAGE_TYPE_ASCII;
    if (wide_) a_.message.unicode = wide_;
    else a_.message.ascii = ascii_;
    return cucpu_nvtx_do_(what_, 0, &a_, 0);
}
CUCPU_NVTX_ void *cucpu_nvtx_call_(int what_, nvtxDomainHandle_t d_, uint32_t id_, const char *ascii_, const wchar_t *wide_) {
    return cucpu_nvtx_name ? cucpu_nvtx_name(what_, d_, id_, ascii_, wide_) : 0;
}
/* name##A takes ASCII, name##W wide characters */
#define CUCPU_NVTX_EVENT_(result, name, what)                                                                                \
    CUCPU_NVTX_ result name##A(const char *text_) { return (result)cucpu_nvtx_text_(what, text_, 0); }                       \
    CUCPU_NVTX_ result name##W(const wchar_t *text_) { return (result)cucpu_nvtx_text_(what, 0, text_); }
#define CUCPU_NVTX_NAME_(result, name, parameters, what, domain, id)                                                         \
    CUCPU_NVTX_ result name##A(parameters const char *text_) { return (result)cucpu_nvtx_call_(what, domain, id, text_, 0); } \
    CUCPU_NVTX_ result name##W(parameters const wchar_t *text_) { return (result)cucpu_nvtx_call_(what, domain, id, 0, text_); }
#define CUCPU_NVTX_DOMAIN_ nvtxDomainHandle_t domain_,
#define CUCPU_NVTX_ID_ uint32_t id_,

CUCPU_NVTX_ void nvtxInitialize(const void *reserved_) { (void)reserved_; }
CUCPU_NVTX_EVENT_(void, nvtxMark, CUCPU_NVTX_MARK_)
CUCPU_NVTX_EVENT_(int, nvtxRangePush, CUCPU_NVTX_PUSH_)
CUCPU_NVTX_EVENT_(nvtxRangeId_t, nvtxRangeStart, CUCPU_NVTX_START_)
CUCPU_NVTX_NAME_(void, nvtxNameCategory, CUCPU_NVTX_ID_, CUCPU_NVTX_CATEGORY_, 0, id_)
CUCPU_NVTX_NAME_(void, nvtxNameOsThread, CUCPU_NVTX_ID_, CUCPU_NVTX_THREAD_, 0, id_)
CUCPU_NVTX_NAME_(void, nvtxDomainNameCategory, CUCPU_NVTX_DOMAIN_ CUCPU_NVTX_ID_, CUCPU_NVTX_CATEGORY_, domain_, id_)
CUCPU_NVTX_NAME_(nvtxDomainHandle_t, nvtxDomainCreate, , CUCPU_NVTX_DOMAIN_OF_, 0, 0)
CUCPU_NVTX_NAME_(nvtxStringHandle_t, nvtxDomainRegisterString, CUCPU_NVTX_DOMAIN_, CUCPU_NVTX_STRING_OF_, domain_, 0)
CUCPU_NVTX_ void nvtxMarkEx(const nvtxEventAttributes_t *a_) { cucpu_nvtx_do_(CUCPU_NVTX_MARK_, 0, a_, 0); }
CUCPU_NVTX_ int nvtxRangePushEx(const nvtxEventAttributes_t *a_) { return (int)cucpu_nvtx_do_(CUCPU_NVTX_PUSH_, 0, a_, 0); }
CUCPU_NVTX_ int nvtxRangePop(void) { return (int)cucpu_nvtx_do_(CUCPU_NVTX_POP_, 0, 0, 0); }
CUCPU_NVTX_ nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *a_) { return cucpu_nvtx_do_(CUCPU_NVTX_START_, 0, a_, 0); }
CUCPU_NVTX_ void nvtxRangeEnd(nvtxRangeId_t id_) { cucpu_nvtx_do_(CUCPU_NVTX_END_, 0, 0, id_); }
CUCPU_NVTX_ void nvtxDomainDestroy(nvtxDomainHandle_t d_) { (void)d_; }
CUCPU_NVTX_ void nvtxDomainMarkEx(nvtxDomainHandle_t d_, const nvtxEventAttributes_t *a_) { cucpu_nvtx_do_(CUCPU_NVTX_MARK_, d_, a_, 0); }
CUCPU_NVTX_ int nvtxDomainRangePushEx(nvtxDomainHandle_t d_, const nvtxEventAttributes_t *a_) {
    return (int)cucpu_nvtx_do_(CUCPU_NVTX_PUSH_, d_, a_, 0);
}
CUCPU_NVTX_ int nvtxDomainRangePop(nvtxDomainHandle_t d_) { return (int)cucpu_nvtx_do_(CUCPU_NVTX_POP_, d_, 0, 0); }
CUCPU_NVTX_ nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t d_, const nvtxEventAttributes_t *a_) {
    return cucpu_nvtx_do_(CUCPU_NVTX_START_, d_, a_, 0);
}
CUCPU_NVTX_ void nvtxDomainRangeEnd(nvtxDomainHandle_t d_, nvtxRangeId_t id_) { cucpu_nvtx_do_(CUCPU_NVTX_END_, d_, 0, id_); }
CUCPU_NVTX_ nvtxResourceHandle_t nvtxDomainResourceCreate(nvtxDomainHandle_t d_, nvtxResourceAttributes_t *a_) {
    return (void)d_, (void)a_, (nvtxResourceHandle_t)0;
}
CUCPU_NVTX_ void nvtxDomainResourceDestroy(nvtxResourceHandle_t r_) { (void)r_; }
#undef CUCPU_NVTX_
#undef CUCPU_NVTX_EVENT_
#undef CUCPU_NVTX_NAME_
#undef CUCPU_NVTX_DOMAIN_
#undef CUCPU_NVTX_ID_
#endif

#if defined(UNICODE)
#define nvtxMark nvtxMarkW
#define nvtxRangeStart nvtxRangeStartW
#define nvtxRangePush nvtxRangePushW
#define nvtxNameCategory nvtxNameCategoryW
#define nvtxNameOsThread nvtxNameOsThreadW
#define nvtxDomainCreate nvtxDomainCreateW
#define nvtxDomainRegisterString nvtxDomainRegisterStringW
#define nvtxDomainNameCategory nvtxDomainNameCategoryW
#else
#define nvtxMark nvtxMarkA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxRangePush nvtxRangePushA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
#define nvtxDomainNameCategory nvtxDomainNameCategoryA
#endif
#endif
