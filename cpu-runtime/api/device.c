/* device.c: the one device of this runtime: its properties, limits and settings.
**
** Properties and attributes come from one table (device.def).  A "multiprocessor" is a worker
** thread.  Settings that steer GPU hardware (cache preferences, banks, peer access to other
** devices) are checked, remembered where they can be queried, and have no effect. */
#include "api/device.h"
#include "base/env.h"
#include "base/limits.h"
#include "program/program.h"
#include "host/topo.h"
#include "exec/heap.h"
#include "driver/driver.h"
#include <stdio.h>
#include <string.h>

static const char pci_id[] = "0000:00:00.0";
static _Atomic unsigned device_flags;
static _Atomic int cache_config, bank_config;

void rt_reset_device_flags(void) { atomic_store(&device_flags, 0); }

enum { STACK_STEP = 16, MAX_STACK = 512 << 10, MIN_HEAP = 4 << 20, HEAP_STEP = 64 << 10, MAX_FETCHED = 128 };

static cudaError_t check_device(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device) {
    RT_ENTER_WITHOUT_CONTEXT();
    if (!p) return rt_end(cudaErrorInvalidValue);
    if (device) return rt_end(cudaErrorInvalidDevice);
    const RtTopo *t = rt_topo();
    int capability = rt_env()->capability;
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "cucpu (%s)", t->model);
    memcpy(p->uuid.bytes, "cucpu-cpu-device", sizeof p->uuid.bytes);
    p->totalGlobalMem = t->memory;
#define RT_DEVICE(attribute, property, value) p->property = value;
#include "api/device.def"
    return cudaSuccess;
}

static bool known_attribute(enum cudaDeviceAttr attr) {
    switch ((int)attr) {
// clang-format off
#define CUCPU_ATTRIBUTE(name, number) case number: return true;
#include "cucpu/device_attributes.def"
        // clang-format on
    }
    return false;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device) {
    RT_ENTER_WITHOUT_CONTEXT();
    if (!value || !known_attribute(attr)) return rt_end(cudaErrorInvalidValue);
    if (device) return rt_end(cudaErrorInvalidDevice);
    const RtTopo *t = rt_topo();
    int capability = rt_env()->capability;
    *value = 0;
    switch ((int)attr) {
#define RT_DEVICE(attribute, property, v)                                                                              \
    case cudaDevAttr##attribute:                                                                                       \
        *value = (int)(v);                                                                                             \
        break;
#include "api/device.def"
    }
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count) {
    RT_CALL();
    if (!rt_ever_used) rt_ever_used = true;
    if (!count) return rt_end(cudaErrorInvalidValue);
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device) {
    RT_ENTER_WITHOUT_CONTEXT();
    if (!device) return rt_end(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
    RT_ENTER_WITHOUT_CONTEXT();
    RT_TRY(rt_end(check_device(device)));
    rt_make_primary_current();
    return cudaSuccess;
}

cudaError_t cudaInitDevice(int device, unsigned device_flags_, unsigned flags) {
    RT_ENTER();
    if (flags & cudaInitDeviceFlagsAreValid) atomic_store(&device_flags, device_flags_);
    return rt_end(check_device(device));
}

cudaError_t cudaSetValidDevices(int *devices, int n) {
    RT_ENTER();
    if (n < 0 || (n && !devices)) return rt_end(cudaErrorInvalidValue);
    for (int i = 0; i < n; i++)
        if (devices[i]) return rt_end(cudaErrorInvalidDevice);
    return cudaSuccess;
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *p) {
    RT_ENTER_WITHOUT_CONTEXT();
    if (!device || !p) return rt_end(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
    RT_ENTER_WITHOUT_CONTEXT();
    unsigned schedule = flags & cudaDeviceScheduleMask;
    if (flags & ~(unsigned)cudaDeviceMask || (schedule & (schedule - 1))) return rt_end(cudaErrorInvalidValue);
    atomic_store(&device_flags, flags);
    return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned *flags) {
    RT_ENTER_WITHOUT_CONTEXT();
    if (!flags) return rt_end(cudaErrorInvalidValue);
    *flags = device_flags | cudaDeviceMapHost;
    return cudaSuccess;
}

/* ---- limits and configurations ---- */

static cudaError_t check_limit(enum cudaLimit limit, size_t value) {
    const RtTopo *t = rt_topo();
    switch ((int)limit) {
    case cudaLimitStackSize: return value > MAX_STACK ? cudaErrorInvalidValue : cudaSuccess;
    case cudaLimitDevRuntimeSyncDepth: return rt_env()->capability >= 90 ? cudaErrorUnsupportedLimit : cudaSuccess;
    case cudaLimitMaxL2FetchGranularity: return value > MAX_FETCHED ? cudaErrorInvalidValue : cudaSuccess;
    case cudaLimitPersistingL2CacheSize: return value > (t->l3 ? t->l3 : t->l2) ? cudaErrorInvalidValue : cudaSuccess;
    }
    return (unsigned)limit >= RT_LIMITS ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
    RT_ENTER();
    cudaError_t error = check_limit(limit, value);
    if (error) return rt_end(error);
    if (limit == cudaLimitMallocHeapSize && rt_heap_touched()) return rt_end(cudaErrorInvalidValue);
    if (limit == cudaLimitStackSize) value = RT_ROUND(value, STACK_STEP);
    if (limit == cudaLimitMallocHeapSize) value = value < MIN_HEAP ? MIN_HEAP : RT_ROUND(value, HEAP_STEP);
    rt_set_limit(limit, value);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
    RT_ENTER();
    cudaError_t error = value ? check_limit(limit, 0) : cudaErrorInvalidValue;
    if (error) return rt_end(error);
    *value = rt_limit(limit);
    return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config) {
    RT_ENTER();
    if ((unsigned)config > cudaFuncCachePreferEqual) return rt_end(cudaErrorInvalidValue);
    atomic_store(&cache_config, (int)config);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config) {
    RT_ENTER();
    if (!config) return rt_end(cudaErrorInvalidValue);
    *config = (enum cudaFuncCache)cache_config;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config) {
    RT_ENTER();
    if ((unsigned)config > cudaSharedMemBankSizeEightByte) return rt_end(cudaErrorInvalidValue);
    atomic_store(&bank_config, (int)config);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config) {
    RT_ENTER();
    if (!config) return rt_end(cudaErrorInvalidValue);
    *config = (enum cudaSharedMemConfig)bank_config;
    return cudaSuccess;
}

cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value) {
    RT_CALL();
    return cudaDeviceSetLimit(limit, value);
}
cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit) {
    RT_CALL();
    return cudaDeviceGetLimit(value, limit);
}
cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config) {
    RT_CALL();
    return cudaDeviceGetCacheConfig(config);
}
cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config) {
    RT_CALL();
    return cudaDeviceSetCacheConfig(config);
}

cudaError_t cudaCtxResetPersistingL2Cache(void) {
    RT_ENTER();
    return cudaSuccess;
}

/* ---- names of the device and its peers ---- */

cudaError_t cudaDeviceGetPCIBusId(char *id, int len, int device) {
    RT_ENTER_WITHOUT_CONTEXT();
    if (!id || len < (int)sizeof pci_id) return rt_end(cudaErrorInvalidValue);
    if (device) return rt_end(cudaErrorInvalidDevice);
    memcpy(id, pci_id, sizeof pci_id);
    return cudaSuccess;
}

/* domain:bus:device.function, domain:bus:device or bus:device.function */
static bool read_pci_id(const char *id, unsigned part[4]) {
    int end = 0, more = 0;
    bool domain = sscanf(id, "%8x:%2x:%2x%n", &part[0], &part[1], &part[2], &end) == 3;
    if (!domain) part[0] = 0;
    if (!domain && sscanf(id, "%2x:%2x%n", &part[1], &part[2], &end) != 2) return false;
    if (domain && !id[end]) return true;
    return sscanf(id + end, ".%1x%n", &part[3], &more) == 1 && !id[end + more];
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id) {
    RT_ENTER();
    unsigned part[4] = {0};
    if (!device || !id || !read_pci_id(id, part)) return rt_end(cudaErrorInvalidValue);
    if (part[0] || part[1] || part[2] || part[3]) return rt_end(cudaErrorInvalidDevice);
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    RT_ENTER_WITHOUT_CONTEXT();
    if (!can) return rt_end(cudaErrorInvalidValue);
    if (device || peer) return rt_end(cudaErrorInvalidDevice);
    *can = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int src, int dst) {
    RT_ENTER();
    (void)src, (void)dst; /* with one device there is no legal pair */
    if (!value || (unsigned)attr - 1 >= cudaDevP2PAttrCudaArrayAccessSupported) return rt_end(cudaErrorInvalidValue);
    return rt_end(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    RT_ENTER();
    if (flags) return rt_end(cudaErrorInvalidValue);
    return rt_end(peer ? cudaErrorInvalidDevice : cudaErrorPeerAccessUnsupported); /* a device is no peer of its own */
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    RT_ENTER();
    return rt_end(peer ? cudaErrorInvalidDevice : cudaErrorPeerAccessNotEnabled);
}

/* ---- versions ---- */

cudaError_t cudaDriverGetVersion(int *version) {
    RT_CALL();
    if (!version) return rt_end(cudaErrorInvalidValue);
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version) {
    RT_CALL();
    return cudaDriverGetVersion(version);
}
