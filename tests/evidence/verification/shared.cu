// Warps, CTAs, clusters: votes and shuffles, barriers, trees in shared memory, copies, mbarriers.
#include "twins.cuh"
#include <cuda/barrier>

__device__ inline u32 address_of(const void* shared) { return u32(__cvta_generic_to_shared(shared)); }

// Sums in shared memory. The wrong one leaves out the barrier of the last steps, as before Volta.
// twins tree: 1 4 u32[1] --expect 0=10 => data-race
template <bool Right> __device__ void tree(u32* out) {
    __shared__ u32 parts[4];
    parts[threadIdx.x] = threadIdx.x + 1;
    __syncthreads();
    for (u32 step = 2; step > 0; step /= 2) {
        if (threadIdx.x < step) parts[threadIdx.x] += parts[threadIdx.x + step];
        if (Right || step < 2) __syncthreads();
    }
    if (threadIdx.x == 0) out[0] = parts[0];
}
TWINS(tree, (u32* out), (out))

// The same within a warp.
// twins tree_of_warp: 1 4 u32[1] --expect 0=10 => data-race
template <bool Right> __device__ void tree_of_warp(u32* out) {
    __shared__ u32 parts[4];
    u32 sum = parts[threadIdx.x] = threadIdx.x + 1;
    __syncwarp();
    for (u32 step = 2; step > 0; step /= 2) {
        sum += parts[threadIdx.x ^ step];
        if (Right) __syncwarp();
        parts[threadIdx.x] = sum;
        __syncwarp();
    }
    if (threadIdx.x == 0) out[0] = parts[0];
}
TWINS(tree_of_warp, (u32* out), (out))

// volatile does not order the lanes of a warp.
// twins volatile_warp: 1 2 u32[1] --expect 0=3 => uninitialized-read
template <bool Right> __device__ void volatile_warp(u32* out) {
    __shared__ volatile u32 parts[2];
    parts[threadIdx.x] = threadIdx.x + 1;
    if (Right) __syncwarp();
    if (threadIdx.x == 0) out[0] = parts[0] + parts[1];
}
TWINS(volatile_warp, (u32* out), (out))

// An inclusive scan with one barrier too few in a round.
// twins scan: 1 4 u32[4] --expect 0=1,3,6,10 => data-race
template <bool Right> __device__ void scan(u32* out) {
    __shared__ u32 sums[4];
    u32 sum = sums[threadIdx.x] = threadIdx.x + 1;
    __syncthreads();
    for (u32 step = 1; step < 4; step *= 2) {
        u32 other = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
        if (Right) __syncthreads();
        sum = sums[threadIdx.x] += other;
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}
TWINS(scan, (u32* out), (out))

// One lane writes, the others read behind a vote, which orders no memory.
// twins vote_orders_nothing: 1 2 u32[2] --expect 0=7,0 => data-race
template <bool Right> __device__ void vote_orders_nothing(u32* out) {
    __shared__ u32 data;
    if (threadIdx.x == 0) data = out[1] + 7;
    bool all = __all_sync(3, out[1] == 0);
    if (Right) __syncwarp();
    if (threadIdx.x == 1 && all) out[0] = data;
}
TWINS(vote_orders_nothing, (u32* out), (out))

// Lanes with the same key share one addition.
// twins matched_keys: 1 4 u32[2] --expect 0=2,2 => data-race
template <bool Right> __device__ void matched_keys(u32* bins) {
    u32 key = threadIdx.x % 2, peers = __match_any_sync(0xf, key);
    if (!Right) bins[key] += 1;
    else if (threadIdx.x == __ffs(peers) - 1) atomicAdd(bins + key, __popc(peers));
}
TWINS(matched_keys, (u32* bins), (bins))

// A lock for each lane of a warp: the holder goes on, as lanes are on their own.
// twins lanes_lock: 1 3 u32[1] u32[1] --expect 1=3 => data-race
template <bool Right> __device__ void lanes_lock(u32* lock, u32* count) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            if (Right) fence();
            *count += 1;
            if (Right) fence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}
TWINS(lanes_lock, (u32* lock, u32* count), (lock, count))

// A lane waits for another one of its warp behind a barrier that waits for both.
// twins lane_waits: 1 2 u32[1] u32[1] => barrier-divergence
template <bool Right> __device__ void lane_waits(u32* flag, u32* out) {
    if (threadIdx.x == 0) {
        if (Right) store_release(flag, 1);
        __syncwarp();
        if (!Right) store_release(flag, 1);
    } else {
        while (load_acquire(flag) == 0) {}
        __syncwarp();
        out[0] = 1;
    }
}
TWINS(lane_waits, (u32* flag, u32* out), (flag, out))

// A barrier in a branch that not all threads take.
// twins barrier_in_branch: 1 64 u32[1] => deadlock
template <bool Right> __device__ void barrier_in_branch(u32* out) {
    if (Right || threadIdx.x < 32) asm volatile("barrier.cta.sync 1;" : : : "memory");
    if (threadIdx.x == 0) out[0] = 1;
    asm volatile("barrier.cta.sync 2;" : : : "memory");
}
TWINS(barrier_in_branch, (u32* out), (out))

// Two warps hand a buffer back and forth; the wrong producer does not wait until it is empty.
// twins full_and_empty: 1 64 u32[2] --expect 0=5,6 => deadlock
template <bool Right> __device__ void full_and_empty(u32* out) {
    __shared__ u32 buffer;
    for (u32 at = 0; at < 2; ++at) {
        if (threadIdx.x < 32) {
            if (Right && at > 0) asm volatile("barrier.cta.sync 2, 64;" : : : "memory");
            if (threadIdx.x == 0) buffer = at + 5;
            asm volatile("barrier.cta.arrive 1, 64;" : : : "memory");
        } else {
            asm volatile("barrier.cta.sync 1, 64;" : : : "memory");
            if (threadIdx.x == 32) out[at] = buffer;
            if (Right && at == 0) asm volatile("barrier.cta.arrive 2, 64;" : : : "memory");
        }
    }
}
TWINS(full_and_empty, (u32* out), (out))

// A barrier that reduces says whether all agree; what it says is no lock.
// twins all_agree: 1 2 u32[2] --expect 0=1,1 => data-race
template <bool Right> __device__ void all_agree(u32* out) {
    __shared__ u32 found;
    if (threadIdx.x == 0) found = 0;
    if (Right) {
        __syncthreads();
        if (__syncthreads_or(threadIdx.x == 1)) { if (threadIdx.x == 0) found = 1; }
        __syncthreads();
    } else if (threadIdx.x == 1) found = 1;
    if (!Right) __syncthreads();
    out[threadIdx.x] = found;
}
TWINS(all_agree, (u32* out), (out))

// Two stages of copies: the wrong one waits for one group too few.
// twins two_stages: 1 1 u32[8]=iota u32[2] --expect 1=0,4 => data-race
template <bool Right> __device__ void two_stages(const u32* in, u32* out) {
    __shared__ alignas(16) u32 stage[2][4];
    for (u32 at = 0; at < 2; ++at) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" : : "r"(address_of(stage[at])), "l"(in + 4 * at) : "memory");
        asm volatile("cp.async.commit_group;" : : : "memory");
    }
    asm volatile("cp.async.wait_group 1;" : : : "memory");
    out[0] = stage[0][0];
    if (Right) asm volatile("cp.async.wait_group 0;" : : : "memory");
    out[1] = stage[1][0];
}
TWINS(two_stages, (const u32* in, u32* out), (in, out))

// A stage is overwritten while others still read it.
// twins stage_reused: 1 2 u32[16]=iota u32[2] --expect 1=16,8 => data-race
template <bool Right> __device__ void stage_reused(const u32* in, u32* out) {
    __shared__ alignas(16) u32 stage[2][4];
    u32 sum = 0;
    for (u32 at = 0; at < 2; ++at) {
        const u32* from = in + 8 * at + 4 * threadIdx.x;
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" : : "r"(address_of(stage[threadIdx.x])), "l"(from) : "memory");
        asm volatile("cp.async.wait_all;" : : : "memory");
        __syncthreads();
        sum += stage[1 - threadIdx.x][0];
        if (Right) __syncthreads();
    }
    out[threadIdx.x] = sum;
}
TWINS(stage_reused, (const u32* in, u32* out), (in, out))

// Copies announce themselves at an mbarrier.
// twins copies_arrive: 1 2 u32[8]=iota u32[2] --expect 1=4,0 => data-race
template <bool Right> __device__ void copies_arrive(const u32* in, u32* out) {
    __shared__ alignas(16) u32 buffer[2][4];
    __shared__ u64 barrier;
    u32 at = address_of(&barrier);
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 2;" : : "r"(at) : "memory");
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" : : "r"(address_of(buffer[threadIdx.x])), "l"(in + 4 * threadIdx.x) : "memory");
    if (Right) asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" : : "r"(at) : "memory");
    else asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" : : "r"(at) : "memory");
    u32 done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at) : "memory");
    out[threadIdx.x] = buffer[1 - threadIdx.x][0];
}
TWINS(copies_arrive, (const u32* in, u32* out), (in, out))

__device__ inline void wait_for(u32 barrier, u32 parity) {
    u32 done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(barrier), "r"(parity) : "memory");
}

// Two phases. The wrong consumer waits for the parity of the phase before, which is over.
// twins parity: 1 2 u32[2] --expect 0=5,6 => data-race
template <bool Right> __device__ void parity(u32* out) {
    __shared__ u64 full, empty;
    __shared__ u32 data;
    u32 f = address_of(&full), e = address_of(&empty);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" : : "r"(f) : "memory");
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" : : "r"(e) : "memory");
    }
    __syncthreads();
    for (u32 at = 0; at < 2; ++at) {
        if (threadIdx.x == 0) {
            wait_for(e, 1 - at % 2);
            data = at + 5;
            asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" : : "r"(f) : "memory");
        } else {
            wait_for(f, Right ? at % 2 : 1 - at % 2);
            out[at] = data;
            asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" : : "r"(e) : "memory");
        }
    }
}
TWINS(parity, (u32* out), (out))

// More arrivals are expected than come.
// twins too_many_expected: 1 2 u32[1] --expect 0=7 => deadlock
template <bool Right> __device__ void too_many_expected(u32* out) {
    __shared__ u64 barrier;
    __shared__ u32 data;
    u32 at = address_of(&barrier);
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" : : "r"(at), "r"(Right ? 1 : 2) : "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        data = 7;
        asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" : : "r"(at) : "memory");
    } else {
        wait_for(at, 0);
        out[0] = data;
    }
}
TWINS(too_many_expected, (u32* out), (out))

// A thread that leaves has to say so.
// twins leaves_early: 1 2 u32[1] --expect 0=1 => deadlock
template <bool Right> __device__ void leaves_early(u32* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0) init(&barrier, 2);
    __syncthreads();
    if (threadIdx.x == 1) {
        if (Right) barrier.arrive_and_drop();
        return;
    }
    barrier.arrive_and_wait();
    out[0] = 1;
}
TWINS(leaves_early, (u32* out), (out))

// Arrives and does not wait for the token.
// twins token_unused: 1 2 u32[2] --expect 0=2,1 => data-race
template <bool Right> __device__ void token_unused(u32* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ u32 data[2];
    if (threadIdx.x == 0) init(&barrier, 2);
    __syncthreads();
    data[threadIdx.x] = threadIdx.x + 1;
    auto token = barrier.arrive();
    if (Right) barrier.wait(std::move(token));
    out[threadIdx.x] = data[1 - threadIdx.x];
}
TWINS(token_unused, (u32* out), (out))

// A flag in the shared memory of another CTA of the cluster.
// twins remote_flag: 2 1 u32[1] --cluster 2 --expect 0=7 => data-race
template <bool Right> __device__ void remote_flag(u32* out) {
    __shared__ u32 data, flag;
    cg::cluster_group cluster = cg::this_cluster();
    flag = 0;
    cluster.sync();
    if (cluster.block_rank() == 0) {
        *cluster.map_shared_rank(&data, 1) = 7;
        cuda::atomic_ref<u32, cuda::thread_scope_device> remote(*cluster.map_shared_rank(&flag, 1));
        remote.store(1, Right ? cuda::std::memory_order_release : cuda::std::memory_order_relaxed);
    } else {
        cuda::atomic_ref<u32, cuda::thread_scope_device> own(flag);
        while (own.load(cuda::std::memory_order_acquire) == 0) {}
        out[0] = data;
    }
    cluster.sync();
}
TWINS(remote_flag, (u32* out), (out))

// The same with the scope of a CTA, which is not enough in a cluster.
// twins remote_scope: 2 1 u32[1] --cluster 2 --expect 0=7 => data-race
template <bool Right> __device__ void remote_scope(u32* out) {
    __shared__ u32 data, flag;
    cg::cluster_group cluster = cg::this_cluster();
    flag = 0;
    cluster.sync();
    if (cluster.block_rank() == 0) {
        *cluster.map_shared_rank(&data, 1) = 7;
        u32* remote = cluster.map_shared_rank(&flag, 1);
        if (Right) asm volatile("st.release.cluster.u32 [%0], 1;" : : "l"(remote) : "memory");
        else asm volatile("st.release.cta.u32 [%0], 1;" : : "l"(remote) : "memory");
    } else {
        u32 seen = 0;
        while (!seen) asm volatile("ld.acquire.cluster.u32 %0, [%1];" : "=r"(seen) : "l"(&flag) : "memory");
        out[0] = data;
    }
    cluster.sync();
}
TWINS(remote_scope, (u32* out), (out))

// Arrivals at an mbarrier of another CTA, which has to be there.
// twins remote_arrival: 2 1 u32[1] --cluster 2 --expect 0=7 => mbarrier-misuse
template <bool Right> __device__ void remote_arrival(u32* out) {
    __shared__ u64 barrier;
    __shared__ u32 data;
    cg::cluster_group cluster = cg::this_cluster();
    u32 at = address_of(&barrier), remote;
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" : : "r"(at) : "memory");
    if (Right) cluster.sync();
    if (cluster.block_rank() == 0) {
        *cluster.map_shared_rank(&data, 1) = 7;
        asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(remote) : "r"(at));
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" : : "r"(remote) : "memory");
    } else {
        u32 done = 0;
        while (!done)
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at) : "memory");
        out[0] = data;
    }
    cluster.sync();
}
TWINS(remote_arrival, (u32* out), (out))

// Sums of a cluster in the shared memory of its first CTA.
// twins cluster_sum: 2 2 u32[1] --cluster 2 --expect 0=10 => data-race
template <bool Right> __device__ void cluster_sum(u32* out) {
    __shared__ u32 sum;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) sum = 0;
    cluster.sync();
    u32* first = cluster.map_shared_rank(&sum, 0);
    if (Right) atomicAdd(first, number() + 1);
    else *first += number() + 1;
    cluster.sync();
    if (number() == 0) out[0] = sum;
}
TWINS(cluster_sum, (u32* out), (out))

// A reduction of a CTA by its warps and one more.
// twins warps_then_warp: 1 64 u32[1] --expect 0=2080 => data-race
template <bool Right> __device__ void warps_then_warp(u32* out) {
    __shared__ u32 parts[2];
    u32 sum = __reduce_add_sync(0xffffffff, threadIdx.x + 1);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    if (Right) __syncthreads();
    if (threadIdx.x == 0) out[0] = parts[0] + parts[1];
}
TWINS(warps_then_warp, (u32* out), (out))

// Bins of a CTA that are added to those of the device before all threads have counted.
// twins bins_flushed_early: 2 2 u32[2] --expect 0=2,2 => data-race
template <bool Right> __device__ void bins_flushed_early(u32* bins) {
    __shared__ u32 own[2];
    own[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd_block(own + (threadIdx.x + blockIdx.x) % 2, 1);
    if (Right) __syncthreads();
    atomicAdd(bins + threadIdx.x, own[threadIdx.x]);
}
TWINS(bins_flushed_early, (u32* bins), (bins))

// The elements of vectors of neighbours overlap.
// twins overlapping_vectors: 1 2 u32[8] => data-race
template <bool Right> __device__ void overlapping_vectors(u32* out) {
    u32* at = out + (Right ? 4 : 2) * threadIdx.x;
    if (!Right && threadIdx.x == 1) *reinterpret_cast<uint2*>(at) = make_uint2(1, 2);
    else *reinterpret_cast<uint4*>(at) = make_uint4(1, 2, 3, 4);
}
TWINS(overlapping_vectors, (u32* out), (out))

// Bytes beside each other are no race; a word over them is.
// twins bytes_and_word: 2 1 u8[4] => data-race
template <bool Right> __device__ void bytes_and_word(unsigned char* bytes) {
    if (number() == 0) bytes[1] = 1;
    else if (Right) bytes[2] = 2;
    else *reinterpret_cast<u32*>(bytes) = 5;
}
TWINS(bytes_and_word, (unsigned char* bytes), (bytes))

// A transposed tile that is read before it is whole.
// twins transposed: 1 4 u32[4] u32[4] => data-race
template <bool Right> __device__ void transposed(const u32* in, u32* out) {
    __shared__ u32 tile[2][3];
    u32 x = threadIdx.x % 2, y = threadIdx.x / 2;
    tile[y][x] = in[threadIdx.x];
    if (Right) __syncthreads();
    out[threadIdx.x] = tile[x][y];
}
TWINS(transposed, (const u32* in, u32* out), (in, out))

// A neighbour's element of a stencil, in place or not.
// twins stencil: 2 2 u32[5]=iota u32[5] => data-race
template <bool Right> __device__ void stencil(u32* values, u32* out) {
    u32 at = number();
    (Right ? out : values)[at] = values[at] + values[at + 1];
}
TWINS(stencil, (u32* values, u32* out), (values, out))

// A queue of a CTA in shared memory: one barrier too few between the count and its reset.
// twins frontier: 1 2 u32[4] => data-race
template <bool Right> __device__ void frontier(u32* out) {
    __shared__ u32 count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    for (u32 level = 0; level < 2; ++level) {
        u32 slot = atomicAdd_block(&count, 1);
        out[2 * level + slot] = threadIdx.x;
        __syncthreads();
        u32 all = count;
        if (Right) __syncthreads();
        if (threadIdx.x == 0) count = 0;
        __syncthreads();
        if (all == 0) break;
    }
}
TWINS(frontier, (u32* out), (out))

// A leader's value goes to its lanes by a shuffle, or by memory without a barrier.
// twins broadcast: 1 3 u32[1] u32[3] --expect 1=0,0,0 => data-race
template <bool Right> __device__ void broadcast(u32* count, u32* out) {
    __shared__ u32 slot;
    u32 base = 0;
    if (threadIdx.x == 0) { base = atomicAdd(count, 3); if (!Right) slot = base; }
    if (Right) base = __shfl_sync(7, base, 0);
    else base = slot;
    out[threadIdx.x] = base;
}
TWINS(broadcast, (u32* count, u32* out), (count, out))
