// targets: sm_90a sm_100a
// packages: cutlass
// CUTLASS's pipelines and barriers: of mbarriers, of named barriers, and of flags in global memory.
#define CUTLASS_ENABLE_GDC_FOR_SM90 1
#define CUTLASS_ENABLE_GDC_FOR_SM100 1
#include <cutlass/arch/barrier.h>
#include <cutlass/arch/grid_dependency_control.h>
#include <cutlass/barrier.h>
#include <cutlass/pipeline/pipeline.hpp>
#include <cutlass/semaphore.h>

using namespace cute;

constexpr int Stages = 3;
constexpr int Width = 128;

using Stored = cutlass::PipelineAsync<Stages>;

__global__ void stored(const int *in, int *out, int count)
{
    __shared__ uint64_t memory[sizeof(Stored::SharedStorage) / 8];
    __shared__ int tile[Stages][Width];
    bool produces = threadIdx.x < Width;
    Stored::Params params;
    params.producer_arv_count = Width;
    params.consumer_arv_count = Width;
    params.role = produces ? Stored::ThreadCategory::Producer : Stored::ThreadCategory::Consumer;
    Stored pipeline(*(Stored::SharedStorage *)memory, params);
    __syncthreads();
    if (produces) {
        auto state = cutlass::make_producer_start_state<Stored>();
        for (int step = 0; step < count; ++step, ++state) {
            pipeline.producer_acquire(state);
            tile[state.index()][threadIdx.x] = in[step * Width + threadIdx.x];
            pipeline.producer_commit(state);
        }
    } else {
        cutlass::PipelineState<Stages> state;
        for (int step = 0; step < count; ++step, ++state) {
            pipeline.consumer_wait(state);
            out[step * Width + threadIdx.x - Width] = tile[state.index()][2 * Width - 1 - threadIdx.x];
            pipeline.consumer_release(state);
        }
    }
}

using Copied = cutlass::PipelineTransactionAsync<Stages>;

__global__ void copied(const int *in, int *out, int count)
{
    __shared__ uint64_t memory[sizeof(Copied::SharedStorage) / 8];
    __shared__ alignas(128) int tile[Stages][Width];
    bool produces = threadIdx.x < 32;
    Copied::Params params;
    params.transaction_bytes = sizeof tile[0];
    params.producer_arv_count = 1;
    params.consumer_arv_count = Width;
    params.role = produces ? Copied::ThreadCategory::Producer : Copied::ThreadCategory::Consumer;
    Copied pipeline(*(Copied::SharedStorage *)memory, params);
    cutlass::arch::fence_barrier_init();
    __syncthreads();
    if (threadIdx.x == 0) {
        auto state = cutlass::make_producer_start_state<Copied>();
        for (int step = 0; step < count; ++step, ++state) {
            pipeline.producer_acquire(state);
            SM90_BULK_COPY_G2S::copy(in + step * Width, (uint64_t *)pipeline.producer_get_barrier(state), tile[state.index()], sizeof tile[0]);
            pipeline.producer_commit(state);
        }
    } else if (!produces) {
        cutlass::PipelineState<Stages> state;
        for (int step = 0; step < count; ++step, ++state) {
            pipeline.consumer_wait(state);
            out[step * Width + threadIdx.x - 32] = tile[state.index()][Width - 1 - (threadIdx.x - 32)];
            pipeline.consumer_release(state);
        }
    }
}

__global__ void transactions(const int *in, int *out, int count)
{
    __shared__ uint64_t full;
    __shared__ alignas(128) int tile[Width];
    if (threadIdx.x == 0)
        cutlass::arch::ClusterTransactionBarrier::init(&full, 1);
    cutlass::arch::fence_barrier_init();
    __syncthreads();
    for (int step = 0; step < count; ++step) {
        if (threadIdx.x == 0) {
            cutlass::arch::ClusterTransactionBarrier::arrive_and_expect_tx(&full, sizeof tile);
            SM90_BULK_COPY_G2S::copy(in + step * Width, &full, tile, sizeof tile);
        }
        cutlass::arch::ClusterTransactionBarrier::wait(&full, step & 1);
        out[step * Width + threadIdx.x] = tile[Width - 1 - threadIdx.x];
        __syncthreads();
    }
}

__global__ void written_back(const int *in, int *out)
{
    __shared__ alignas(128) int tile[Width];
    tile[threadIdx.x] = in[blockIdx.x * Width + threadIdx.x] * 3;
    tma_store_fence();
    cutlass::arch::NamedBarrier::sync(Width, 1);
    if (threadIdx.x == 0) {
        SM90_BULK_COPY_S2G::copy(tile, out + blockIdx.x * Width, sizeof tile);
        tma_store_arrive();
        tma_store_wait<0>();
    }
}

__global__ __cluster_dims__(2) void exchanged(const int *in, int *out)
{
    __shared__ int tile[Width];
    tile[threadIdx.x] = in[blockIdx.x * Width + threadIdx.x];
    cluster_arrive();
    cluster_wait();
    unsigned rank = block_rank_in_cluster() ^ 1;
    out[blockIdx.x * Width + threadIdx.x] = *(int *)__cluster_map_shared_rank(&tile[Width - 1 - threadIdx.x], rank);
    cluster_arrive();
    cluster_wait();
}

using Turns = cutlass::OrderedSequenceBarrier<1, 2>;

__global__ void in_turns(int *data, int count)
{
    __shared__ uint64_t memory[sizeof(Turns::SharedStorage) / 8];
    __shared__ int sum;
    Turns::Params params;
    params.group_id = threadIdx.x / 128;
    params.group_size = 128;
    Turns turns(*(Turns::SharedStorage *)memory, params);
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    for (int step = 0; step < count; ++step) {
        turns.wait();
        if (threadIdx.x % 128 == 0)
            data[step * 2 + params.group_id] = ++sum;
        turns.arrive();
    }
}

__global__ void in_order(int *lock, int *sum, const int *in)
{
    cutlass::Semaphore semaphore(lock, threadIdx.x);
    semaphore.fetch();
    semaphore.wait(blockIdx.x);
    sum[threadIdx.x] += in[blockIdx.x * blockDim.x + threadIdx.x];
    __threadfence();
    semaphore.release(blockIdx.x + 1);
}

__global__ void reduced(int *flags, int *sum, const int *in)
{
    if (blockIdx.x)
        cutlass::Barrier::wait_eq(flags, threadIdx.x, 0, blockIdx.x);
    sum[threadIdx.x] += in[blockIdx.x * blockDim.x + threadIdx.x];
    cutlass::Barrier::arrive_inc(flags, threadIdx.x, 0);
}

__global__ void dependent(const int *in, int *out)
{
    cutlass::arch::wait_on_dependent_grids();
    int value = in[threadIdx.x];
    out[threadIdx.x] = value * 2;
    cutlass::arch::launch_dependent_grids();
}
