// Programs look for the functions of the driver by name: those that clients are known to look for are there, under the names of the
// per-thread default stream too.  Graphics names themselves.
// REQUIRES: run
// RUN: %clang -I%resources/include %s -o %t -ldl && env LD_LIBRARY_PATH=%resources %run %t %S/Inputs/driver_names.txt 2>&1 | FileCheck %s
// CHECK: {{^1[0-9][0-9]}} names, 0 missing
// CHECK-NEXT: legacy: 900, per thread: 0, by flag: 0, without: 900
// CHECK-NEXT: by version: 1 1 1 1
// CHECK-NEXT: cucpu: cuGLGetDevices_v2 is not supported
// CHECK-NEXT: graphics: 801
// CHECK-NEXT: freed without a context: 0 0
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>

static void *library;

static void *find(const char *name) { return dlsym(library, name); }

static CUresult capture(CUresult (*begin)(CUstream, CUstreamCaptureMode), const char *end_name) {
    CUgraph graph = NULL;
    CUresult (*end)(CUstream, CUgraph *);
    *(void **)&end = find(end_name);
    CUresult r = begin(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL);
    return r ? r : end(NULL, &graph);
}

#define CALL(name, parameters, arguments) (((CUresult(*) parameters)find(#name))arguments)

int main(int argc, char **argv) {
    char name[128];
    int names = 0, missing = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    FILE *f = fopen(argv[1], "r");
    while (library && fscanf(f, "%127s", name) == 1) {
        names++;
        if (find(name)) continue;
        missing++;
        printf("%s is missing\n", name);
    }
    printf("%d names, %d missing\n", names, missing);

    CUcontext c;
    CALL(cuInit, (unsigned), (0));
    CALL(cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice), (&c, 0));
    CALL(cuCtxSetCurrent, (CUcontext), (c));
    CUresult (*plain)(CUstream, CUstreamCaptureMode), (*own)(CUstream, CUstreamCaptureMode);
    *(void **)&plain = find("cuStreamBeginCapture_v2");
    *(void **)&own = find("cuStreamBeginCapture_v2_ptsz");
    printf("legacy: %d, per thread: %d", capture(plain, "cuStreamEndCapture"), capture(own, "cuStreamEndCapture_ptsz"));
    CALL(cuGetProcAddress_v2, (const char *, void *, int, cuuint64_t, void *),
         ("cuStreamBeginCapture", &own, 12080, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, NULL));
    CALL(cuGetProcAddress_v2, (const char *, void *, int, cuuint64_t, void *), ("cuStreamBeginCapture", &plain, 12080, 0, NULL));
    printf(", by flag: %d, without: %d\n", capture(own, "cuStreamEndCapture_ptsz"), capture(plain, "cuStreamEndCapture"));
    static const struct {
        const char *name, *function;
        int version;
    } versions[] = {{"cuMemPrefetchAsync", "cuMemPrefetchAsync", 12010},
                    {"cuMemPrefetchAsync", "cuMemPrefetchAsync_v2", 12020},
                    {"cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo_v3", 12080},
                    {"cuCtxCreate", "cuCtxCreate_v3", 12000}};
    printf("by version:");
    for (int i = 0; i < 4; i++) {
        void *f = NULL;
        CALL(cuGetProcAddress_v2, (const char *, void *, int, cuuint64_t, void *),
             (versions[i].name, &f, versions[i].version, 0, NULL));
        printf(" %d", f == find(versions[i].function));
    }
    printf("\n");
    unsigned count;
    CUdevice device;
    printf("graphics: %d\n", CALL(cuGLGetDevices_v2, (unsigned *, CUdevice *, unsigned, int), (&count, &device, 1, 1)));

    void *host;
    CUmodule m;
    CALL(cuMemAllocHost_v2, (void **, size_t), (&host, 100));
    CALL(cuModuleLoadData, (CUmodule *, const void *), (&m, ".version 7.0\n.target sm_70\n.address_size 64\n"));
    CALL(cuCtxSetCurrent, (CUcontext), (NULL));
    int freed = CALL(cuMemFreeHost, (void *), (host)), unloaded = CALL(cuModuleUnload, (CUmodule), (m));
    printf("freed without a context: %d %d\n", freed, unloaded);
    return argc < 2;
}
