// Barriers, fences, votes, shuffles, matches and reductions are one intrinsic each.
// RUN: %device %s | FileCheck %s
// CHECK-LABEL: define {{.*}} @_Z7barrierPii(
__global__ void barrier(int *p, int v) {
    // CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
    __syncthreads();
    // CHECK: call {{.*}}@llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1
    // CHECK: call {{.*}}@llvm.nvvm.barrier.cta.red.and.aligned.all(i32 0, i1
    // CHECK: call {{.*}}@llvm.nvvm.barrier.cta.red.or.aligned.all(i32 0, i1
    p[0] = __syncthreads_count(v) + __syncthreads_and(v) * 2 + __syncthreads_or(v) * 4;
    // CHECK: call void @llvm.nvvm.bar.warp.sync(i32 -1)
    __syncwarp();
    // CHECK: call void @llvm.nvvm.membar.gl()
    __threadfence();
    // CHECK: call void @llvm.nvvm.membar.cta()
    __threadfence_block();
    // CHECK: call void @llvm.nvvm.membar.sys()
    __threadfence_system();
}
// CHECK-LABEL: define {{.*}} @_Z5votesPji(
__global__ void votes(unsigned *p, int v) {
    // CHECK-DAG: @llvm.nvvm.vote.ballot.sync(i32 -1, i1
    // CHECK-DAG: @llvm.nvvm.vote.any.sync(i32 -1, i1
    // CHECK-DAG: @llvm.nvvm.vote.all.sync(i32 -1, i1
    p[0] = __ballot_sync(~0u, v) + __any_sync(~0u, v) + __all_sync(~0u, v);
    // CHECK: @llvm.nvvm.match.any.sync.i32(
    p[1] = __match_any_sync(~0u, v);
    // CHECK: @llvm.nvvm.redux.sync.add(
    p[2] = __reduce_add_sync(~0u, p[3]);
    // CHECK: [[M:%.*]] = {{.*}}@llvm.nvvm.activemask()
    // CHECK: @llvm.nvvm.vote.ballot.sync(i32 [[M]], i1
    p[4] = __ballot(v);
}
// CHECK-LABEL: define {{.*}} @_Z8shufflesPiPfPdPx(
__global__ void shuffles(int *i, float *f, double *d, long long *l) {
    // CHECK: @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %{{.*}}, i32 3, i32 31)
    i[0] = __shfl_sync(~0u, i[0], 3);
    // CHECK: @llvm.nvvm.shfl.sync.up.f32(i32 -1, float %{{.*}}, i32 1, i32 0)
    f[0] = __shfl_up_sync(~0u, f[0], 1);
    // CHECK: @llvm.nvvm.shfl.sync.down.f32(i32 -1, float %{{.*}}, i32 2, i32 4127)
    f[1] = __shfl_down_sync(~0u, f[1], 2, 16);
    // CHECK: @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %{{.*}}, i32 1, i32 31)
    // CHECK: @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %{{.*}}, i32 1, i32 31)
    d[0] = __shfl_xor_sync(~0u, d[0], 1);
    // CHECK: @llvm.nvvm.activemask()
    // CHECK: @llvm.nvvm.shfl.sync.idx.i32(
    // CHECK: @llvm.nvvm.shfl.sync.idx.i32(
    l[0] = __shfl(l[0], 0);
    // CHECK: ret void
}
