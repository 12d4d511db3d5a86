// Cooperative groups, libcu++'s barriers, pipelines, semaphores and atomics, CUB's block algorithms, half and bfloat16, compiled by nvcc.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_histogram.cuh>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

namespace cg = cooperative_groups;
typedef unsigned u32;
typedef unsigned long long u64;

__device__ u32 mixed(u32 x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ (x >> 16); }

extern "C" __global__ void tile_reduce(const int *in, int *out)
{
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int x = in[threadIdx.x];
    int sum = cg::reduce(tile, x, cg::plus<int>()), least = cg::reduce(tile, x, cg::less<int>()), most = cg::reduce(tile, x, cg::greater<int>());
    if (tile.thread_rank() == 0) { out[3 * tile.meta_group_rank()] = sum; out[3 * tile.meta_group_rank() + 1] = least; out[3 * tile.meta_group_rank() + 2] = most; }
}

extern "C" __global__ void tile_scan(const u32 *in, u32 *out)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    u32 x = in[threadIdx.x];
    out[2 * threadIdx.x] = cg::inclusive_scan(tile, x, cg::plus<u32>());
    out[2 * threadIdx.x + 1] = cg::exclusive_scan(tile, x, cg::bit_xor<u32>());
}

// One atomic for the lanes that are together.
extern "C" __global__ void aggregated(const u32 *in, u32 *counter, u32 *out)
{
    u32 x = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (x % 3 == 0) {
        auto group = cg::coalesced_threads();
        u32 first = 0;
        if (group.thread_rank() == 0) first = atomicAdd(counter, group.size());
        out[group.shfl(first, 0) + group.thread_rank()] = x;
    }
}

extern "C" __global__ void labeled(const u32 *in, u32 *out)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    u32 x = in[threadIdx.x] % 5;
    auto group = cg::labeled_partition(tile, x);
    out[threadIdx.x] = cg::reduce(group, (u32)threadIdx.x, cg::plus<u32>()) + 1000 * group.thread_rank();
}

// A histogram whose bins are spread over the shared memory of a cluster.
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_histogram(const u32 *in, u32 *bins, u32 n)
{
    __shared__ u32 local[8];
    auto cluster = cg::this_cluster();
    if (threadIdx.x < 8) local[threadIdx.x] = 0;
    cluster.sync();
    for (u32 i = cluster.thread_rank() + blockIdx.x / 2 * 2 * blockDim.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(cluster.map_shared_rank(local, in[i] / 8 % 2) + in[i] % 8, 1);
    cluster.sync();
    if (threadIdx.x < 8) atomicAdd(bins + cluster.block_rank() * 8 + threadIdx.x, local[threadIdx.x]);
}

// Two halves of a block hand buffers to each other through barriers that only some arrive at.
extern "C" __global__ void producer_consumer(const u32 *in, u32 *out, u32 rounds)
{
    __shared__ u32 buffer[2][32];
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ Barrier ready[2], filled[2];
    auto block = cg::this_thread_block();
    if (threadIdx.x < 2) { init(ready + threadIdx.x, 64); init(filled + threadIdx.x, 64); }
    block.sync();
    if (threadIdx.x < 32) {
        for (u32 i = 0; i < rounds; i++) {
            ready[i % 2].arrive_and_wait();
            buffer[i % 2][threadIdx.x] = in[i * 32 + threadIdx.x] * 3;
            (void)filled[i % 2].arrive();
        }
    } else {
        u32 sum = 0;
        (void)ready[0].arrive();
        (void)ready[1].arrive();
        for (u32 i = 0; i < rounds; i++) {
            filled[i % 2].arrive_and_wait();
            sum = sum * 5 + buffer[i % 2][63 - threadIdx.x];
            (void)ready[i % 2].arrive();
        }
        out[threadIdx.x - 32] = sum;
    }
}

extern "C" __global__ void pipeline_sum(const u32 *in, u32 *out, u32 batches)
{
    __shared__ __align__(16) u32 stage[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    u32 sum = 0;
    for (u32 fetched = 0, used = 0; used < batches; used++) {
        for (; fetched < batches && fetched < used + 2; fetched++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, stage[fetched % 2], in + fetched * 64, cuda::aligned_size_t<16>(sizeof(u32) * 64), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += stage[used % 2][(threadIdx.x * 7) % 64] * (used + 1);
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}

// A bulk copy into shared memory that a barrier counts, and one back.
extern "C" __global__ void bulk_copies(const u32 *in, u32 *out)
{
    __shared__ __align__(128) u32 tile[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0) { init(&barrier, blockDim.x); cuda::device::experimental::fence_proxy_async_shared_cta(); }
    __syncthreads();
    cuda::barrier<cuda::thread_scope_block>::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::device::experimental::cp_async_bulk_global_to_shared(tile, in + blockIdx.x * 64, sizeof(tile), barrier);
        token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof(tile));
    } else token = barrier.arrive();
    barrier.wait(std::move(token));
    tile[threadIdx.x] = tile[threadIdx.x] * 2 + 1;
    cuda::device::experimental::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::device::experimental::cp_async_bulk_shared_to_global(out + blockIdx.x * 64, tile, sizeof(tile));
        cuda::device::experimental::cp_async_bulk_commit_group();
        cuda::device::experimental::cp_async_bulk_wait_group_read<0>();
    }
}

__device__ cuda::counting_semaphore<cuda::thread_scope_device, 2> slots(2);
__device__ u32 inside;
extern "C" __global__ void semaphore(u32 *most, u32 *count)
{
    if (threadIdx.x) return;
    for (int i = 0; i < 3; i++) {
        slots.acquire();
        atomicMax(most, atomicAdd(&inside, 1) + 1);
        atomicAdd(count, 1);
        atomicSub(&inside, 1);
        slots.release();
    }
}

extern "C" __global__ void atomic_refs(float *floats, u64 *longs, u32 *words)
{
    u32 t = blockIdx.x * blockDim.x + threadIdx.x;
    cuda::atomic_ref<float, cuda::thread_scope_device> sum(floats[0]);
    sum.fetch_add((float)(t % 8), cuda::memory_order_relaxed);
    cuda::atomic_ref<u64, cuda::thread_scope_device> largest(longs[0]);
    largest.fetch_max((u64)mixed(t) << 20);
    cuda::atomic_ref<u32, cuda::thread_scope_block> own(words[blockIdx.x]);
    own.fetch_xor(mixed(t), cuda::memory_order_acq_rel);
    cuda::atomic_ref<u32, cuda::thread_scope_system> product(words[8]);
    u32 old = product.load(cuda::memory_order_acquire);
    while (!product.compare_exchange_weak(old, old * 3, cuda::memory_order_release, cuda::memory_order_relaxed)) {}
}

extern "C" __global__ void latch(u32 *out)
{
    __shared__ cuda::latch<cuda::thread_scope_block> *done;
    __shared__ alignas(16) unsigned char room[sizeof(cuda::latch<cuda::thread_scope_block>)];
    __shared__ u32 sum;
    if (threadIdx.x == 0) { done = new (room) cuda::latch<cuda::thread_scope_block>(blockDim.x - 32); sum = 0; }
    __syncthreads();
    if (threadIdx.x >= 32) { atomicAdd(&sum, threadIdx.x); done->count_down(); }
    else { done->wait(); out[threadIdx.x] = sum + threadIdx.x; }
}

extern "C" __global__ void half_dot(const __half2 *a, const __half2 *b, __half *out)
{
    __half2 sum = __float2half2_rn(0.0f);
    for (u32 k = 0; k < 4; k++) sum = __hfma2(a[threadIdx.x * 4 + k], b[k], sum);
    out[2 * threadIdx.x] = __hadd(__low2half(sum), __high2half(sum));
    out[2 * threadIdx.x + 1] = __hmax(__hneg(__low2half(sum)), __hmul_sat(__high2half(sum), __float2half(0.125f)));
}

extern "C" __global__ void bfloat_steps(const float *in, unsigned short *out)
{
    __nv_bfloat16 a = __float2bfloat16(in[threadIdx.x]), b = __float2bfloat16(0.7f);
    out[3 * threadIdx.x] = __bfloat16_as_ushort(a);
    out[3 * threadIdx.x + 1] = __bfloat16_as_ushort(__hmul(a, b));
    out[3 * threadIdx.x + 2] = __bfloat16_as_ushort(__hsub(__hmin(a, b), __float2bfloat16(1.0f)));
}

extern "C" __global__ void small_floats(const float *in, unsigned char *out)
{
    out[2 * threadIdx.x] = __nv_cvt_float_to_fp8(in[threadIdx.x], __NV_SATFINITE, __NV_E4M3);
    out[2 * threadIdx.x + 1] = __nv_cvt_float_to_fp8(in[threadIdx.x], __NV_SATFINITE, __NV_E5M2);
}

extern "C" __global__ void warp_functions(const u32 *in, u32 *out)
{
    u32 t = threadIdx.x, x = in[t];
    int all_same;
    u32 same = __match_all_sync(~0u, x / 1000000000u, &all_same);
    out[4 * t + 0] = __shfl_up_sync(~0u, x, 3, 8) ^ __shfl_down_sync(~0u, x, 5, 16);
    out[4 * t + 1] = __shfl_xor_sync(~0u, x, 9) + __shfl_sync(~0u, x, x % 32);
    out[4 * t + 2] = __any_sync(~0u, x % 31 == 0) * 4 + __all_sync(~0u, x > 5) * 2 + (same != 0) + 8 * all_same;
    out[4 * t + 3] = __match_any_sync(~0u, x % 6) ^ __reduce_max_sync(~0u, x) ^ __reduce_xor_sync(~0u, x);
}

extern "C" __global__ void block_sort(u32 *keys, u32 *values)
{
    using Sort = cub::BlockRadixSort<u32, 64, 2, u32>;
    __shared__ Sort::TempStorage storage;
    u32 key[2], value[2];
    for (int k = 0; k < 2; k++) { key[k] = keys[threadIdx.x * 2 + k]; value[k] = values[threadIdx.x * 2 + k]; }
    Sort(storage).SortDescending(key, value, 0, 16);
    for (int k = 0; k < 2; k++) { keys[threadIdx.x * 2 + k] = key[k]; values[threadIdx.x * 2 + k] = value[k]; }
}

extern "C" __global__ void block_scan(const u32 *in, u32 *out)
{
    using Scan = cub::BlockScan<u32, 96>;
    using Reduce = cub::BlockReduce<u32, 96>;
    __shared__ union { Scan::TempStorage scan; Reduce::TempStorage reduce; } storage;
    u32 prefix, total;
    Scan(storage.scan).ExclusiveSum(in[threadIdx.x], prefix, total);
    __syncthreads();
    u32 most = Reduce(storage.reduce).Reduce(in[threadIdx.x], cuda::maximum<>{});
    out[threadIdx.x] = prefix + total;
    if (threadIdx.x == 0) out[96] = most;
}

extern "C" __global__ void block_histogram(const unsigned char *in, u32 *bins)
{
    using Histogram = cub::BlockHistogram<unsigned char, 64, 3, 16>;
    __shared__ Histogram::TempStorage storage;
    __shared__ u32 local[16];
    unsigned char items[3];
    for (int k = 0; k < 3; k++) items[k] = in[threadIdx.x * 3 + k];
    Histogram(storage).Histogram(items, local);
    __syncthreads();
    if (threadIdx.x < 16) bins[threadIdx.x] = local[threadIdx.x];
}
