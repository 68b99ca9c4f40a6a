/* sync.h: block and warp barriers, fences, votes, shuffles, matches, warp reductions.
**
** Each is one NVVM intrinsic (64-bit shuffles two).  The functions without _sync are those of
** CUDA before 9: the same with the full mask of the threads that reach them. */
#ifndef CUCPU_SYNC_H
#define CUCPU_SYNC_H
#include "defs.h"

/* __syncthreads() itself is a clang builtin. */
CUCPU_D int __syncthreads_count(int p_) { return __nvvm_bar0_popc(p_); }
CUCPU_D int __syncthreads_and(int p_) { return __nvvm_bar0_and(p_); }
CUCPU_D int __syncthreads_or(int p_) { return __nvvm_bar0_or(p_); }
CUCPU_D void __barrier_sync(unsigned id) { __nvvm_barrier_sync(id); }
CUCPU_D void __barrier_sync_count(unsigned id, unsigned n_) { __nvvm_barrier_sync_cnt(id, n_); }
CUCPU_D void __syncwarp(unsigned mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }

CUCPU_D void __threadfence(void) { __nvvm_membar_gl(); }
CUCPU_D void __threadfence_block(void) { __nvvm_membar_cta(); }
CUCPU_D void __threadfence_system(void) { __nvvm_membar_sys(); }

/* ---- clusters of blocks ---- */
extern "C" {
__device__ void __cucpu_cluster_sync(void);
__device__ void __cucpu_cluster_arrive(void);
__device__ void __cucpu_cluster_wait(void);
__device__ unsigned __cucpu_cluster_blocks_x(void), __cucpu_cluster_blocks_y(void), __cucpu_cluster_blocks_z(void);
__device__ unsigned __cucpu_cluster_place_x(void), __cucpu_cluster_place_y(void), __cucpu_cluster_place_z(void);
__device__ unsigned __cucpu_cluster_count_x(void), __cucpu_cluster_count_y(void), __cucpu_cluster_count_z(void);
__device__ unsigned __cucpu_cluster_id_x(void), __cucpu_cluster_id_y(void), __cucpu_cluster_id_z(void);
__device__ unsigned __cucpu_cluster_rank(void), __cucpu_cluster_size(void), __cucpu_cluster_is_set(void);
__device__ void *__cucpu_cluster_map(const void *p_, unsigned rank_);
__device__ unsigned __cucpu_cluster_rank_of(const void *p_);
__device__ unsigned __cucpu_cluster_is_shared(const void *p_);
}
#define CUCPU_CLUSTER_DIM_(name, part)                                                             \
    CUCPU_D dim3 name(void) {                                                                      \
        return dim3(__cucpu_cluster_##part##_x(), __cucpu_cluster_##part##_y(),                    \
                    __cucpu_cluster_##part##_z());                                                 \
    }
CUCPU_CLUSTER_DIM_(__clusterDim, blocks)
CUCPU_CLUSTER_DIM_(__clusterRelativeBlockIdx, place)
CUCPU_CLUSTER_DIM_(__clusterGridDimInClusters, count)
CUCPU_CLUSTER_DIM_(__clusterIdx, id)
#undef CUCPU_CLUSTER_DIM_
CUCPU_D unsigned __clusterDimIsSpecified(void) { return __cucpu_cluster_is_set(); }
CUCPU_D unsigned __clusterRelativeBlockRank(void) { return __cucpu_cluster_rank(); }
CUCPU_D unsigned __clusterSizeInBlocks(void) { return __cucpu_cluster_size(); }
CUCPU_D void __cluster_barrier_arrive(void) { __cucpu_cluster_arrive(); }
CUCPU_D void __cluster_barrier_arrive_relaxed(void) { __cucpu_cluster_arrive(); }
CUCPU_D void __cluster_barrier_wait(void) { __cucpu_cluster_wait(); }
CUCPU_D void __threadfence_cluster(void) { __nvvm_membar_gl(); }
CUCPU_D void *__cluster_map_shared_rank(const void *p_, unsigned rank_) { return __cucpu_cluster_map(p_, rank_); }
CUCPU_D unsigned __cluster_query_shared_rank(const void *p_) { return __cucpu_cluster_rank_of(p_); }
CUCPU_D unsigned __isClusterShared(const void *p_) { return __cucpu_cluster_is_shared(p_); }

CUCPU_D unsigned __activemask(void) { return __nvvm_activemask(); }
CUCPU_D int __all_sync(unsigned mask, int p_) { return __nvvm_vote_all_sync(mask, p_ != 0); }
CUCPU_D int __any_sync(unsigned mask, int p_) { return __nvvm_vote_any_sync(mask, p_ != 0); }
CUCPU_D int __uni_sync(unsigned mask, int p_) { return __nvvm_vote_uni_sync(mask, p_ != 0); }
CUCPU_D unsigned __ballot_sync(unsigned mask, int p_) {
    return __nvvm_vote_ballot_sync(mask, p_ != 0);
}
CUCPU_D int __all(int p_) { return __nvvm_vote_all_sync(__nvvm_activemask(), p_ != 0); }
CUCPU_D int __any(int p_) { return __nvvm_vote_any_sync(__nvvm_activemask(), p_ != 0); }
CUCPU_D unsigned __ballot(int p_) { return __nvvm_vote_ballot_sync(__nvvm_activemask(), p_ != 0); }

/* ---- shuffles: i32, f32 directly, everything else as one or two i32 ---- */
#define CUCPU_SHFL_OF_(name, T, Lane, ...)                                                         \
    CUCPU_D T name##_sync(unsigned mask, T v_, Lane l_, int w = __CUCPU_WARP_SIZE__)               \
        CUCPU_BODY_(__VA_ARGS__)
#define CUCPU_SHFL_(name, kind, Lane, clamp)                                                       \
    CUCPU_SHFL_OF_(name, int, Lane,                                                                \
                   return __nvvm_shfl_sync_##kind##_i32(                                           \
                       mask, v_, l_, ((__CUCPU_WARP_SIZE__ - w) << 8) | (clamp));)                 \
    CUCPU_SHFL_OF_(name, float, Lane,                                                              \
                   return __nvvm_shfl_sync_##kind##_f32(                                           \
                       mask, v_, l_, ((__CUCPU_WARP_SIZE__ - w) << 8) | (clamp));)                 \
    CUCPU_SHFL_OF_(name, unsigned, Lane, return (unsigned)name##_sync(mask, (int)v_, l_, w);)      \
    CUCPU_SHFL_OF_(name, long long, Lane,                                                          \
                   unsigned lo = (unsigned)name##_sync(mask, (int)v_, l_, w);                      \
                   unsigned hi = (unsigned)name##_sync(mask, (int)(v_ >> 32), l_, w);              \
                   return (long long)((unsigned long long)hi << 32 | lo);)                         \
    CUCPU_SHFL_OF_(name, unsigned long long, Lane,                                                 \
                   return (unsigned long long)name##_sync(mask, (long long)v_, l_, w);)            \
    CUCPU_SHFL_OF_(name, long, Lane, return (long)name##_sync(mask, (long long)v_, l_, w);)        \
    CUCPU_SHFL_OF_(name, unsigned long, Lane,                                                      \
                   return (unsigned long)name##_sync(mask, (long long)v_, l_, w);)                 \
    CUCPU_SHFL_OF_(name, double, Lane,                                                             \
                   long long bits = name##_sync(mask, __builtin_bit_cast(long long, v_), l_, w);   \
                   return __builtin_bit_cast(double, bits);)                                       \
    template <typename T_>                                                                         \
    CUCPU_D auto name(T_ v_, Lane l_, int w = __CUCPU_WARP_SIZE__)                                 \
        ->decltype(name##_sync(0u, v_, l_, w)) {                                                   \
        return name##_sync(__nvvm_activemask(), v_, l_, w);                                        \
    }
CUCPU_SHFL_(__shfl, idx, int, __CUCPU_WARP_SIZE__ - 1)
CUCPU_SHFL_(__shfl_up, up, unsigned, 0)
CUCPU_SHFL_(__shfl_down, down, unsigned, __CUCPU_WARP_SIZE__ - 1)
CUCPU_SHFL_(__shfl_xor, bfly, int, __CUCPU_WARP_SIZE__ - 1)
#undef CUCPU_SHFL_
#undef CUCPU_SHFL_OF_

/* ---- match ---- */
CUCPU_D unsigned __match_any_sync(unsigned mask, unsigned v_) {
    return __nvvm_match_any_sync_i32(mask, v_);
}
CUCPU_D unsigned __match_any_sync(unsigned mask, unsigned long long v_) {
    return __nvvm_match_any_sync_i64(mask, (long long)v_);
}
CUCPU_D unsigned __match_all_sync(unsigned mask, unsigned v_, int *pred) {
    return __nvvm_match_all_sync_i32p(mask, v_, pred);
}
CUCPU_D unsigned __match_all_sync(unsigned mask, unsigned long long v_, int *pred) {
    return __nvvm_match_all_sync_i64p(mask, (long long)v_, pred);
}
#define CUCPU_MATCH_(T, Bits)                                                                      \
    CUCPU_D unsigned __match_any_sync(unsigned mask, T v_) {                                       \
        return __match_any_sync(mask, __builtin_bit_cast(Bits, v_));                               \
    }                                                                                              \
    CUCPU_D unsigned __match_all_sync(unsigned mask, T v_, int *pred) {                            \
        return __match_all_sync(mask, __builtin_bit_cast(Bits, v_), pred);                         \
    }
CUCPU_MATCH_(int, unsigned)
CUCPU_MATCH_(float, unsigned)
CUCPU_MATCH_(long, unsigned long long)
CUCPU_MATCH_(unsigned long, unsigned long long)
CUCPU_MATCH_(long long, unsigned long long)
CUCPU_MATCH_(double, unsigned long long)
#undef CUCPU_MATCH_

/* ---- reductions over the lanes of a mask ---- */
CUCPU_D unsigned __reduce_add_sync(unsigned m_, unsigned v_) { return __nvvm_redux_sync_add((int)v_, (int)m_); }
CUCPU_D unsigned __reduce_min_sync(unsigned m_, unsigned v_) { return __nvvm_redux_sync_umin(v_, (int)m_); }
CUCPU_D unsigned __reduce_max_sync(unsigned m_, unsigned v_) { return __nvvm_redux_sync_umax(v_, (int)m_); }
CUCPU_D unsigned __reduce_and_sync(unsigned m_, unsigned v_) { return __nvvm_redux_sync_and((int)v_, (int)m_); }
CUCPU_D unsigned __reduce_or_sync(unsigned m_, unsigned v_) { return __nvvm_redux_sync_or((int)v_, (int)m_); }
CUCPU_D unsigned __reduce_xor_sync(unsigned m_, unsigned v_) { return __nvvm_redux_sync_xor((int)v_, (int)m_); }
CUCPU_D int __reduce_add_sync(unsigned m_, int v_) { return __nvvm_redux_sync_add(v_, (int)m_); }
CUCPU_D int __reduce_min_sync(unsigned m_, int v_) { return __nvvm_redux_sync_min(v_, (int)m_); }
CUCPU_D int __reduce_max_sync(unsigned m_, int v_) { return __nvvm_redux_sync_max(v_, (int)m_); }
#endif
