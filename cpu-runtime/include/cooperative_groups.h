/* cooperative_groups.h: groups of threads: block, cluster, grid, tile, coalesced group.
**
** Thin classes over the barriers, votes and shuffles of cucpu/sync.h.  grid_group::sync() and is_valid() call
** functions that the compiler lowers.  Tiles of more than a
** warp meet at barriers of their own (CUCPU_TILES of abi.h), beside those of the block; what they compute together goes through one
** value for each warp in shared memory of the functions' own, not through block_tile_memory. */
#ifndef CUCPU_COOPERATIVE_GROUPS_H
#define CUCPU_COOPERATIVE_GROUPS_H
#define _COOPERATIVE_GROUPS_H_
#include "cuda_runtime.h"

extern "C" __device__ void __cucpu_grid_sync(void);
extern "C" __device__ unsigned __cucpu_cooperative(void);

namespace cooperative_groups {
#define CUCPU_G_ __device__ CUCPU_INLINE_

namespace details {
enum group_id { coalesced_id, grid_id, block_id, cluster_id, multi_id };

/* Any trivially copyable value, 32 bits at a time. */
template <class T_, class Shuffle> CUCPU_G_ T_ by_words(T_ v_, Shuffle shuffle) {
    constexpr int n_ = (sizeof(T_) + 3) / 4;
    unsigned w[n_] = {};
    __builtin_memcpy(w, &v_, sizeof(T_));
#pragma unroll
    for (int i_ = 0; i_ < n_; i_++) w[i_] = shuffle(w[i_]);
    __builtin_memcpy(&v_, w, sizeof(T_));
    return v_;
}
CUCPU_G_ unsigned lane() { return __nvvm_read_ptx_sreg_laneid(); }
CUCPU_G_ unsigned lanes_below() { return __nvvm_read_ptx_sreg_lanemask_lt(); }
CUCPU_G_ unsigned nth_bit(unsigned mask, int n_) {
    for (int i_ = 0; i_ < n_; i_++) mask &= mask - 1;
    return (unsigned)__ffs((int)mask) - 1;
}
CUCPU_G_ unsigned block_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
/* A value for each warp of the block: of the tiles of more than a warp. */
template <class T_> CUCPU_G_ T_ *warp_values() {
    __shared__ __align__(16) unsigned char values[1024 / __CUCPU_WARP_SIZE__ * sizeof(T_)];
    return (T_ *)values;
}
} // namespace details

class thread_block;
class coalesced_group;
class thread_group {
  protected:
    unsigned kind_, size_, mask_, rank_; /* kind: details::group_id */
    unsigned meta_rank_ = 0, meta_size_ = 1;
    CUCPU_G_ thread_group(unsigned kind, unsigned size, unsigned mask, unsigned rank)
        : kind_(kind), size_(size), mask_(mask), rank_(rank) {}

  public:
    CUCPU_G_ unsigned get_type() const { return kind_; }
    CUCPU_G_ unsigned long long size() const;
    CUCPU_G_ unsigned long long num_threads() const { return size(); }
    CUCPU_G_ unsigned long long thread_rank() const;
    CUCPU_G_ bool is_valid() const { return kind_ != details::grid_id || __cucpu_cooperative(); }
    CUCPU_G_ void sync() const {
        if (kind_ == details::grid_id)
            __cucpu_grid_sync();
        else if (kind_ == details::cluster_id)
            __cucpu_cluster_sync();
        else if (kind_ == details::block_id)
            __syncthreads();
        else
            __syncwarp(mask_);
    }
    friend CUCPU_G_ coalesced_group tiled_partition(const thread_group &, unsigned);
};

class thread_block : public thread_group {
  public:
    CUCPU_G_ thread_block()
        : thread_group(details::block_id, blockDim.x * blockDim.y * blockDim.z, ~0u,
                       details::block_rank()) {}
    CUCPU_G_ static void sync() { __syncthreads(); }
    class arrival_token {};
    CUCPU_G_ arrival_token barrier_arrive() const { return arrival_token(); }
    CUCPU_G_ void barrier_wait(arrival_token &&) const { __syncthreads(); }
    CUCPU_G_ static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
    CUCPU_G_ static unsigned num_threads() { return size(); }
    CUCPU_G_ static unsigned thread_rank() { return details::block_rank(); }
    CUCPU_G_ static dim3 group_dim() { return blockDim; }
    CUCPU_G_ static dim3 dim_threads() { return blockDim; }
    CUCPU_G_ static dim3 group_index() { return blockIdx; }
    CUCPU_G_ static dim3 thread_index() { return threadIdx; }
};
CUCPU_G_ thread_block this_thread_block() { return thread_block(); }

class grid_group : public thread_group {
  public:
    CUCPU_G_ grid_group() : thread_group(details::grid_id, 0, ~0u, 0) {}
    CUCPU_G_ bool is_valid() const { return __cucpu_cooperative(); }
    CUCPU_G_ void sync() const { __cucpu_grid_sync(); }
    class arrival_token {};
    CUCPU_G_ arrival_token barrier_arrive() const { return arrival_token(); }
    CUCPU_G_ void barrier_wait(arrival_token &&) const { __cucpu_grid_sync(); }
    CUCPU_G_ static unsigned long long num_blocks() {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    CUCPU_G_ static unsigned long long block_rank() {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    CUCPU_G_ static unsigned long long size() { return num_blocks() * thread_block::size(); }
    CUCPU_G_ static unsigned long long num_threads() { return size(); }
    CUCPU_G_ static unsigned long long thread_rank() {
        return block_rank() * thread_block::size() + details::block_rank();
    }
    CUCPU_G_ static dim3 group_dim() { return gridDim; }
    CUCPU_G_ static dim3 dim_blocks() { return gridDim; }
    CUCPU_G_ static dim3 block_index() { return blockIdx; }
    CUCPU_G_ static unsigned long long num_clusters() {
        dim3 n_ = dim_clusters();
        return (unsigned long long)n_.x * n_.y * n_.z;
    }
    CUCPU_G_ static unsigned long long cluster_rank() {
        dim3 n_ = dim_clusters(), i_ = cluster_index();
        return ((unsigned long long)i_.z * n_.y + i_.y) * n_.x + i_.x;
    }
    CUCPU_G_ static dim3 dim_clusters() { return __clusterGridDimInClusters(); }
    CUCPU_G_ static dim3 cluster_index() { return __clusterIdx(); }
};
CUCPU_G_ grid_group this_grid() { return grid_group(); }
/* More threads than `size_` can hold. */
CUCPU_G_ unsigned long long thread_group::size() const {
    return kind_ == details::grid_id ? grid_group::size() : size_;
}
CUCPU_G_ unsigned long long thread_group::thread_rank() const {
    return kind_ == details::grid_id ? grid_group::thread_rank() : rank_;
}

class cluster_group : public thread_group {
  public:
    CUCPU_G_ cluster_group() : thread_group(details::cluster_id, num_threads(), ~0u, thread_rank()) {}
    CUCPU_G_ static void sync() { __cucpu_cluster_sync(); }
    class arrival_token {};
    CUCPU_G_ static arrival_token barrier_arrive() {
        __cluster_barrier_arrive();
        return arrival_token();
    }
    CUCPU_G_ static void barrier_wait() { __cluster_barrier_wait(); }
    CUCPU_G_ static void barrier_wait(arrival_token &&) { __cluster_barrier_wait(); }
    CUCPU_G_ static unsigned num_blocks() { return __clusterSizeInBlocks(); }
    CUCPU_G_ static unsigned block_rank() { return __clusterRelativeBlockRank(); }
    CUCPU_G_ static dim3 dim_blocks() { return __clusterDim(); }
    CUCPU_G_ static dim3 block_index() { return __clusterRelativeBlockIdx(); }
    CUCPU_G_ static unsigned size() { return num_threads(); }
    CUCPU_G_ static unsigned num_threads() { return num_blocks() * thread_block::size(); }
    CUCPU_G_ static unsigned thread_rank() { return block_rank() * thread_block::size() + details::block_rank(); }
    CUCPU_G_ static dim3 dim_threads() {
        dim3 n_ = dim_blocks();
        return dim3(n_.x * blockDim.x, n_.y * blockDim.y, n_.z * blockDim.z);
    }
    CUCPU_G_ static dim3 thread_index() {
        dim3 i_ = block_index();
        return dim3(i_.x * blockDim.x + threadIdx.x, i_.y * blockDim.y + threadIdx.y, i_.z * blockDim.z + threadIdx.z);
    }
    template <class T_> CUCPU_G_ static T_ *map_shared_rank(T_ *p_, int rank_) {
        return (T_ *)__cluster_map_shared_rank(p_, (unsigned)rank_);
    }
    CUCPU_G_ static unsigned query_shared_rank(const void *p_) { return __cluster_query_shared_rank(p_); }
};
CUCPU_G_ cluster_group this_cluster() { return cluster_group(); }

/* One device only: the grid. */
class multi_grid_group : public grid_group {
  public:
    CUCPU_G_ static unsigned grid_rank() { return 0; }
    CUCPU_G_ static unsigned num_grids() { return 1; }
};
CUCPU_G_ multi_grid_group this_multi_grid() { return multi_grid_group(); }

/* ---- coalesced group: the lanes of a mask ---- */
class coalesced_group : public thread_group {
  public:
    CUCPU_G_ explicit coalesced_group(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1)
        : thread_group(details::coalesced_id, (unsigned)__popc(mask), mask,
                       (unsigned)__popc(mask & details::lanes_below())) {
        meta_rank_ = meta_rank, meta_size_ = meta_size;
    }
    CUCPU_G_ unsigned size() const { return size_; }
    CUCPU_G_ unsigned num_threads() const { return size_; }
    CUCPU_G_ unsigned thread_rank() const { return rank_; }
    CUCPU_G_ unsigned meta_group_rank() const { return meta_rank_; }
    CUCPU_G_ unsigned meta_group_size() const { return meta_size_; }
    CUCPU_G_ unsigned cucpu_mask() const { return mask_; }
    CUCPU_G_ void sync() const { __syncwarp(mask_); }
    CUCPU_G_ int any(int p_) const { return __any_sync(mask_, p_); }
    CUCPU_G_ int all(int p_) const { return __all_sync(mask_, p_); }
    CUCPU_G_ unsigned ballot(int p_) const { return pack(__ballot_sync(mask_, p_)); }
    template <class T_> CUCPU_G_ unsigned match_any(T_ v_) const {
        return pack(__match_any_sync(mask_, v_));
    }
    template <class T_> CUCPU_G_ unsigned match_all(T_ v_, int &pred) const {
        return pack(__match_all_sync(mask_, v_, &pred));
    }
    template <class T_> CUCPU_G_ T_ shfl(T_ v_, unsigned src) const {
        int from = (int)details::nth_bit(mask_, (int)(src % size_)), mask = (int)mask_;
        return details::by_words(v_, [=](unsigned w) { return __shfl_sync((unsigned)mask, w, from); });
    }
    template <class T_> CUCPU_G_ T_ shfl_up(T_ v_, unsigned delta) const {
        T_ other = shfl(v_, rank_ >= delta ? rank_ - delta : rank_);
        return other;
    }
    template <class T_> CUCPU_G_ T_ shfl_down(T_ v_, unsigned delta) const {
        return shfl(v_, rank_ + delta < size_ ? rank_ + delta : rank_);
    }

  private:
    /* The bits of a lane mask at the positions of the group's members. */
    CUCPU_G_ unsigned pack(unsigned lanes) const {
        unsigned r_ = 0, m_ = mask_;
        for (unsigned i_ = 0; i_ < size_; i_++, m_ &= m_ - 1)
            r_ |= (lanes >> (__ffs((int)m_) - 1) & 1) << i_;
        return r_;
    }
};
CUCPU_G_ coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

/* ---- tiles ---- */
template <unsigned N_> class CucpuTile {
  public:
    CUCPU_G_ static constexpr unsigned size() { return N_; }
    CUCPU_G_ static constexpr unsigned num_threads() { return N_; }
    CUCPU_G_ static bool is_valid() { return true; }
    CUCPU_G_ unsigned thread_rank() const { return details::block_rank() % N_; }
    CUCPU_G_ unsigned cucpu_mask() const {
        return N_ >= 32 ? ~0u : (unsigned)((1ull << (N_ & 31)) - 1) << (details::lane() / N_ * N_);
    }
    CUCPU_G_ void sync() const {
        if constexpr (N_ > __CUCPU_WARP_SIZE__)
            __barrier_sync_count(0x10000 + 1024 / N_ - 1 + details::block_rank() / N_, warps() * __CUCPU_WARP_SIZE__);
        else
            __syncwarp(cucpu_mask());
    }
    CUCPU_G_ int any(int p_) const {
        if constexpr (N_ > __CUCPU_WARP_SIZE__)
            return somewhere(p_);
        return __any_sync(cucpu_mask(), p_);
    }
    CUCPU_G_ int all(int p_) const {
        if constexpr (N_ > __CUCPU_WARP_SIZE__)
            return !somewhere(!p_);
        return __all_sync(cucpu_mask(), p_);
    }
    CUCPU_G_ unsigned ballot(int p_) const {
        static_assert(N_ <= __CUCPU_WARP_SIZE__, "ballot needs a tile of at most one warp");
        return __ballot_sync(cucpu_mask(), p_) >> shift();
    }
    /* Tiles of more than a warp.  One thread of each warp may put a value; read gets those of the
    ** tile, by warp, and their number. */
    template <class T_, class Read>
    CUCPU_G_ auto cucpu_meet(T_ v_, bool put, Read read) const -> decltype(read(&v_, 0u)) {
        T_ *values = details::warp_values<T_>();
        if (put) values[details::block_rank() / __CUCPU_WARP_SIZE__] = v_;
        sync();
        auto r_ = read(values + details::block_rank() / N_ * (N_ / __CUCPU_WARP_SIZE__), warps());
        sync();
        return r_;
    }
    template <class T_> CUCPU_G_ unsigned match_any(T_ v_) const {
        return __match_any_sync(cucpu_mask(), v_) >> shift();
    }
    template <class T_> CUCPU_G_ unsigned match_all(T_ v_, int &pred) const {
        return __match_all_sync(cucpu_mask(), v_, &pred) >> shift();
    }
#define CUCPU_TILE_SHFL_(name, Arg)                                                                \
    template <class T_> CUCPU_G_ T_ name(T_ v_, Arg a_) const {                                    \
        static_assert(N_ <= __CUCPU_WARP_SIZE__, #name " needs a tile of at most one warp");       \
        unsigned mask = cucpu_mask();                                                              \
        return details::by_words(                                                                  \
            v_, [=](unsigned w) { return __##name##_sync(mask, w, a_, (int)N_); });                \
    }
    template <class T_> CUCPU_G_ T_ shfl(T_ v_, int a_) const {
        if constexpr (N_ > __CUCPU_WARP_SIZE__) {
            unsigned from = (unsigned)a_ % N_ / __CUCPU_WARP_SIZE__;
            return cucpu_meet(v_, thread_rank() == (unsigned)a_ % N_,
                              [=](const T_ *p_, unsigned) { return p_[from]; });
        } else {
            unsigned mask = cucpu_mask();
            return details::by_words(
                v_, [=](unsigned w) { return __shfl_sync(mask, w, a_, (int)N_); });
        }
    }
    CUCPU_TILE_SHFL_(shfl_up, unsigned)
    CUCPU_TILE_SHFL_(shfl_down, unsigned)
    CUCPU_TILE_SHFL_(shfl_xor, int)
#undef CUCPU_TILE_SHFL_

  private:
    /* Warps of a tile: the last one of a block may be cut off. */
    CUCPU_G_ static unsigned warps() {
        unsigned left = thread_block::size() - details::block_rank() / N_ * N_;
        return ((left < N_ ? left : N_) + __CUCPU_WARP_SIZE__ - 1) / __CUCPU_WARP_SIZE__;
    }
    CUCPU_G_ int somewhere(int p_) const {
        int own = __any_sync(__activemask(), p_);
        return cucpu_meet(own, details::lane() == 0, [](const int *v_, unsigned n_) {
            int found = 0;
            for (unsigned i_ = 0; i_ < n_; i_++) found |= v_[i_];
            return found;
        });
    }
    CUCPU_G_ static unsigned shift() { return N_ >= 32 ? 0 : details::lane() / N_ * N_; }
};
/* A tile counts among those of its parent: the block, or a larger tile. */
template <unsigned N_, class Parent = void> class thread_block_tile : public CucpuTile<N_> {
  public:
    CUCPU_G_ unsigned meta_group_rank() const { return Parent().thread_rank() / N_; }
    CUCPU_G_ unsigned meta_group_size() const { return (Parent().size() + N_ - 1) / N_; }
    CUCPU_G_ operator thread_group() const { return operator coalesced_group(); }
    CUCPU_G_ operator coalesced_group() const {
        static_assert(N_ <= __CUCPU_WARP_SIZE__, "a tile of more than a warp is no thread_group");
        return coalesced_group(this->cucpu_mask(), meta_group_rank(), meta_group_size());
    }
    CUCPU_G_ operator thread_block_tile<N_, void>() const {
        return thread_block_tile<N_, void>(meta_group_rank(), meta_group_size());
    }
};
template <unsigned N_> class thread_block_tile<N_, void> : public CucpuTile<N_> {
    unsigned meta_rank_, meta_size_;

  public:
    CUCPU_G_ thread_block_tile()
        : meta_rank_(details::block_rank() / N_), meta_size_((thread_block::size() + N_ - 1) / N_) {}
    CUCPU_G_ thread_block_tile(unsigned rank, unsigned size) : meta_rank_(rank), meta_size_(size) {}
    CUCPU_G_ unsigned meta_group_rank() const { return meta_rank_; }
    CUCPU_G_ unsigned meta_group_size() const { return meta_size_; }
    CUCPU_G_ operator thread_group() const { return operator coalesced_group(); }
    CUCPU_G_ operator coalesced_group() const {
        static_assert(N_ <= __CUCPU_WARP_SIZE__, "a tile of more than a warp is no thread_group");
        return coalesced_group(this->cucpu_mask(), meta_rank_, meta_size_);
    }
};
template <unsigned N_> struct block_tile_memory { char unused; };
template <unsigned N_> CUCPU_G_ thread_block this_thread_block(block_tile_memory<N_> &) {
    return thread_block();
}

template <unsigned N_, class Parent>
CUCPU_G_ thread_block_tile<N_, Parent> tiled_partition(const Parent &) {
    static_assert(N_ && !(N_ & (N_ - 1)) && N_ <= 1024, "a tile's size is a power of two");
    return thread_block_tile<N_, Parent>();
}
/* A tile of run-time size; another than CUDA has ends the kernel, as there. */
CUCPU_G_ coalesced_group tiled_partition(const thread_group &parent, unsigned n_) {
    if (!n_ || n_ > __CUCPU_WARP_SIZE__ || n_ & (n_ - 1)) __trap();
    if (parent.kind_ == details::coalesced_id) {
        if (parent.size_ <= n_) return coalesced_group(parent.mask_, parent.meta_rank_, parent.meta_size_);
        unsigned first = parent.rank_ / n_ * n_, mask = 0;
        if (parent.size_ == __CUCPU_WARP_SIZE__) /* rank and lane are the same */
            return coalesced_group((n_ >= 32 ? ~0u : (1u << n_) - 1) << first, parent.rank_ / n_,
                                   (parent.size_ + n_ - 1) / n_);
        for (unsigned i_ = first; i_ < first + n_ && i_ < parent.size_; i_++)
            mask |= 1u << details::nth_bit(parent.mask_, (int)i_);
        return coalesced_group(mask, parent.rank_ / n_, (parent.size_ + n_ - 1) / n_);
    }
    unsigned first = details::block_rank() / n_ * n_, left = thread_block::size() - first; /* the last one may be cut off */
    unsigned mask = (left < n_ ? left : n_) >= 32 ? ~0u : (1u << (left < n_ ? left : n_)) - 1;
    return coalesced_group(mask << details::lane() / n_ * n_, details::block_rank() / n_, (thread_block::size() + n_ - 1) / n_);
}
CUCPU_G_ coalesced_group tiled_partition(const coalesced_group &parent, unsigned n_) {
    return tiled_partition((const thread_group &)parent, n_);
}
CUCPU_G_ coalesced_group tiled_partition(const thread_block &parent, unsigned n_) {
    return tiled_partition((const thread_group &)parent, n_);
}
/* Groups count in the order of their first lanes. */
template <class Group, class Label>
CUCPU_G_ coalesced_group labeled_partition(const Group &g_, Label label) {
    unsigned mask = __match_any_sync(g_.cucpu_mask(), label), first = mask & (0 - mask);
    unsigned leaders = __ballot_sync(g_.cucpu_mask(), first == 1u << details::lane());
    return coalesced_group(mask, (unsigned)__popc(leaders & (first - 1)), (unsigned)__popc(leaders));
}
/* Lanes for which p_ does not hold are group 0; one that holds all is the only one. */
template <class Group> CUCPU_G_ coalesced_group binary_partition(const Group &g_, bool p_) {
    unsigned mask = g_.cucpu_mask(), yes = __ballot_sync(mask, p_);
    unsigned own = p_ ? yes : mask & ~yes;
    return own == mask ? coalesced_group(own) : coalesced_group(own, p_, 2);
}
/* As CUDA declares it: the size may be given, binary_partition<8>(tile, p). */
template <unsigned N_, class Parent> CUCPU_G_ coalesced_group binary_partition(const thread_block_tile<N_, Parent> &g_, bool p_) {
    return binary_partition<thread_block_tile<N_, Parent>>(g_, p_);
}
template <class Group> CUCPU_G_ coalesced_group labeled_partition(const Group &g_, bool label) {
    return binary_partition(g_, label);
}
template <class Group, class T_>
CUCPU_G_ coalesced_group labeled_partition(const Group &g_, T_ *label) {
    return labeled_partition(g_, (unsigned long long)label);
}

template <class Group> CUCPU_G_ void sync(const Group &g_) { g_.sync(); }
template <class Group> CUCPU_G_ auto thread_rank(const Group &g_) -> decltype(g_.thread_rank()) { return g_.thread_rank(); }
template <class Group> CUCPU_G_ auto group_size(const Group &g_) -> decltype(g_.size()) { return g_.size(); }

/* ---- operators of reduce and scan ---- */
template <class T_> struct plus {
    CUCPU_G_ T_ operator()(T_ a_, T_ b_) const { return a_ + b_; }
};
template <class T_> struct less {
    CUCPU_G_ T_ operator()(T_ a_, T_ b_) const { return b_ < a_ ? b_ : a_; }
};
template <class T_> struct greater {
    CUCPU_G_ T_ operator()(T_ a_, T_ b_) const { return a_ < b_ ? b_ : a_; }
};
template <class T_> struct bit_and {
    CUCPU_G_ T_ operator()(T_ a_, T_ b_) const { return a_ & b_; }
};
template <class T_> struct bit_or {
    CUCPU_G_ T_ operator()(T_ a_, T_ b_) const { return a_ | b_; }
};
template <class T_> struct bit_xor {
    CUCPU_G_ T_ operator()(T_ a_, T_ b_) const { return a_ ^ b_; }
};

template <class Group, class F_, class... A_>
CUCPU_G_ void invoke_one(const Group &g_, F_ &&f_, A_ &&...a_) {
    if (g_.thread_rank() == 0) f_(static_cast<A_ &&>(a_)...);
}
/* The result of the one call, for every thread. */
template <class Group, class F_, class... A_>
CUCPU_G_ auto invoke_one_broadcast(const Group &g_, F_ &&f_, A_ &&...a_)
    -> decltype(f_(static_cast<A_ &&>(a_)...)) {
    decltype(f_(static_cast<A_ &&>(a_)...)) r_{}; /* passed on by all threads */
    if (g_.thread_rank() == 0) r_ = f_(static_cast<A_ &&>(a_)...);
    return g_.shfl(r_, 0);
}
CUCPU_G_ thread_block_tile<1> this_thread() { return thread_block_tile<1>(); }
#undef CUCPU_G_
} // namespace cooperative_groups
#endif
