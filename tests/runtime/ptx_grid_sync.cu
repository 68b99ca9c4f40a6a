// PTX that synchronises the grid by libcudadevrt's functions, linked with this installation's library of that name.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t %resources/libcudadevrt.a | FileCheck %s
// CHECK: linked 0, 4 blocks: 10 10 10 10
#include <cstdio>
#include <cstring>
#include <cuda.h>

static const char ptx[] = R"(
.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 scope);
.extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 handle, .param .b32 flags);
.visible .entry sums(.param .u64 p) {
  .reg .b64 %rd<6>;
  .reg .b32 %r<8>;
  .reg .pred %more;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %ctaid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  add.u32 %r2, %r1, 1;
  st.global.u32 [%rd3], %r2;
  {
    .param .b32 scope;
    .param .b64 r;
    st.param.b32 [scope], 1;
    call.uni (r), cudaCGGetIntrinsicHandle, (scope);
    ld.param.b64 %rd4, [r];
  }
  {
    .param .b64 handle;
    .param .b32 flags;
    .param .b32 r;
    st.param.b64 [handle], %rd4;
    st.param.b32 [flags], 0;
    call.uni (r), cudaCGSynchronize, (handle, flags);
    ld.param.b32 %r3, [r];
  }
  mov.u32 %r4, 0;
  mov.u32 %r5, 0;
  mov.u64 %rd5, %rd1;
loop:
  ld.global.u32 %r6, [%rd5];
  add.u32 %r4, %r4, %r6;
  add.u64 %rd5, %rd5, 4;
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %more, %r5, 4;
  @%more bra loop;
  st.global.u32 [%rd3+16], %r4;
  ret;
})";

int main(int, char **argv) {
    CUlinkState state;
    CUmodule module;
    CUfunction f;
    void *cubin;
    int *p;
    cudaMallocManaged(&p, 8 * sizeof *p);
    void *args[] = {&p};
    int error = cuLinkCreate(0, 0, 0, &state);
    if (!error) error = cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)ptx, sizeof ptx, "sums", 0, 0, 0);
    if (!error) error = cuLinkAddFile(state, CU_JIT_INPUT_LIBRARY, argv[1], 0, 0, 0);
    if (!error) error = cuLinkComplete(state, &cubin, 0);
    if (!error) error = cuModuleLoadData(&module, cubin);
    if (!error) error = cuModuleGetFunction(&f, module, "sums");
    if (!error) error = cuLaunchCooperativeKernel(f, 4, 1, 1, 1, 1, 1, 0, 0, args);
    cudaDeviceSynchronize();
    printf("linked %d, 4 blocks: %d %d %d %d\n", error, p[4], p[5], p[6], p[7]);
    return error;
}
