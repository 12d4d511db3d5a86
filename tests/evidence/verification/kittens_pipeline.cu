// A producer, a consumer and stores with ThunderKittens' semaphores, one warp each, around plain bulk copies.
#include <kittens.cuh>

constexpr int TILES = 3;

__device__ inline unsigned address(const void* at) { return unsigned(__cvta_generic_to_shared(at)); }

// check change: 1 64 u32[12]=iota u32[12] --expect 1=100,1,2,3,104,5,6,7,108,9,10,11
extern "C" __global__ void change(const unsigned* in, unsigned* out) {
    __shared__ alignas(128) unsigned tile[4];
    __shared__ kittens::semaphore arrived, finished;
    if (threadIdx.x == 0) {
        kittens::init_semaphore(arrived, 0, 1);
        kittens::init_semaphore(finished, 0, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
#pragma unroll 1
        for (int number = 0; number < TILES; ++number) {
            kittens::wait(finished, number % 2 ^ 1);
            kittens::tma::expect_bytes(arrived, sizeof tile);
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                         :: "r"(address(tile)), "l"(in + 4 * number), "n"(sizeof tile), "r"(address(&arrived)) : "memory");
        }
    } else if (threadIdx.x == 32) {
#pragma unroll 1
        for (int number = 0; number < TILES; ++number) {
            kittens::wait(arrived, number % 2);
            tile[0] += 100;
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                         :: "l"(out + 4 * number), "r"(address(tile)), "n"(sizeof tile) : "memory");
            kittens::tma::store_commit_group();
            kittens::tma::store_async_read_wait();
            kittens::arrive(finished);
        }
        kittens::tma::store_async_wait();
    }
}
