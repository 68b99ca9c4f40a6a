// What is compiled while the program runs is checked too: PTX and CUDA C++; textures are not taken for foreign memory.
// REQUIRES: run
// RUN: %cucpu --check=memory %s -lnvrtc -lcuda -o %t && %run %t > %t.out 2>&1; FileCheck %s < %t.out
// RUN: %cucpu %s -lnvrtc -lcuda -o %t && compute-sanitizer %t > %t.out 2>&1; FileCheck %s < %t.out
// The same of files that were made without checks, and of PTX that is part of the program.
// RUN: echo 'extern "C" __global__ void k(int *p, int i) { p[i] = i; }' > %t.k.cu && %cucpu -ptx %t.k.cu -o %t.ptx && \
// RUN:   compute-sanitizer %t %t.ptx > %t.out 2>&1; FileCheck %s --check-prefix=FILE < %t.out
// RUN: %python -c "import re; print(re.search(r'R.\((.version.*?)\)\";', open(r'%s').read(), re.S).group(1), end='')" > %t.text.ptx
// RUN: %cucpu %s %t.text.ptx -lnvrtc -lcuda -o %t.both && compute-sanitizer %t.both %t.text.ptx > %t.out 2>&1; \
// RUN:   FileCheck %s --check-prefix=FILE < %t.out
// FILE: file 15: 1 no error
// FILE: Invalid __global__ write of size 4 bytes
// FILE: file 16: 1 unspecified launch failure
#include <cstdio>
#include <cuda.h>
#include <nvrtc.h>
#include <vector>

static const char ptx[] = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 i) {
    .reg .b32 %r<2>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [p];
    ld.param.u32 %r1, [i];
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r1;
    ret;
})";
static const char source[] = "extern \"C\" __global__ void k(int *p, int i) { p[i] = i; }";

static void launch(const char *what, const char *image, int i) {
    CUmodule m;
    CUfunction f;
    int *p;
    cudaDeviceReset();
    cudaMalloc(&p, 64);
    void *args[] = {&p, &i};
    bool ok = !cuModuleLoadData(&m, image) && !cuModuleGetFunction(&f, m, "k") &&
              !cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, args, 0);
    printf("%s %d: %d %s\n", what, i, ok, cudaGetErrorString(cudaDeviceSynchronize()));
    fflush(stdout);
}

__global__ void fetch(cudaTextureObject_t t, float *o) { o[threadIdx.x] = tex2D<float>(t, threadIdx.x, 1); }

static void textures() {
    cudaArray_t a;
    cudaTextureObject_t t;
    float *o;
    auto channel = cudaCreateChannelDesc<float>();
    cudaMallocArray(&a, &channel, 8, 8);
    cudaMalloc(&o, 64);
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray, r.res.array.array = a;
    cudaTextureDesc d = {};
    cudaCreateTextureObject(&t, &r, &d, 0);
    fetch<<<1, 8>>>(t, o);
    printf("texture: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    fflush(stdout);
    cudaDestroyTextureObject(t);
}

int main(int argc, char **argv) {
    if (argc > 1) {
        std::vector<char> image(1 << 20);
        FILE *f = fopen(argv[1], "rb");
        fread(image.data(), 1, image.size() - 1, f);
        launch("file", image.data(), 15);
        launch("file", image.data(), 16);
        return 0;
    }
    textures();
    launch("ptx", ptx, 15);
    launch("ptx", ptx, 16);
    nvrtcProgram p;
    nvrtcCreateProgram(&p, source, "k.cu", 0, 0, 0);
    nvrtcCompileProgram(p, 0, 0);
    size_t n;
    nvrtcGetPTXSize(p, &n);
    std::vector<char> image(n);
    nvrtcGetPTX(p, image.data());
    launch("nvrtc", image.data(), 15);
    launch("nvrtc", image.data(), 16);
}
// CHECK: texture: no error
// CHECK: ptx 15: 1 no error
// CHECK: ========= Invalid __global__ write of size 4 bytes
// CHECK: and is 0 bytes after the nearest allocation at 0x{{[0-9a-f]+}} of size 64 bytes
// CHECK: ptx 16: 1 unspecified launch failure
// CHECK: nvrtc 15: 1 no error
// CHECK: ========= Invalid __global__ write of size 4 bytes
// CHECK-NEXT: at k{{.*}}+0x{{[0-9a-f]+}} in k.cu:1
// CHECK: nvrtc 16: 1 unspecified launch failure
// CHECK: ========= ERROR SUMMARY: 2 errors
