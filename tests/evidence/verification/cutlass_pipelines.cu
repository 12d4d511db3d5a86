// Producers and consumers with CUTLASS' pipelines, one warp each: PipelineTmaAsync around plain bulk copies, and PipelineAsync around ordinary stores.
#include <cutlass/arch/barrier.h>
#include <cutlass/pipeline/pipeline.hpp>

constexpr int STAGES = 2, TILES = 4;

__device__ inline unsigned address(const void* at) { return unsigned(__cvta_generic_to_shared(at)); }

__device__ inline void bulk_copy(void* to, const void* from, unsigned bytes, void* barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :: "r"(address(to)), "l"(from), "r"(bytes), "r"(address(barrier)) : "memory");
}

// check tma: 1 64 u32[16]=iota u32[2] --expect 1=24,28
extern "C" __global__ void tma(const unsigned* in, unsigned* out) {
    using Pipeline = cutlass::PipelineTmaAsync<STAGES>;
    __shared__ alignas(128) unsigned tiles[STAGES][4];
    __shared__ alignas(16) char bytes[sizeof(typename Pipeline::SharedStorage)];
    auto& storage = reinterpret_cast<typename Pipeline::SharedStorage&>(bytes);
    bool produces = threadIdx.x < 32;
    typename Pipeline::Params params;
    params.role = produces ? Pipeline::ThreadCategory::Producer : Pipeline::ThreadCategory::Consumer;
    params.transaction_bytes = sizeof tiles[0];
    params.is_leader = threadIdx.x == 0;
    params.num_consumers = 2;
    Pipeline pipeline(storage, params, cute::Shape<cute::_1, cute::_1, cute::_1>{});
    __syncthreads();
    if (threadIdx.x == 0) {
        auto state = cutlass::make_producer_start_state<Pipeline>();
#pragma unroll 1
        for (int tile = 0; tile < TILES; ++tile, ++state) {
            pipeline.producer_acquire(state);
            bulk_copy(tiles[state.index()], in + 4 * tile, sizeof tiles[0], pipeline.producer_get_barrier(state));
        }
    } else if (threadIdx.x == 32 || threadIdx.x == 33) {
        typename Pipeline::PipelineState state;
        unsigned sum = 0;
#pragma unroll 1
        for (int tile = 0; tile < TILES; ++tile, ++state) {
            pipeline.consumer_wait(state);
            sum += tiles[state.index()][threadIdx.x % 2];
            pipeline.consumer_release(state);
        }
        out[threadIdx.x % 2] = sum;
    }
}

// check async: 1 64 u32[12]=iota u32[2] --expect 1=12,15
extern "C" __global__ void async(const unsigned* in, unsigned* out) {
    using Pipeline = cutlass::PipelineAsync<STAGES>;
    __shared__ alignas(128) unsigned tiles[STAGES][4];
    __shared__ alignas(16) char bytes[sizeof(typename Pipeline::SharedStorage)];
    auto& storage = reinterpret_cast<typename Pipeline::SharedStorage&>(bytes);
    bool produces = threadIdx.x < 32;
    typename Pipeline::Params params;
    params.role = produces ? Pipeline::ThreadCategory::Producer : Pipeline::ThreadCategory::Consumer;
    params.producer_arv_count = 2;
    params.consumer_arv_count = 2;
    Pipeline pipeline(storage, params);
    __syncthreads();
    if (threadIdx.x < 2) {
        auto state = cutlass::make_producer_start_state<Pipeline>();
#pragma unroll 1
        for (int tile = 0; tile < 3; ++tile, ++state) {
            pipeline.producer_acquire(state);
            tiles[state.index()][threadIdx.x] = in[4 * tile + threadIdx.x];
            pipeline.producer_commit(state);
        }
    } else if (threadIdx.x == 32 || threadIdx.x == 33) {
        typename Pipeline::PipelineState state;
        unsigned sum = 0;
#pragma unroll 1
        for (int tile = 0; tile < 3; ++tile, ++state) {
            pipeline.consumer_wait(state);
            sum += tiles[state.index()][threadIdx.x % 2 ^ 1];
            pipeline.consumer_release(state);
        }
        out[threadIdx.x % 2 ^ 1] = sum;
    }
}

__device__ inline void multicast(void* to, const void* from, unsigned bytes, void* barrier, unsigned short ctas) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;"
                 :: "r"(address(to)), "l"(from), "r"(bytes), "r"(address(barrier)), "h"(ctas) : "memory");
}

// Two CTAs of a cluster copy half of each tile for both.
// check cluster: 2 64 u32[16]=iota u32[2] --expect 1=30,30
extern "C" __global__ void __cluster_dims__(2) cluster(const unsigned* in, unsigned* out) {
    using Pipeline = cutlass::PipelineTmaAsync<1>;
    __shared__ alignas(128) unsigned tiles[1][8];
    __shared__ alignas(16) char bytes[sizeof(typename Pipeline::SharedStorage)];
    auto& storage = reinterpret_cast<typename Pipeline::SharedStorage&>(bytes);
    unsigned rank = cute::block_rank_in_cluster();
    typename Pipeline::Params params;
    params.role = threadIdx.x < 32 ? Pipeline::ThreadCategory::Producer : Pipeline::ThreadCategory::Consumer;
    params.transaction_bytes = sizeof tiles[0];
    params.is_leader = threadIdx.x == 0;
    params.num_consumers = 32;
    Pipeline pipeline(storage, params, cute::Shape<cute::_2, cute::_1, cute::_1>{});
    cute::cluster_arrive_relaxed();
    cute::cluster_wait();
    if (threadIdx.x == 0) {
        auto state = cutlass::make_producer_start_state<Pipeline>();
#pragma unroll 1
        for (int tile = 0; tile < 2; ++tile, ++state) {
            pipeline.producer_acquire(state);
            multicast(tiles[state.index()] + 4 * rank, in + 8 * tile + 4 * rank, 16, pipeline.producer_get_barrier(state), 3);
        }
        pipeline.producer_tail(state);
    } else if (threadIdx.x == 32 || threadIdx.x == 34) {  // the lanes that arrive at one of the CTAs each
        typename Pipeline::PipelineState state;
        unsigned sum = 0;
#pragma unroll 1
        for (int tile = 0; tile < 2; ++tile, ++state) {
            pipeline.consumer_wait(state);
            sum += tiles[state.index()][0] + tiles[state.index()][7];
            __syncwarp(0b101);
            pipeline.consumer_release(state);
        }
        if (threadIdx.x == 32) out[rank] = sum;
    }
}
