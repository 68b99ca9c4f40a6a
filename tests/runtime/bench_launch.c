/* bench_launch.c: what a launch costs: an empty kernel, launch + cudaDeviceSynchronize.
**
** Prints the best of several rounds in microseconds; not a test, the machine may be busy. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "fake.h"

static void empty(const CucpuLaunch *l, CucpuWorker *w, uint64_t first, uint64_t end) {
    (void)l;
    for (uint64_t b = first; b < end; b++) w->block = b;
}

static void spin(const CucpuLaunch *l, CucpuWorker *w, uint64_t first, uint64_t end) {
    (void)l;
    for (uint64_t b = first; b < end; b++) {
        w->block = b;
        for (volatile int i = 0; i < 1000; i++) {
        }
    }
}

static const CucpuVariant variants[] = {{empty, 8, CUCPU_LAYOUT_GENERAL, {0}, 0, 0, 0, 0, 0, 0, 0},
                                        {spin, 8, CUCPU_LAYOUT_GENERAL, {0}, 0, 0, 0, 0, 0, 0, 0}};
static const CucpuKernel kernels[] = {{.name = "empty", .variants = &variants[0], .nvariants = 1},
                                      {.name = "spin", .variants = &variants[1], .nvariants = 1}};
static const CucpuModule module = {CUCPU_ABI_VERSION, 32, 1, "bench", kernels, NULL, 2, 0, NULL, 0, 0, 0, NULL, NULL};
static char stubs[2];

static double now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double launch_us(int stub, unsigned blocks, unsigned threads, cudaStream_t stream) {
    enum { ROUNDS = 20, LAUNCHES = 500 };
    double best = 1e9;
    for (int r = 0; r < ROUNDS; r++) {
        double start = now_us();
        for (int i = 0; i < LAUNCHES; i++) {
            fake_launch(&stubs[stub], fake_dim(blocks, 1, 1), fake_dim(threads, 1, 1), 0, stream,
                        NULL);
            cudaDeviceSynchronize();
        }
        double each = (now_us() - start) / LAUNCHES;
        if (each < best) best = each;
    }
    return best;
}

int main(void) {
    const void *const list[] = {&stubs[0], &stubs[1]};
    fake_register(&module, list, NULL, false);
    static const unsigned grids[] = {1, 2, 64, 1024, 65536};
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++)
        printf("empty  %6u blocks %8.3f us\n", grids[i], launch_us(0, grids[i], 128, NULL));
    for (size_t i = 0; i < 4; i++)
        printf("spin   %6u blocks %8.3f us\n", grids[i], launch_us(1, grids[i], 128, NULL));
    cudaStream_t s;
    cudaStreamCreate(&s);
    printf("empty in a stream  %8.3f us\n", launch_us(0, 1, 128, s));
    return 0;
}
