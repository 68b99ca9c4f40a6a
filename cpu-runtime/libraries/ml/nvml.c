/* nvml.c: the management library: the runtime's devices under NVML's names.
**
** A handle is an index plus one.  What the runtime or the system has is answered; functions of nvml_unsupported.def,
** which need sensors, clocks or links of a GPU, answer NVML_ERROR_NOT_SUPPORTED. */
#define NVML_NO_UNVERSIONED_FUNC_DEFS
#include "cuda_runtime_api.h"
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#pragma GCC visibility push(default)
#include "nvml.h"
#pragma GCC visibility pop

#define DRIVER_VERSION "570.00" /* the branch of CUDA 12.8 */
#define NVML_VERSION "12." DRIVER_VERSION

typedef struct CpuTime {
    unsigned long long busy, all;
} CpuTime;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned users; /* calls of nvmlInit without nvmlShutdown */
static CpuTime last;   /* when the utilisation was queried */

/* ---- begin, end ---- */

/* Time of all cores in the kernel's ticks, idle and waiting for disks left out of busy. */
static CpuTime cpu_time(void) {
    unsigned long long t[8] = {0};
    FILE *f = fopen("/proc/stat", "r");
    if (!f) return (CpuTime){0, 0};
    int n =
        fscanf(f, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", t, t + 1, t + 2, t + 3, t + 4, t + 5, t + 6, t + 7);
    fclose(f);
    CpuTime sum = {0, 0};
    for (int i = 0; i < n; i++) {
        sum.all += t[i];
        if (i != 3 && i != 4) sum.busy += t[i];
    }
    return sum;
}

nvmlReturn_t nvmlInitWithFlags(unsigned int flags) {
    (void)flags;
    pthread_mutex_lock(&lock);
    if (!users++) last = cpu_time();
    pthread_mutex_unlock(&lock);
    return NVML_SUCCESS;
}
nvmlReturn_t nvmlInit(void) { return nvmlInitWithFlags(0); }
nvmlReturn_t nvmlInit_v2(void) { return nvmlInitWithFlags(0); }

static bool initialised(void) {
    pthread_mutex_lock(&lock);
    bool yes = users;
    pthread_mutex_unlock(&lock);
    return yes;
}

nvmlReturn_t nvmlShutdown(void) {
    pthread_mutex_lock(&lock);
    bool open = users;
    if (open) users--;
    pthread_mutex_unlock(&lock);
    return open ? NVML_SUCCESS : NVML_ERROR_UNINITIALIZED;
}

const char *nvmlErrorString(nvmlReturn_t result) {
    static const char *const texts[] = {
        "The operation was successful",
        "NVML was not first initialized with nvmlInit()",
        "A supplied argument is invalid",
        "The requested operation is not available on target device",
        "The current user does not have permission for operation",
        "NVML has already been initialized",
        "A query to find an object was unsuccessful",
        "An input argument is not large enough",
        "A device's external power cables are not properly attached",
        "NVIDIA driver is not loaded",
        "User provided timeout passed",
        "NVIDIA Kernel detected an interrupt issue with a GPU",
        "NVML Shared Library couldn't be found or loaded",
        "Local version of NVML doesn't implement this function",
        "infoROM is corrupted",
        "The GPU has fallen off the bus or has otherwise become inaccessible",
        "The GPU requires a reset before it can be used again",
        "The GPU control device has been blocked by the operating system",
        "RM detects a driver/library version mismatch",
        "An operation cannot be performed because the GPU is currently in use",
        "Insufficient memory",
        "No data",
        "The requested vgpu operation is not available on target device, because ECC is enabled",
        "Ran out of critical resources, other than memory",
        "The requested frequency is not supported",
        "The provided version is invalid/unsupported",
        "The requested functionality has been deprecated",
        "The system is not ready for the request",
        "No GPUs were found",
        "Resource not in correct state to perform requested operation",
    };
    return (unsigned)result < sizeof texts / sizeof *texts ? texts[result] : "Unknown Error";
}

/* ---- the system ---- */

static nvmlReturn_t text(char *to, unsigned length, const char *from) {
    if (!initialised()) return NVML_ERROR_UNINITIALIZED;
    if (!to) return NVML_ERROR_INVALID_ARGUMENT;
    size_t n = strlen(from) + 1;
    if (n > length) return NVML_ERROR_INSUFFICIENT_SIZE;
    memcpy(to, from, n);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned int length) {
    return text(version, length, DRIVER_VERSION);
}
nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned int length) {
    return text(version, length, NVML_VERSION);
}

/* Works before nvmlInit, as NVML's does. */
nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *version) {
    if (!version) return NVML_ERROR_INVALID_ARGUMENT;
    return cudaDriverGetVersion(version) ? NVML_ERROR_UNKNOWN : NVML_SUCCESS;
}
nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version) { return nvmlSystemGetCudaDriverVersion(version); }

nvmlReturn_t nvmlSystemGetProcessName(unsigned int pid, char *name, unsigned int length) {
    char path[64], command[4096];
    snprintf(path, sizeof path, "/proc/%u/cmdline", pid);
    FILE *f = fopen(path, "r");
    if (!f) return initialised() ? NVML_ERROR_NOT_FOUND : NVML_ERROR_UNINITIALIZED;
    command[fread(command, 1, sizeof command - 1, f)] = 0;
    fclose(f);
    return text(name, length, command);
}

/* ---- devices ---- */

static unsigned devices(void) {
    int n = 0;
    return cudaGetDeviceCount(&n) || n < 0 ? 0 : (unsigned)n;
}

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *count) {
    if (!initialised()) return NVML_ERROR_UNINITIALIZED;
    if (!count) return NVML_ERROR_INVALID_ARGUMENT;
    *count = devices();
    return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetCount(unsigned int *count) { return nvmlDeviceGetCount_v2(count); }

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device) {
    if (!initialised()) return NVML_ERROR_UNINITIALIZED;
    if (!device || index >= devices()) return NVML_ERROR_INVALID_ARGUMENT;
    *device = (nvmlDevice_t)((uintptr_t)index + 1);
    return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned int index, nvmlDevice_t *device) {
    return nvmlDeviceGetHandleByIndex_v2(index, device);
}

/* The device's index, if there is somewhere for the answer. */
static nvmlReturn_t find(nvmlDevice_t device, const void *answer, unsigned *index) {
    uintptr_t handle = (uintptr_t)device;
    if (!initialised()) return NVML_ERROR_UNINITIALIZED;
    if (!answer || !handle || handle > devices()) return NVML_ERROR_INVALID_ARGUMENT;
    *index = (unsigned)(handle - 1);
    return NVML_SUCCESS;
}

static nvmlReturn_t properties(nvmlDevice_t device, const void *answer, struct cudaDeviceProp *p) {
    unsigned index;
    nvmlReturn_t r = find(device, answer, &index);
    if (r) return r;
    return cudaGetDeviceProperties(p, (int)index) ? NVML_ERROR_UNKNOWN : NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length) {
    struct cudaDeviceProp p;
    nvmlReturn_t r = properties(device, name, &p);
    return r ? r : text(name, length, p.name);
}

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int *index) {
    unsigned i = 0;
    nvmlReturn_t r = find(device, index, &i);
    if (!r) *index = i;
    return r;
}
nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned int *number) {
    return nvmlDeviceGetIndex(device, number);
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned int length) {
    struct cudaDeviceProp p;
    nvmlReturn_t r = properties(device, uuid, &p);
    if (r) return r;
    char s[48] = "GPU-";
    char *end = s + 4;
    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) *end++ = '-';
        end += snprintf(end, 3, "%02x", (unsigned char)p.uuid.bytes[i]);
    }
    return text(uuid, length, s);
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci) {
    struct cudaDeviceProp p;
    nvmlReturn_t r = properties(device, pci, &p);
    if (r) return r;
    unsigned domain = (unsigned)p.pciDomainID, bus = (unsigned)p.pciBusID, slot = (unsigned)p.pciDeviceID;
    *pci = (nvmlPciInfo_t){.domain = domain, .bus = bus, .device = slot};
    snprintf(pci->busId, sizeof pci->busId, "%08X:%02X:%02X.0", domain, bus, slot);
    snprintf(pci->busIdLegacy, sizeof pci->busIdLegacy, "%04X:%02X:%02X.0", domain & 0xffff, bus & 0xff, slot & 0xff);
    return NVML_SUCCESS;
}

/* Older versions have a shorter structure, which begins alike; four reserved words end that of the second. */
static nvmlReturn_t pci_info(nvmlDevice_t device, void *to, size_t alike, size_t bytes) {
    nvmlPciInfo_t pci;
    nvmlReturn_t r = nvmlDeviceGetPciInfo_v3(device, to ? &pci : NULL);
    if (r) return r;
    memset(to, 0, bytes);
    memcpy(to, &pci, alike);
    return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, nvmlPciInfo_t *pci) {
    size_t alike = offsetof(nvmlPciInfo_t, busId);
    return pci_info(device, pci, alike, alike + 4 * sizeof(unsigned));
}
nvmlReturn_t nvmlDeviceGetPciInfo(nvmlDevice_t device, nvmlPciInfo_t *pci) {
    size_t bytes = offsetof(nvmlPciInfo_t, pciSubSystemId);
    return pci_info(device, pci, bytes, bytes);
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *id, nvmlDevice_t *device) {
    int index;
    if (!initialised()) return NVML_ERROR_UNINITIALIZED;
    if (!id || !device) return NVML_ERROR_INVALID_ARGUMENT;
    if (cudaDeviceGetByPCIBusId(&index, id)) {
        cudaGetLastError();
        return NVML_ERROR_NOT_FOUND;
    }
    return nvmlDeviceGetHandleByIndex_v2((unsigned)index, device);
}
nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char *id, nvmlDevice_t *device) {
    return nvmlDeviceGetHandleByPciBusId_v2(id, device);
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device) {
    if (!initialised()) return NVML_ERROR_UNINITIALIZED;
    if (!uuid || !device) return NVML_ERROR_INVALID_ARGUMENT;
    for (unsigned i = 0; i < devices(); i++) {
        char s[NVML_DEVICE_UUID_BUFFER_SIZE];
        nvmlDevice_t d = (nvmlDevice_t)((uintptr_t)i + 1);
        if (!nvmlDeviceGetUUID(d, s, sizeof s) && !strcmp(s, uuid)) {
            *device = d;
            return NVML_SUCCESS;
        }
    }
    return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvmlDeviceGetHandleBySerial(const char *serial, nvmlDevice_t *device) {
    if (!initialised()) return NVML_ERROR_UNINITIALIZED;
    return serial && device ? NVML_ERROR_NOT_FOUND : NVML_ERROR_INVALID_ARGUMENT;
}

/* ---- what a device is ---- */

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor) {
    struct cudaDeviceProp p;
    nvmlReturn_t r = properties(device, major && minor ? major : NULL, &p);
    if (!r) *major = p.major, *minor = p.minor;
    return r;
}

nvmlReturn_t nvmlDeviceGetArchitecture(nvmlDevice_t device, nvmlDeviceArchitecture_t *architecture) {
    struct cudaDeviceProp p;
    nvmlReturn_t r = properties(device, architecture, &p);
    if (r) return r;
    int version = p.major * 10 + p.minor;
    *architecture = version >= 100  ? NVML_DEVICE_ARCH_BLACKWELL
                    : version >= 90 ? NVML_DEVICE_ARCH_HOPPER
                    : version == 89 ? NVML_DEVICE_ARCH_ADA
                    : version >= 80 ? NVML_DEVICE_ARCH_AMPERE
                    : version >= 75 ? NVML_DEVICE_ARCH_TURING
                    : version >= 70 ? NVML_DEVICE_ARCH_VOLTA
                    : version >= 60 ? NVML_DEVICE_ARCH_PASCAL
                    : version >= 50 ? NVML_DEVICE_ARCH_MAXWELL
                                    : NVML_DEVICE_ARCH_KEPLER;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetNumGpuCores(nvmlDevice_t device, unsigned int *cores) {
    struct cudaDeviceProp p;
    nvmlReturn_t r = properties(device, cores, &p);
    if (!r) *cores = (unsigned)p.multiProcessorCount;
    return r;
}

nvmlReturn_t nvmlDeviceGetMemoryBusWidth(nvmlDevice_t device, unsigned int *bits) {
    struct cudaDeviceProp p;
    nvmlReturn_t r = properties(device, bits, &p);
    if (!r) *bits = (unsigned)p.memoryBusWidth;
    return r;
}

nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned int *mhz) {
    struct cudaDeviceProp p;
    nvmlReturn_t r = properties(device, (unsigned)type < NVML_CLOCK_COUNT ? mhz : NULL, &p);
    if (!r) *mhz = (unsigned)(type == NVML_CLOCK_MEM ? p.memoryClockRate : p.clockRate) / 1000;
    return r;
}
nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned int *mhz) {
    return nvmlDeviceGetMaxClockInfo(device, type, mhz);
}

/* Functions whose answer is the same for each device. */
#define CONSTANT_(name, T, value)                                                                                      \
    nvmlReturn_t name(nvmlDevice_t device, T *answer) {                                                                \
        unsigned index;                                                                                                \
        nvmlReturn_t r = find(device, answer, &index);                                                                 \
        if (!r) *answer = (value);                                                                                     \
        return r;                                                                                                      \
    }
CONSTANT_(nvmlDeviceGetBrand, nvmlBrandType_t, NVML_BRAND_UNKNOWN)
CONSTANT_(nvmlDeviceGetComputeMode, nvmlComputeMode_t, NVML_COMPUTEMODE_DEFAULT)
CONSTANT_(nvmlDeviceGetPersistenceMode, nvmlEnableState_t, NVML_FEATURE_ENABLED)
CONSTANT_(nvmlDeviceGetMultiGpuBoard, unsigned int, 0)

nvmlReturn_t nvmlDeviceOnSameBoard(nvmlDevice_t a, nvmlDevice_t b, int *same) {
    unsigned i, k;
    nvmlReturn_t r = find(a, same, &i);
    if (!r) r = find(b, same, &k);
    if (!r) *same = i == k;
    return r;
}

/* ---- what it does ---- */

/* cudaMemGetInfo is about the current device; there is one. */
nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory) {
    unsigned index;
    size_t free, total;
    nvmlReturn_t r = find(device, memory, &index);
    if (r) return r;
    if (cudaMemGetInfo(&free, &total)) return NVML_ERROR_UNKNOWN;
    *memory = (nvmlMemory_t){total, free, total - free};
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory) {
    nvmlMemory_t m;
    if (memory && memory->version != nvmlMemory_v2) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    nvmlReturn_t r = nvmlDeviceGetMemoryInfo(device, memory ? &m : NULL);
    if (!r) *memory = (nvmlMemory_v2_t){nvmlMemory_v2, m.total, 0, m.free, m.used};
    return r;
}

/* Of the cores since the last call, or nvmlInit; of the memory what is in use. */
nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t *utilization) {
    nvmlMemory_t m;
    nvmlReturn_t r = nvmlDeviceGetMemoryInfo(device, utilization ? &m : NULL);
    if (r) return r;
    pthread_mutex_lock(&lock);
    CpuTime now = cpu_time();
    unsigned long long all = now.all - last.all, busy = now.busy - last.busy;
    last = now;
    pthread_mutex_unlock(&lock);
    utilization->gpu = all ? (unsigned)(busy * 100 / all) : 0;
    utilization->memory = (unsigned)((double)m.used * 100 / (double)m.total);
    return NVML_SUCCESS;
}

/* ---- the rest: they may be called with a device only where there is one, so all answer alike ---- */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define X(name, parameters)                                                                                            \
    nvmlReturn_t name parameters { return initialised() ? NVML_ERROR_NOT_SUPPORTED : NVML_ERROR_UNINITIALIZED; }
#include "cucpu/nvml_unsupported.def"
#undef X
#pragma GCC diagnostic pop
