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
void bitonic_omp(const int *in, int *out, int blocks);
void dct_omp(const float *in, const float *c, float *out, int n, int size, int inverse);
void fastwalsh_omp(const float *in, float *out, int blocks);
void floyd_omp(int *d, int n);
void histogram_omp(const unsigned char *in, int *bins, int n);
void transpose_omp(const float *in, float *out, int n);

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

static unsigned random_bits(void) {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static float *floats(size_t n, float low, float high) {
    float *p = malloc(n * sizeof *p);
    for (size_t i = 0; i < n; i++) p[i] = low + (high - low) * (float)random_bits() / 16777216.0f;
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

/* What a kernel's output is compared by: floats within a tolerance, integers, the sum of integers. */
typedef enum { FLOATS, INTS, SUM } Kind;

typedef struct {
    size_t global[2], local[2];
    size_t n; /* elements of 4 bytes in `got` */
    Kind kind;
    void *want;
    cl_mem got;
    int steps;         /* launches of a repetition */
    unsigned step_arg; /* with several: the argument that counts them */
} Problem;

static Problem problem(size_t gx, size_t gy, size_t lx, size_t ly, size_t n, Kind kind) {
    return (Problem){{gx, gy}, {lx, ly}, n, kind, calloc(n, 4), NULL, 1, 0};
}

static int *ints(size_t n, unsigned low, unsigned high) {
    int *p = malloc(n * sizeof *p);
    for (size_t i = 0; i < n; i++) p[i] = (int)(low + random_bits() % (high - low));
    return p;
}

static Problem matmul(void) {
    size_t n = 384;
    Problem p = problem(n, n, 16, 16, n * n, FLOATS);
    float *a = floats(n * n, -1, 1), *b = floats(n * n, -1, 1);
    buffer_argument(4 * n * n, a);
    buffer_argument(4 * n * n, b);
    p.got = buffer_argument(4 * n * n, NULL);
    int_argument((int)n);
    matmul_omp(a, b, p.want, (int)n);
    return p;
}

static Problem mandelbrot(void) {
    size_t n = 256;
    Problem p = problem(n, n, 16, 16, n * n, SUM);
    p.got = buffer_argument(4 * n * n, NULL);
    int_argument((int)n);
    int_argument(256);
    mandelbrot_omp(p.want, (int)n, 256);
    return p;
}

static Problem blackscholes(void) {
    size_t n = 65536;
    Problem p = problem(n, 1, 128, 1, n, FLOATS);
    float *s = floats(n, 5, 30), *x = floats(n, 1, 100), *t = floats(n, 0.25f, 10);
    buffer_argument(4 * n, s);
    buffer_argument(4 * n, x);
    buffer_argument(4 * n, t);
    buffer_argument(4 * n, NULL);
    p.got = buffer_argument(4 * n, NULL);
    int_argument((int)n);
    blackscholes_omp(s, x, t, calloc(n, 4), p.want, (int)n);
    return p;
}

static Problem nbody(void) {
    size_t n = 2048;
    Problem p = problem(n, 1, 256, 1, 3 * n, FLOATS);
    float *body = floats(4 * n, 0.1f, 1);
    buffer_argument(16 * n, body);
    p.got = buffer_argument(12 * n, NULL);
    int_argument((int)n);
    nbody_omp(body, p.want, (int)n);
    return p;
}

static Problem reduce_tree(void) {
    size_t blocks = 1024;
    Problem p = problem(256 * blocks, 1, 256, 1, blocks, FLOATS);
    float *in = floats(256 * blocks, 0, 1);
    buffer_argument(1024 * blocks, in);
    p.got = buffer_argument(4 * blocks, NULL);
    reduce_tree_omp(in, p.want, (int)blocks);
    return p;
}

static Problem bitonic(void) {
    size_t blocks = 128, n = 512 * blocks;
    Problem p = problem(256 * blocks, 1, 256, 1, n, INTS);
    int *in = ints(n, 0, 1000000);
    buffer_argument(4 * n, in);
    p.got = buffer_argument(4 * n, NULL);
    bitonic_omp(in, p.want, (int)blocks);
    return p;
}

static Problem dct(void) {
    size_t n = 512;
    Problem p = problem(n, n, 8, 8, n * n, FLOATS);
    float *in = floats(n * n, -128, 128), *c = calloc(64, 4);
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < 8; i++)
            c[k * 8 + i] = (k ? 0.5f : 0.35355339f) * cosf((float)((2 * i + 1) * k) * 3.14159265f / 16);
    buffer_argument(4 * n * n, in);
    buffer_argument(4 * 64, c);
    p.got = buffer_argument(4 * n * n, NULL);
    int_argument((int)n);
    int_argument(8);
    int_argument(0);
    dct_omp(in, c, p.want, (int)n, 8, 0);
    return p;
}

static Problem fastwalsh(void) {
    size_t blocks = 256, n = 512 * blocks;
    Problem p = problem(256 * blocks, 1, 256, 1, n, FLOATS);
    float *in = floats(n, -1, 1);
    buffer_argument(4 * n, in);
    p.got = buffer_argument(4 * n, NULL);
    fastwalsh_omp(in, p.want, (int)blocks);
    return p;
}

static Problem floyd(void) {
    size_t n = 192;
    Problem p = problem(n, n, 16, 16, n * n, INTS);
    p.want = ints(n * n, 1, 1000);
    p.got = buffer_argument(4 * n * n, p.want);
    int_argument((int)n);
    p.steps = (int)n;
    p.step_arg = arguments;
    floyd_omp(p.want, (int)n);
    return p;
}

static Problem histogram(void) {
    size_t n = 1 << 20;
    Problem p = problem(16 * 256, 1, 256, 1, 256, INTS);
    unsigned char *in = malloc(n);
    for (size_t i = 0; i < n; i++) in[i] = (unsigned char)((random_bits() & 255) * (random_bits() & 255) >> 8);
    buffer_argument(n, in);
    p.got = buffer_argument(4 * 256, p.want);
    int_argument((int)n);
    histogram_omp(in, p.want, (int)n);
    return p;
}

static Problem transpose(void) {
    size_t n = 480;
    Problem p = problem(n, n / 4, 32, 8, n * n, FLOATS);
    float *in = floats(n * n, 0, 1);
    buffer_argument(4 * n * n, in);
    p.got = buffer_argument(4 * n * n, NULL);
    int_argument((int)n);
    transpose_omp(in, p.want, (int)n);
    return p;
}

static const struct {
    const char *name;
    Problem (*prepare)(void);
} TWINS[] = {{"matmul", matmul}, {"mandelbrot", mandelbrot}, {"blackscholes", blackscholes}, {"nbody", nbody},
             {"reduce_tree", reduce_tree}, {"bitonic", bitonic}, {"dct", dct}, {"fastwalsh", fastwalsh},
             {"floyd", floyd}, {"histogram", histogram}, {"transpose", transpose}};

static Problem prepare(const char *name) {
    for (size_t i = 0; i < sizeof TWINS / sizeof *TWINS; i++)
        if (!strcmp(TWINS[i].name, name)) return TWINS[i].prepare();
    need(0, "unknown name");
    exit(1);
}

static void launch(const Problem *p) {
    for (int i = 0; i < p->steps; i++) {
        if (p->steps > 1) need(!clSetKernelArg(kernel, p->step_arg, sizeof i, &i), "step");
        need(!clEnqueueNDRangeKernel(queue, kernel, 2, NULL, p->global, p->local, 0, NULL, NULL), "launch");
    }
    clFinish(queue);
}

static void compare(const Problem *p) {
    void *got = malloc(4 * p->n);
    need(!clEnqueueReadBuffer(queue, p->got, CL_TRUE, 0, 4 * p->n, got, 0, NULL, NULL), "read");
    double total = 0, want = 0;
    for (size_t i = 0; i < p->n; i++) {
        float f = ((float *)got)[i], g = ((float *)p->want)[i];
        int n = ((int *)got)[i], m = ((int *)p->want)[i];
        total += n;
        want += m;
        if (p->kind == FLOATS) need(fabsf(f - g) <= 1e-3f * fmaxf(1, fabsf(g)), "wrong result");
        if (p->kind == INTS) need(n == m, "wrong result");
    }
    if (p->kind == SUM) need(fabs(total - want) <= 0.001 * want, "wrong sum");
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
