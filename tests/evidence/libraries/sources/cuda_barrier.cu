// targets: sm_90a sm_100a
// cuda::barrier: arrival and wait, its completion function, copies that it counts, and bulk copies in both directions.
#include <cuda/barrier>
#include <cuda/ptx>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void exchange(const int *in, int *out)
{
    __shared__ int tile[256];
    __shared__ Barrier barrier;
    if (threadIdx.x == 0)
        init(&barrier, blockDim.x);
    __syncthreads();
    tile[threadIdx.x] = in[threadIdx.x];
    barrier.wait(barrier.arrive());
    out[threadIdx.x] = tile[255 - threadIdx.x];
}

__global__ void rounds(int *data, int count)
{
    __shared__ int tile[256];
    __shared__ Barrier barrier;
    if (threadIdx.x == 0)
        init(&barrier, blockDim.x);
    __syncthreads();
    for (int round = 0; round < count; ++round) {
        tile[threadIdx.x] = data[round * 256 + threadIdx.x];
        barrier.arrive_and_wait();
        data[round * 256 + threadIdx.x] = tile[(threadIdx.x + round) & 255];
        barrier.arrive_and_wait();
    }
}

__global__ void leaves(const int *in, int *out)
{
    __shared__ int tile[256];
    __shared__ Barrier barrier;
    if (threadIdx.x == 0)
        init(&barrier, blockDim.x);
    __syncthreads();
    tile[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x >= 128) {
        barrier.arrive_and_drop();
        return;
    }
    barrier.arrive_and_wait();
    out[threadIdx.x] = tile[threadIdx.x + 128];
}

__global__ void copied(const int *in, int *out)
{
    __shared__ alignas(16) int tile[256];
    __shared__ Barrier barrier;
    if (threadIdx.x == 0)
        init(&barrier, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(tile + threadIdx.x, in + threadIdx.x, sizeof(int), barrier);
    barrier.arrive_and_wait();
    out[threadIdx.x] = tile[255 - threadIdx.x];
}

__global__ void halves(const int *in, int *out, int count)
{
    __shared__ int tile[2][128];
    __shared__ Barrier full[2], empty[2];
    if (threadIdx.x < 4)
        init(threadIdx.x < 2 ? &full[threadIdx.x] : &empty[threadIdx.x - 2], blockDim.x);
    __syncthreads();
    if (threadIdx.x < 128) {
        for (int step = 0; step < count; ++step) {
            empty[step & 1].arrive_and_wait();
            tile[step & 1][threadIdx.x] = in[step * 128 + threadIdx.x];
            (void)full[step & 1].arrive();
        }
    } else {
        (void)empty[0].arrive();
        (void)empty[1].arrive();
        for (int step = 0; step < count; ++step) {
            full[step & 1].arrive_and_wait();
            out[step * 128 + threadIdx.x - 128] = tile[step & 1][255 - threadIdx.x];
            (void)empty[step & 1].arrive();
        }
    }
}

__global__ void bulk(const int *in, int *out)
{
    __shared__ alignas(128) int tile[1024];
    __shared__ Barrier barrier;
    if (threadIdx.x == 0) {
        init(&barrier, blockDim.x);
        cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        cuda::memcpy_async(tile, in + blockIdx.x * 1024, cuda::aligned_size_t<16>(sizeof tile), barrier);
    barrier.arrive_and_wait();
    for (int index = threadIdx.x; index < 1024; index += blockDim.x)
        tile[index] *= 3;
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, out + blockIdx.x * 1024, tile, sizeof tile);
        cuda::ptx::cp_async_bulk_commit_group();
        cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());
    }
}

__global__ void phases(const int *in, int *out, int count)
{
    __shared__ alignas(128) int tile[256];
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) {
        cuda::ptx::mbarrier_init(&barrier, 1);
        cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster);
    }
    __syncthreads();
    for (int step = 0; step < count; ++step) {
        if (threadIdx.x == 0) {
            cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, tile, in + step * 256, sizeof tile, &barrier);
            cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta, cuda::ptx::space_shared, &barrier, sizeof tile);
        }
        while (!cuda::ptx::mbarrier_try_wait_parity(&barrier, step & 1)) {
        }
        out[step * 256 + threadIdx.x] = tile[255 - threadIdx.x];
        __syncthreads();
    }
}
