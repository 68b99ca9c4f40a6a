/* nvToolsExt.h: NVTX, the annotation API: every function exists and does nothing. */
#ifndef CUCPU_NVTOOLSEXT_H
#define CUCPU_NVTOOLSEXT_H
#include <stdint.h>
#include <wchar.h>

#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))
typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration *nvtxStringHandle_t;
typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
    NVTX_MESSAGE_UNKNOWN = 0,
    NVTX_MESSAGE_TYPE_ASCII = 1,
    NVTX_MESSAGE_TYPE_UNICODE = 2,
    NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef union nvtxMessageValue_t {
    const char *ascii;
    const wchar_t *unicode;
    nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct nvtxEventAttributes_t {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    union {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_t;

#define CUCPU_NVTX_ static __inline__ __attribute__((unused))
CUCPU_NVTX_ int nvtxRangePushA(const char *s_) { return (void)s_, 0; }
CUCPU_NVTX_ int nvtxRangePushW(const wchar_t *s_) { return (void)s_, 0; }
CUCPU_NVTX_ int nvtxRangePushEx(const nvtxEventAttributes_t *a_) { return (void)a_, 0; }
CUCPU_NVTX_ int nvtxRangePop(void) { return 0; }
CUCPU_NVTX_ nvtxRangeId_t nvtxRangeStartA(const char *s_) { return (void)s_, 0; }
CUCPU_NVTX_ nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *a_) { return (void)a_, 0; }
CUCPU_NVTX_ void nvtxRangeEnd(nvtxRangeId_t id) { (void)id; }
CUCPU_NVTX_ void nvtxMarkA(const char *s_) { (void)s_; }
CUCPU_NVTX_ void nvtxMarkEx(const nvtxEventAttributes_t *a_) { (void)a_; }
CUCPU_NVTX_ void nvtxNameOsThreadA(uint32_t id, const char *s_) { (void)id, (void)s_; }
CUCPU_NVTX_ void nvtxNameCategoryA(uint32_t id, const char *s_) { (void)id, (void)s_; }
CUCPU_NVTX_ nvtxDomainHandle_t nvtxDomainCreateA(const char *s_) { return (void)s_, (nvtxDomainHandle_t)0; }
CUCPU_NVTX_ void nvtxDomainDestroy(nvtxDomainHandle_t d_) { (void)d_; }
CUCPU_NVTX_ int nvtxDomainRangePushEx(nvtxDomainHandle_t d_, const nvtxEventAttributes_t *a_) {
    return (void)d_, (void)a_, 0;
}
CUCPU_NVTX_ int nvtxDomainRangePop(nvtxDomainHandle_t d_) { return (void)d_, 0; }
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxMark nvtxMarkA
#endif
