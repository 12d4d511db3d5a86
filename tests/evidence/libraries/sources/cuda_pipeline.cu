// targets: sm_90a sm_100a
// cuda::pipeline: of one thread, of a block, and with threads that only produce or only consume.
#include <cooperative_groups.h>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

__global__ void of_one_thread(const int *in, int *out, int count)
{
    __shared__ int tile[2][256];
    auto pipeline = cuda::make_pipeline();
    for (int ahead = 0; ahead < 2; ++ahead) {
        pipeline.producer_acquire();
        cuda::memcpy_async(&tile[ahead][threadIdx.x], in + ahead * 256 + threadIdx.x, sizeof(int), pipeline);
        pipeline.producer_commit();
    }
    for (int step = 0; step < count; ++step) {
        pipeline.consumer_wait();
        out[step * 256 + threadIdx.x] = tile[step & 1][threadIdx.x] + 1;
        pipeline.consumer_release();
        pipeline.producer_acquire();
        if (step + 2 < count)
            cuda::memcpy_async(&tile[step & 1][threadIdx.x], in + (step + 2) * 256 + threadIdx.x, sizeof(int), pipeline);
        pipeline.producer_commit();
    }
}

template <int Stages> __device__ void staged(const int *in, int *out, int count)
{
    __shared__ alignas(16) int tile[Stages][256];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, Stages> state;
    auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    for (int fetched = 0, step = 0; step < count; ++step) {
        for (; fetched < count && fetched < step + Stages; ++fetched) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, tile[fetched % Stages], in + fetched * 256, cuda::aligned_size_t<16>(sizeof tile[0]), pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        out[step * 256 + block.thread_rank()] = tile[step % Stages][255 - block.thread_rank()];
        pipeline.consumer_release();
    }
}

__global__ void one_stage(const int *in, int *out, int count) { staged<1>(in, out, count); }

__global__ void two_stages(const int *in, int *out, int count) { staged<2>(in, out, count); }

__global__ void four_stages(const int *in, int *out, int count) { staged<4>(in, out, count); }

__global__ void producers_and_consumers(const int *in, int *out, int count)
{
    __shared__ int tile[2][128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto role = block.thread_rank() < 128 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipeline = cuda::make_pipeline(block, &state, role);
    for (int step = 0; step < count; ++step) {
        if (role == cuda::pipeline_role::producer) {
            pipeline.producer_acquire();
            cuda::memcpy_async(&tile[step & 1][threadIdx.x], in + step * 128 + threadIdx.x, sizeof(int), pipeline);
            pipeline.producer_commit();
        } else {
            pipeline.consumer_wait();
            out[step * 128 + threadIdx.x - 128] = tile[step & 1][255 - threadIdx.x];
            pipeline.consumer_release();
        }
    }
}

__global__ void stored_by_producers(const int *in, int *out, int count)
{
    __shared__ int tile[2][128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state, 128);
    for (int step = 0; step < count; ++step) {
        if (threadIdx.x < 128) {
            pipeline.producer_acquire();
            tile[step & 1][threadIdx.x] = in[step * 128 + threadIdx.x] * 5;
            pipeline.producer_commit();
        } else {
            pipeline.consumer_wait();
            out[step * 128 + threadIdx.x - 128] = tile[step & 1][255 - threadIdx.x];
            pipeline.consumer_release();
        }
    }
}
