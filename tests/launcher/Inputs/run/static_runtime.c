/* A program as nvcc links it, with functions of the runtime library of its own that no other file sees.  These answer that
** there is no driver; the program's own function is not one of them. */
#include <stdio.h>

#define HIDDEN __attribute__((visibility("hidden"), noinline))

__attribute__((section(".nv_fatbin"), used)) static const char mark[] = "libcudart_static_12";

HIDDEN int __cudaRegisterFatBinary(void) { return printf("registered by NVIDIA's library\n"); }
HIDDEN int cudaGetDeviceCount(int *n) { return printf("counted by NVIDIA's library\n"), *n = 0, 35; }
HIDDEN int cudaGLGetDevices(unsigned *n) { return printf("asked of NVIDIA's library\n"), *n = 0, 35; }
HIDDEN int cudaOfTheProgram(void) { return puts("the program's own"); }

int main(void) {
    int n = 0;
    unsigned ngl;
    printf("error %d", cudaGetDeviceCount(&n));
    printf(", devices %d\n", n);
    printf("error %d\n", cudaGLGetDevices(&ngl));
    return cudaOfTheProgram() < 0;
}
