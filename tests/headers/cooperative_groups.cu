// RUN: %device %s | FileCheck %s
// RUN: %host %s > /dev/null
// CHECK: define {{.*}}ptx_kernel
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
#include <assert.h>
namespace cg = cooperative_groups;
struct S { virtual __device__ int f(){return 1;} __device__ virtual ~S(){} };
__device__ int sumx(cg::thread_group g, int *t, int v){ int l=g.thread_rank(); for(int i=g.size()/2;i>0;i/=2){ t[l]=v; g.sync(); if(l<i) v+=t[l+i]; g.sync(); } return v; }
__global__ void k(int *p, double *q){ __shared__ int s[64]; cg::thread_block b = cg::this_thread_block(); cg::grid_group g = cg::this_grid(); auto t = cg::tiled_partition<32>(b); cg::thread_block_tile<16> u = cg::tiled_partition<16>(b); auto tt = cg::tiled_partition<4>(t);
 p[0] = cg::reduce(t, p[1], cg::plus<int>()) + u.shfl_down(p[3],2) + tt.meta_group_rank(); q[0] = t.shfl_xor(q[1], 3); cg::sync(b); g.sync(); b.sync(); auto c = cg::coalesced_threads(); p[9]=c.thread_rank()+cg::reduce(c,p[3],cg::greater<int>()); p[4]=cg::inclusive_scan(t,p[5]); cg::memcpy_async(b, s, p, 64); cg::wait(b); p[3]=sumx(b,s,3)+sumx(u,s,3); assert(p[3]>0); S *x = new S; p[8]=x->f(); delete x; auto y = cg::tiled_partition(b, 8); y.sync(); p[11]=g.thread_rank(); int *m = new int[3]; m[p[0]]=1; delete[] m; char buf[64]; memcpy(buf,p,64); memset(p,0,4); cg::thread_group tg = tt; auto lp = cg::labeled_partition(t, p[3]); auto bp = cg::binary_partition(t, p[3]>1);p[3]=lp.size()+bp.size()+tg.size(); }
int main(){ k<<<1,64>>>(0,0); assert(1); }
