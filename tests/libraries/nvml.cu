// libnvidia-ml: what programs ask at their start is what the runtime says; what is not there says so; also by dlopen, from C, and twice.
// REQUIRES: run
// RUN: %cucpu %s -o %t -lnvidia-ml -ldl && %run %t
// RUN: %cc -x c -std=c11 -Wall -Werror -fsyntax-only -I%root/cpu-runtime/include -include nvml.h /dev/null
#include "../kernels/check.h"
#include <dlfcn.h>
#include <nvml.h>
#include <unistd.h>

__global__ void burn(long n, float *out) {
    float x = threadIdx.x;
    for (long i = 0; i < n; i++) x = x * 1.0001f + 1;
    out[threadIdx.x] = x;
}

// Programs that look for the names without a version have the shorter structures of their time.
static void check_old_structures(nvmlDevice_t d) {
    static const struct {
        const char *name;
        size_t bytes;
    } versions[] = {{"nvmlDeviceGetPciInfo", 32}, {"nvmlDeviceGetPciInfo_v2", 52}, {"nvmlDeviceGetPciInfo_v3", sizeof(nvmlPciInfo_t)}};
    for (auto &v : versions) {
        auto get = (nvmlReturn_t(*)(nvmlDevice_t, void *))dlsym(RTLD_DEFAULT, v.name);
        unsigned char pci[80], legacy[16] = "0000:00:00.0";
        memset(pci, 0xee, sizeof pci);
        CHECK(get && get(d, pci) == NVML_SUCCESS && !memcmp(pci, legacy, 13) && pci[v.bytes] == 0xee && pci[v.bytes - 1] != 0xee);
    }
}

static void check_begin() {
    unsigned n = 0;
    nvmlDevice_t d;
    char text[NVML_DEVICE_NAME_V2_BUFFER_SIZE];
    CHECK(nvmlDeviceGetCount(&n) == NVML_ERROR_UNINITIALIZED && nvmlShutdown() == NVML_ERROR_UNINITIALIZED);
    CHECK(nvmlInit() == NVML_SUCCESS && nvmlInitWithFlags(NVML_INIT_FLAG_NO_GPUS) == NVML_SUCCESS && nvmlShutdown() == NVML_SUCCESS);
    int count, version;
    CUDA(cudaGetDeviceCount(&count));
    CUDA(cudaDriverGetVersion(&version));
    CHECK(nvmlDeviceGetCount(&n) == NVML_SUCCESS && (int)n == count);
    int said = 0;
    CHECK(nvmlSystemGetCudaDriverVersion(&said) == NVML_SUCCESS && said == version);
    CHECK(nvmlSystemGetDriverVersion(text, sizeof text) == NVML_SUCCESS && std::atof(text) >= 570);
    CHECK(nvmlSystemGetDriverVersion(text, 3) == NVML_ERROR_INSUFFICIENT_SIZE);
    CHECK(nvmlSystemGetNVMLVersion(text, sizeof text) == NVML_SUCCESS && !strncmp(text, "12.570", 6));
    CHECK(nvmlDeviceGetHandleByIndex(n, &d) == NVML_ERROR_INVALID_ARGUMENT);
    CHECK(nvmlDeviceGetName((nvmlDevice_t)0, text, sizeof text) == NVML_ERROR_INVALID_ARGUMENT);
    CHECK(!strcmp(nvmlErrorString(NVML_ERROR_NOT_SUPPORTED), "The requested operation is not available on target device"));
    CHECK(!strcmp(nvmlErrorString((nvmlReturn_t)-1), "Unknown Error"));
    char name[4096];
    CHECK(nvmlSystemGetProcessName(getpid(), name, sizeof name) == NVML_SUCCESS && strstr(name, "nvml"));
}

static void check_device(nvmlDevice_t d) {
    cudaDeviceProp p;
    CUDA(cudaGetDeviceProperties(&p, 0));
    char text[NVML_DEVICE_NAME_V2_BUFFER_SIZE], bus[32];
    unsigned x = 9;
    int major = 0, minor = 0;
    nvmlDevice_t other;
    CHECK(nvmlDeviceGetName(d, text, sizeof text) == NVML_SUCCESS && !strcmp(text, p.name));
    CHECK(nvmlDeviceGetName(d, text, 2) == NVML_ERROR_INSUFFICIENT_SIZE);
    CHECK(nvmlDeviceGetIndex(d, &x) == NVML_SUCCESS && x == 0 && nvmlDeviceGetIndex(d, NULL) == NVML_ERROR_INVALID_ARGUMENT);
    CHECK(nvmlDeviceGetCudaComputeCapability(d, &major, &minor) == NVML_SUCCESS && major == p.major && minor == p.minor);
    CHECK(nvmlDeviceGetNumGpuCores(d, &x) == NVML_SUCCESS && (int)x == p.multiProcessorCount);
    CHECK(nvmlDeviceGetClockInfo(d, NVML_CLOCK_SM, &x) == NVML_SUCCESS && (int)x == p.clockRate / 1000);
    CHECK(nvmlDeviceGetClockInfo(d, NVML_CLOCK_COUNT, &x) == NVML_ERROR_INVALID_ARGUMENT);
    nvmlPciInfo_t pci;
    CUDA(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    CHECK(nvmlDeviceGetPciInfo(d, &pci) == NVML_SUCCESS && !strcasecmp(pci.busIdLegacy, bus) && (int)pci.bus == p.pciBusID);
    check_old_structures(d);
    CHECK(nvmlDeviceGetHandleByPciBusId(pci.busId, &other) == NVML_SUCCESS && other == d);
    CHECK(nvmlDeviceGetHandleByPciBusId("0000:7f:1f.0", &other) == NVML_ERROR_NOT_FOUND && cudaGetLastError() == cudaSuccess);
    CHECK(nvmlDeviceGetUUID(d, text, sizeof text) == NVML_SUCCESS && strlen(text) == 40 && !strncmp(text, "GPU-", 4) && text[12] == '-');
    CHECK(nvmlDeviceGetHandleByUUID(text, &other) == NVML_SUCCESS && other == d);
    text[5] ^= 1;
    CHECK(nvmlDeviceGetHandleByUUID(text, &other) == NVML_ERROR_NOT_FOUND);
    CHECK(nvmlDeviceGetTemperature(d, NVML_TEMPERATURE_GPU, &x) == NVML_ERROR_NOT_SUPPORTED);
    CHECK(nvmlDeviceGetPowerUsage(d, &x) == NVML_ERROR_NOT_SUPPORTED);
}

static void check_load(nvmlDevice_t d) {
    nvmlMemory_t before, after;
    nvmlMemory_v2_t v2 = {};
    nvmlUtilization_t u = {999, 999};
    size_t total, left;
    CUDA(cudaMemGetInfo(&left, &total));
    CHECK(nvmlDeviceGetMemoryInfo(d, &before) == NVML_SUCCESS && before.total == total && before.free + before.used == total);
    float *p;
    CUDA(cudaMalloc(&p, 256u << 20));
    CUDA(cudaMemset(p, 1, 256u << 20));
    CUDA(cudaDeviceSynchronize());
    CHECK(nvmlDeviceGetMemoryInfo(d, &after) == NVML_SUCCESS && after.free + after.used == total);
    CHECK(nvmlDeviceGetMemoryInfo_v2(d, &v2) == NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
    v2.version = nvmlMemory_v2;
    CHECK(nvmlDeviceGetMemoryInfo_v2(d, &v2) == NVML_SUCCESS && v2.total == total);
    nvmlDeviceGetUtilizationRates(d, &u);
    burn<<<16, 64>>>(8000000, p);
    CUDA(cudaDeviceSynchronize());
    CHECK(nvmlDeviceGetUtilizationRates(d, &u) == NVML_SUCCESS && u.gpu > 0 && u.gpu <= 100 && u.memory <= 100);
    CUDA(cudaFree(p));
}

int main() {
    check_begin();
    nvmlDevice_t d;
    CHECK(nvmlDeviceGetHandleByIndex(0, &d) == NVML_SUCCESS);
    check_device(d);
    check_load(d);
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    CHECK(library && dlsym(library, "nvmlInit_v2") == (void *)&nvmlInit_v2 && dlsym(library, "nvmlInit") && dlsym(library, "nvmlDeviceGetFanSpeed"));
    CHECK(nvmlShutdown() == NVML_SUCCESS && nvmlShutdown() == NVML_ERROR_UNINITIALIZED);
    return failures != 0;
}
