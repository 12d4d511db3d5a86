// Asynchronous copies as users of `cuda::ptx` write them, ours: right (mistake 0), and with one mistake each. The launch and the mistakes are in the comments
// above a kernel.
#include <cooperative_groups.h>
#include <cstdint>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
namespace cg = cooperative_groups;
using u32 = unsigned;
using u64 = uint64_t;

__device__ void initialize(u64* barrier, u32 arrivals) {
    ptx::mbarrier_init(barrier, arrivals);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
}

__device__ void expect(u64* barrier, u32 bytes) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier, bytes);
}

__device__ void load(void* tile, const u32* from, u32 bytes, u64* barrier) {
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, from, bytes, barrier);
}

__device__ void wait(u64* barrier, u32 parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity)) {}
}

__device__ void wait_in_cluster(u64* barrier, u32 parity) {
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, barrier, parity)) {}
}

// A tile is loaded, changed and stored.
// check in_out: --block 3 --arg 0=u32[16]=iota --arg 1=u32[16] --expect 1=1,2,3,3
// 1: no wait for the load
// 2: a wait for the other parity
// 3: no `fence.proxy.async` before the store
// 4: no barrier after the initialization
// 5: no barrier before the store
// 6: no wait for the store
// 7: a wait for the store in its own thread, before others overwrite the tile
template <int mistake> __global__ void in_out(const u32* in, u32* out) {
    __shared__ alignas(16) u32 tile[16];
    __shared__ u64 full;
    if (threadIdx.x == 0) initialize(&full, 1);
    if (mistake != 4) __syncthreads();
    if (threadIdx.x == 0) {
        load(tile, in, 64, &full);
        expect(&full, 64);
    }
    if (mistake != 1) wait(&full, mistake == 2 ? 1 : 0);
    tile[threadIdx.x] += 1;
    if (mistake != 3) ptx::fence_proxy_async(ptx::space_shared);
    if (mistake != 5) __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, 64);
        ptx::cp_async_bulk_commit_group();
        if (mistake != 6) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
    if (mistake == 7) tile[threadIdx.x] = 0;
}

// A warp loads two stages for another one.
// check stages: --block 64 --arg 0=u32[16]=iota --arg 1=u32[32] --arg 2=s32=3
// 1: the wait for an empty stage has the parity of a full one
// 2: more bytes are expected than copied
// 3: no wait for a full stage
// 4: relaxed arrivals hand stages back
template <int mistake> __global__ void stages(const u32* in, u32* out, int rounds) {
    __shared__ alignas(16) u32 tile[2][4];
    __shared__ u64 full[2], empty[2];
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < 2; stage++) {
            initialize(&full[stage], 1);
            initialize(&empty[stage], 32);
        }
    }
    __syncthreads();
    if (threadIdx.x > 32) return;
    u32 sum = 0;
    for (int round = 0; round < rounds; round++) {
        int stage = round % 2, parity = (round / 2) & 1;
        if (threadIdx.x == 32) {
            wait(&empty[stage], mistake == 1 ? parity : parity ^ 1);
            expect(&full[stage], mistake == 2 ? 32 : 16);
            load(tile[stage], in + 4 * round, 16, &full[stage]);
        } else {
            if (mistake != 3) wait(&full[stage], parity);
            sum += tile[stage][threadIdx.x % 4];
            if (mistake == 4) ptx::mbarrier_arrive(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_shared, &empty[stage]);
            else ptx::mbarrier_arrive(&empty[stage]);
        }
    }
    if (threadIdx.x < 32) out[threadIdx.x] = sum;
}

// Each CTA of a cluster stores into the other one.
// check exchange: --grid 2 --cluster 2 --block 2 --arg 0=u32[4] --expect 0=10,11,0,1
// 1: no barrier after the initialization
// 2: more bytes are expected than stored
// 3: no wait for what the other one stores
template <int mistake> __global__ void __cluster_dims__(2) exchange(u32* out) {
    __shared__ alignas(8) u32 box[2];
    __shared__ u64 full;
    auto cluster = cg::this_cluster();
    u32 rank = cluster.block_rank(), lane = threadIdx.x;
    if (lane == 0) {
        initialize(&full, 1);
        expect(&full, mistake == 2 ? 12 : 8);
    }
    if (mistake != 1) cluster.sync();
    ptx::st_async(cluster.map_shared_rank(box, rank ^ 1) + lane, rank * 10 + lane, cluster.map_shared_rank(&full, rank ^ 1));
    if (mistake != 3) wait_in_cluster(&full, 0);
    out[rank * 2 + lane] = box[lane];
}

// One of two CTAs loads for both in turn; consumers hand the tile back to both.
// check both: --grid 2 --cluster 2 --block 2 --arg 0=u32[12]=iota --arg 1=u32[2] --arg 2=s32=3 --expect 1=12,15
// 1: no wait for empty tiles
// 2: consumers hand the tile back to their own CTA alone
// 3: relaxed arrivals hand tiles back
// 4: a CTA may end before the other one has arrived at its mbarriers
// 5: a copy for one CTA alone
template <int mistake> __global__ void __cluster_dims__(2) both(const u32* in, u32* out, int rounds) {
    __shared__ alignas(16) u32 tile[4];
    __shared__ u64 full, empty;
    auto cluster = cg::this_cluster();
    u32 rank = cluster.block_rank();
    if (threadIdx.x == 0) {
        initialize(&full, 1);
        initialize(&empty, mistake == 2 ? 1 : 2);
    }
    cluster.sync();
    u32 sum = 0;
    for (int round = 0; round < rounds; round++) {
        if (threadIdx.x == 0) {
            if (mistake != 1) wait_in_cluster(&empty, (round & 1) ^ 1);
            expect(&full, 16);
            if (rank != (round & 1)) continue;
            if (mistake == 5) load(tile, in + 4 * round, 16, &full);
            else ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in + 4 * round, 16, &full, uint16_t(3));
        } else {
            wait(&full, round & 1);
            sum += tile[rank];
            for (u32 other = 0; other < 2; other++) {
                if (mistake == 2 && other != rank) continue;
                u64* barrier = cluster.map_shared_rank(&empty, other);
                if (mistake == 3) ptx::mbarrier_arrive(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_cluster, barrier);
                else ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, barrier);
            }
        }
    }
    if (threadIdx.x == 1) out[rank] = sum;
    if (mistake != 4) cluster.sync();
}

// CTAs add their tiles, and the last one reads the sums.
// check sums: --grid 2 --block 4 --arg 0=u32[5] --arg 1=u32[1] --expect 0=3,5,7,9,24
// 1: no `fence.proxy.async` before the copy
// 2: a wait for the reads of the copy, not for its end
template <int mistake> __global__ void sums(u32* out, u32* count) {
    __shared__ alignas(16) u32 tile[4];
    tile[threadIdx.x] = threadIdx.x + 1 + blockIdx.x;
    if (mistake != 1) ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x != 0) return;
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, out, tile, 16);
    ptx::cp_async_bulk_commit_group();
    if (mistake == 2) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    else ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    __threadfence();
    if (atomicAdd(count, 1) != gridDim.x - 1) return;
    __threadfence();
    u32 sum = 0;
    for (int at = 0; at < 4; at++) sum += ((volatile u32*)out)[at];
    out[4] = sum;
}

// Two warps take turns by named barriers.
// check turns: --block 64 --arg 0=u32[1] --arg 1=s32=2 --expect 0=26
// 1: nobody begins
template <int mistake> __global__ void turns(u32* out, int rounds) {
    __shared__ u32 sum;
    u32 warp = threadIdx.x / 32;
    if (threadIdx.x == 0) sum = 1;
    __syncthreads();
    if (warp == 0 && mistake != 1) asm volatile("bar.arrive 1, 64;" ::: "memory");
    for (int round = 0; round < rounds; round++) {
        if (warp == 0) asm volatile("bar.sync 2, 64;" ::: "memory");
        else asm volatile("bar.sync 1, 64;" ::: "memory");
        if (threadIdx.x % 32 == 0) sum = sum * 2 + warp;
        if (warp == 1) asm volatile("bar.arrive 2, 64;" ::: "memory");
        else if (round + 1 < rounds) asm volatile("bar.arrive 1, 64;" ::: "memory");
    }
    if (threadIdx.x == 0) *out = sum;
}

// An epilogue with two buffers: a tile is filled while the copy of the one before still reads its own.
// check epilogue: --block 2 --arg 0=u32[16] --arg 1=s32=3 --expect 0=0,1,2,3,10,11,12,13,20,21,22,23
// 1: a tile is filled again before its copy has read it
// 2: one copy too many may still read
// 3: no `fence.proxy.async` before the copy
// 4: no barrier before the copy
// 5: no barrier after the wait of the thread that copies
// 6: no wait at the end
// 7: a copy is not committed
template <int mistake> __global__ void epilogue(u32* out, int rounds) {
    __shared__ alignas(16) u32 tile[2][4];
    for (int round = 0; round < rounds; round++) {
        u32* own = tile[round & 1];
        if (threadIdx.x == 0 && mistake != 1) {
            if (mistake == 2) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<2>());
            else ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>());
        }
        if (mistake != 5) __syncthreads();
        for (int at = 0; at < 2; at++) own[2 * threadIdx.x + at] = 10 * round + 2 * threadIdx.x + at;
        if (mistake != 3) ptx::fence_proxy_async(ptx::space_shared);
        if (mistake != 4) __syncthreads();
        if (threadIdx.x == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + 4 * round, own, 16);
            if (mistake != 7 || round != 1) ptx::cp_async_bulk_commit_group();
        }
    }
    if (threadIdx.x == 0 && mistake != 6) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
}

// As in attention: a query that is loaded once, and keys and values that each have mbarriers of their own. The last thread loads for the others.
// check attention: --block 5 --arg 0=u32[32]=iota --arg 1=u32[4] --arg 2=s32=2
// 1: no wait for the query
// 2: the wait for values is one for keys
// 3: values are loaded without a wait for those before
// 4: keys are handed back before they are read
// 5: one lane arrives for all that read
// 6: the parity of the second round is that of the first
template <int mistake> __global__ void attention(const u32* in, u32* out, int rounds) {
    __shared__ alignas(16) u32 query[4], keys[4], values[4];
    __shared__ u64 full[3], empty[2];
    u32 last = blockDim.x - 1;
    if (threadIdx.x == 0) {
        for (int at = 0; at < 3; at++) initialize(&full[at], 1);
        for (int at = 0; at < 2; at++) initialize(&empty[at], last);
    }
    __syncthreads();
    if (threadIdx.x == last) {
        expect(&full[0], 16);
        load(query, in, 16, &full[0]);
        for (int round = 0; round < rounds; round++) {
            if (round > 0) wait(&empty[0], round + 1 & 1);
            expect(&full[1], 16);
            load(keys, in + 4 + 8 * round, 16, &full[1]);
            if (round > 0 && mistake != 3) wait(&empty[1], round + 1 & 1);
            expect(&full[2], 16);
            load(values, in + 8 + 8 * round, 16, &full[2]);
        }
    } else {
        u32 sum = 0;
        if (mistake != 1) wait(&full[0], 0);
        for (int round = 0; round < rounds; round++) {
            u32 parity = mistake == 6 ? 0 : round & 1;
            wait(&full[1], parity);
            if (mistake == 4) ptx::mbarrier_arrive(&empty[0]);
            u32 score = query[threadIdx.x & 3] * keys[threadIdx.x & 3];
            if (mistake != 4) ptx::mbarrier_arrive(&empty[0]);
            wait(mistake == 2 ? &full[1] : &full[2], parity);
            sum += score * values[threadIdx.x & 3];
            if (mistake != 5) ptx::mbarrier_arrive(&empty[1]);
            else if (threadIdx.x == 0) for (int lane = 0; lane < last; lane++) ptx::mbarrier_arrive(&empty[1]);
        }
        out[threadIdx.x] = sum;
    }
}

template __global__ void in_out<0>(const u32*, u32*);
template __global__ void in_out<1>(const u32*, u32*);
template __global__ void in_out<2>(const u32*, u32*);
template __global__ void in_out<3>(const u32*, u32*);
template __global__ void in_out<4>(const u32*, u32*);
template __global__ void in_out<5>(const u32*, u32*);
template __global__ void in_out<6>(const u32*, u32*);
template __global__ void in_out<7>(const u32*, u32*);
template __global__ void stages<0>(const u32*, u32*, int);
template __global__ void stages<1>(const u32*, u32*, int);
template __global__ void stages<2>(const u32*, u32*, int);
template __global__ void stages<3>(const u32*, u32*, int);
template __global__ void stages<4>(const u32*, u32*, int);
template __global__ void exchange<0>(u32*);
template __global__ void exchange<1>(u32*);
template __global__ void exchange<2>(u32*);
template __global__ void exchange<3>(u32*);
template __global__ void both<0>(const u32*, u32*, int);
template __global__ void both<1>(const u32*, u32*, int);
template __global__ void both<2>(const u32*, u32*, int);
template __global__ void both<3>(const u32*, u32*, int);
template __global__ void both<4>(const u32*, u32*, int);
template __global__ void both<5>(const u32*, u32*, int);
template __global__ void sums<0>(u32*, u32*);
template __global__ void sums<1>(u32*, u32*);
template __global__ void sums<2>(u32*, u32*);
template __global__ void turns<0>(u32*, int);
template __global__ void turns<1>(u32*, int);
template __global__ void epilogue<0>(u32*, int);
template __global__ void epilogue<1>(u32*, int);
template __global__ void epilogue<2>(u32*, int);
template __global__ void epilogue<3>(u32*, int);
template __global__ void epilogue<4>(u32*, int);
template __global__ void epilogue<5>(u32*, int);
template __global__ void epilogue<6>(u32*, int);
template __global__ void epilogue<7>(u32*, int);
template __global__ void attention<0>(const u32*, u32*, int);
template __global__ void attention<1>(const u32*, u32*, int);
template __global__ void attention<2>(const u32*, u32*, int);
template __global__ void attention<3>(const u32*, u32*, int);
template __global__ void attention<4>(const u32*, u32*, int);
template __global__ void attention<5>(const u32*, u32*, int);
template __global__ void attention<6>(const u32*, u32*, int);
