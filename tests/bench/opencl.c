/* opencl.c: runs the kernels of twins.cl on the first OpenCL device: opencl NAME twins.cl seconds.
**
** Sizes, data and output as the .cu program of that name has them; prints "name opencl cpu wall".
** Results are compared with NAME_omp, whose object files are linked in. */
#define CL_TARGET_OPENCL_VERSION 120
#define _GNU_SOURCE
#include <CL/cl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void matmul_omp(const float *a, const float *b, float *c, int n);
void mandelbrot_omp(int *out, int n, int limit);
void blackscholes_omp(const float *s, const float *x, const float *t, float *call, float *put, int n);
void nbody_omp(const float *body, float *force, int n);
void reduce_tree_omp(const float *in, float *sums, int blocks);

static cl_context context;
static cl_command_queue queue;
static cl_kernel kernel;
static unsigned state = 12345, arguments;

static void need(int ok, const char *what) {
    if (ok) return;
    fprintf(stderr, "opencl: %s\n", what);
    exit(1);
}

static double clock_of(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static float *floats(size_t n, float low, float high) {
    float *p = malloc(n * sizeof *p);
    for (size_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        p[i] = low + (high - low) * (float)(state >> 8) / 16777216.0f;
    }
    return p;
}

static cl_mem buffer_argument(size_t bytes, const void *data) {
    cl_mem m = clCreateBuffer(context, data ? CL_MEM_COPY_HOST_PTR : 0, bytes, (void *)data, NULL);
    need(m && !clSetKernelArg(kernel, arguments++, sizeof m, &m), "buffer");
    return m;
}

static void int_argument(int v) { need(!clSetKernelArg(kernel, arguments++, sizeof v, &v), "int"); }

static void open_device(const char *name, const char *path) {
    cl_platform_id platform;
    cl_device_id device;
    need(!clGetPlatformIDs(1, &platform, NULL), "no platform");
    need(!clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "no device");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueue(context, device, 0, NULL);
    static char text[1 << 16];
    const char *source = text;
    FILE *f = fopen(path, "r");
    need(f && fread(text, 1, sizeof text - 1, f) > 0, "no source");
    fclose(f);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    need(!clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    kernel = clCreateKernel(program, name, NULL);
    need(kernel != NULL, "no such kernel");
}

/* The arguments of a kernel, its range, and the reference of the last buffer. */
typedef struct {
    size_t global[2], local[2], n;
    float *want;
    cl_mem got;
    int sums; /* compare sums: ints of mandelbrot */
} Problem;

static Problem prepare(const char *name) {
    Problem p = {{1, 1}, {1, 1}, 0, NULL, NULL, 0};
    if (!strcmp(name, "matmul")) {
        size_t n = 384;
        float *a = floats(n * n, -1, 1), *b = floats(n * n, -1, 1);
        p = (Problem){{n, n}, {16, 16}, n * n, calloc(n * n, 4), NULL, 0};
        buffer_argument(4 * n * n, a);
        buffer_argument(4 * n * n, b);
        p.got = buffer_argument(4 * n * n, NULL);
        int_argument((int)n);
        matmul_omp(a, b, p.want, (int)n);
    } else if (!strcmp(name, "mandelbrot")) {
        size_t n = 256;
        p = (Problem){{n, n}, {16, 16}, n * n, calloc(n * n, 4), NULL, 1};
        p.got = buffer_argument(4 * n * n, NULL);
        int_argument((int)n);
        int_argument(256);
        mandelbrot_omp((int *)p.want, (int)n, 256);
    } else if (!strcmp(name, "blackscholes")) {
        size_t n = 65536;
        float *s = floats(n, 5, 30), *x = floats(n, 1, 100), *t = floats(n, 0.25f, 10);
        p = (Problem){{n, 1}, {128, 1}, n, calloc(n, 4), NULL, 0};
        buffer_argument(4 * n, s);
        buffer_argument(4 * n, x);
        buffer_argument(4 * n, t);
        buffer_argument(4 * n, NULL);
        p.got = buffer_argument(4 * n, NULL);
        int_argument((int)n);
        blackscholes_omp(s, x, t, calloc(n, 4), p.want, (int)n);
    } else if (!strcmp(name, "nbody")) {
        size_t n = 2048;
        float *body = floats(4 * n, 0.1f, 1);
        p = (Problem){{n, 1}, {256, 1}, 3 * n, calloc(3 * n, 4), NULL, 0};
        buffer_argument(16 * n, body);
        p.got = buffer_argument(12 * n, NULL);
        int_argument((int)n);
        nbody_omp(body, p.want, (int)n);
    } else if (!strcmp(name, "reduce_tree")) {
        size_t blocks = 1024;
        float *in = floats(256 * blocks, 0, 1);
        p = (Problem){{256 * blocks, 1}, {256, 1}, blocks, calloc(blocks, 4), NULL, 0};
        buffer_argument(1024 * blocks, in);
        p.got = buffer_argument(4 * blocks, NULL);
        reduce_tree_omp(in, p.want, (int)blocks);
    }
    need(p.got != NULL, "unknown name");
    return p;
}

static void launch(const Problem *p) {
    need(!clEnqueueNDRangeKernel(queue, kernel, 2, NULL, p->global, p->local, 0, NULL, NULL), "launch");
    clFinish(queue);
}

static void compare(const Problem *p) {
    float *got = malloc(4 * p->n);
    need(!clEnqueueReadBuffer(queue, p->got, CL_TRUE, 0, 4 * p->n, got, 0, NULL, NULL), "read");
    double total = 0, want = 0;
    for (size_t i = 0; i < p->n; i++) {
        total += p->sums ? ((int *)got)[i] : 0;
        want += p->sums ? ((int *)p->want)[i] : 0;
        if (!p->sums) need(fabsf(got[i] - p->want[i]) <= 1e-3f * fmaxf(1, fabsf(p->want[i])), "wrong result");
    }
    need(fabs(total - want) <= 0.001 * want, "wrong sum");
}

int main(int argc, char **argv) {
    need(argc == 4, "usage: opencl NAME twins.cl seconds");
    open_device(argv[1], argv[2]);
    Problem p = prepare(argv[1]);
    launch(&p);
    compare(&p);
    double least = atof(argv[3]);
    for (long times = 1;; times *= 2) {
        double cpu = clock_of(CLOCK_PROCESS_CPUTIME_ID), wall = clock_of(CLOCK_MONOTONIC);
        for (long i = 0; i < times; i++) launch(&p);
        cpu = clock_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
        wall = clock_of(CLOCK_MONOTONIC) - wall;
        if (cpu < least) continue;
        printf("%s opencl %.4e %.4e\n", argv[1], cpu / (double)times, wall / (double)times);
        return 0;
    }
}
