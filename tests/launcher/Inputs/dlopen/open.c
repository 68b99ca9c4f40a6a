/* Opens each library by the names that programs look for, and calls a function of it that dlsym finds. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *library, *function;
} names[] = {{"libcuda.so", "cuDriverGetVersion"},    {"libcuda.so.1", "cuDriverGetVersion"},      {"libcudart.so", "cudaRuntimeGetVersion"},
             {"libcudart.so.12", "cudaRuntimeGetVersion"}, {"libcudart.so", "cuDriverGetVersion"},  {"libnvrtc.so", "nvrtcVersion"},
             {"libnvrtc.so.12", "nvrtcVersion"},      {"libnvrtc-builtins.so", "nvrtcVersion"},    {"libnvToolsExt.so", "cudaRuntimeGetVersion"},
             {"libnvToolsExt.so.1", "cudaRuntimeGetVersion"}, {"libcublas.so", "cublasGetCudartVersion"}, {"libcublas.so.12", "cublasGetCudartVersion"},
             {"libcublasLt.so", "cublasLtGetVersion"}, {"libcublasLt.so.12", "cublasLtGetVersion"}, {"libcufft.so", "cufftGetVersion"},
             {"libcufft.so.11", "cufftGetVersion"},   {"libcurand.so", "curandGetVersion"},        {"libcurand.so.10", "curandGetVersion"}};

static int count_runtimes(void) {
    char line[4096], last[4096] = "";
    int n = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && fgets(line, sizeof line, f)) {
        const char *name = strrchr(line, '/');
        if (!name || strncmp(name, "/libcudart.so.12", 16) || !strcmp(name, last)) continue;
        n++;
        strcpy(last, name);
    }
    if (f) fclose(f);
    return n;
}

int main(int argc, char **argv) {
    int failures = 0;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s%s", argc > 1 ? argv[1] : "", names[i].library);
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        int (*function)(int *, int *) = library ? (int (*)(int *, int *))dlsym(library, names[i].function) : NULL;
        int version = 0, minor = 0;
        if (function) {
            int result = function(&version, &minor);
            if (!version && result > 1) version = result; /* returned, not stored */
        }
        if (version > 0) continue;
        failures++;
        printf("%s, %s: %s\n", path, names[i].function, function ? "no version" : dlerror());
    }
    printf("%d failures, %d runtime\n", failures, count_runtimes());
}
