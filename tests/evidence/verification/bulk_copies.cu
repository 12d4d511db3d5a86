// Asynchronous copies as libcu++, the CUDA programming guide and CUB make them.
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cub/device/device_transform.cuh>
#include <utility>
namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;

// cuda::memcpy_async with aligned_size_t: a bulk copy that completes on the barrier.
extern "C" __global__ void memcpy_async_bulk(const int* in, int* out) {
    __shared__ alignas(16) int tile[4];
    __shared__ barrier bar;
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    if (threadIdx.x == 0) cuda::memcpy_async(tile, in, cuda::aligned_size_t<16>(16), bar);
    bar.arrive_and_wait();
    out[threadIdx.x] = tile[threadIdx.x] + 1;
}

// The bulk copies of the programming guide: load, change, store.
extern "C" __global__ void load_change_store(int* data) {
    __shared__ alignas(16) int tile[4];
    __shared__ barrier bar;
    if (threadIdx.x == 0) { init(&bar, blockDim.x); cuda::device::experimental::fence_proxy_async_shared_cta(); }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::device::experimental::cp_async_bulk_global_to_shared(tile, data, 16, bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, 16);
    } else {
        token = bar.arrive();
    }
    bar.wait(std::move(token));
    tile[threadIdx.x] += 1;
    cuda::device::experimental::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::device::experimental::cp_async_bulk_shared_to_global(data, tile, 16);
        cuda::device::experimental::cp_async_bulk_commit_group();
        cuda::device::experimental::cp_async_bulk_wait_group_read<0>();
    }
}

// cuda::pipeline with two stages.
extern "C" __global__ void pipeline(const int* in, int* out) {
    __shared__ alignas(16) int stages[2][4];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto group = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(group, &state);
    pipe.producer_acquire();
    cuda::memcpy_async(group, stages[0], in, cuda::aligned_size_t<16>(16), pipe);
    pipe.producer_commit();
    pipe.producer_acquire();
    cuda::memcpy_async(group, stages[1], in + 4, cuda::aligned_size_t<16>(16), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    int v = stages[0][threadIdx.x];
    pipe.consumer_release();
    pipe.consumer_wait();
    v += stages[1][threadIdx.x];
    pipe.consumer_release();
    out[threadIdx.x] = v;
}

// cub::DeviceTransform, whose kernel copies tiles with bulk copies.
struct AddOne {
    __host__ __device__ int operator()(int x) const { return x + 1; }
};
cudaError_t transform(const int* in, int* out) { return cub::DeviceTransform::Transform(in, out, 4, AddOne{}); }
