// targets: sm_90a sm_100a
// What the library gives for waiting: latches, semaphores, atomics that wait, locks that are made of them.
#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>

using Flag = cuda::atomic<int, cuda::thread_scope_device>;

__global__ void published(int *data, Flag *ready, int *out)
{
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x * 3;
        __syncthreads();
        if (threadIdx.x == 0) {
            ready->store(1, cuda::memory_order_release);
            ready->notify_all();
        }
    } else {
        if (threadIdx.x == 0)
            ready->wait(0, cuda::memory_order_acquire);
        __syncthreads();
        out[threadIdx.x] = data[threadIdx.x];
    }
}

__global__ void fenced(int *data, Flag *ready, int *out)
{
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x * 3;
        cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
        ready->fetch_add(1, cuda::memory_order_relaxed);
    } else {
        while (ready->load(cuda::memory_order_relaxed) != blockDim.x) {
        }
        cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
        out[threadIdx.x] = data[blockDim.x - 1 - threadIdx.x];
    }
}

__global__ void locked(int *count, Flag *lock)
{
    if (threadIdx.x == 0) {
        while (lock->exchange(1, cuda::memory_order_acquire)) {
        }
        *count += blockIdx.x;
        lock->store(0, cuda::memory_order_release);
    }
}

__global__ void latched(int *data, cuda::latch<cuda::thread_scope_device> *latch, int *out)
{
    int rank = blockIdx.x * blockDim.x + threadIdx.x;
    data[rank] = rank;
    latch->arrive_and_wait();
    out[rank] = data[gridDim.x * blockDim.x - 1 - rank];
}

__global__ void admitted(int *data, cuda::counting_semaphore<cuda::thread_scope_device, 8> *slots)
{
    if (threadIdx.x == 0) {
        slots->acquire();
        atomicAdd(data, 1);
        slots->release();
    }
}

__global__ void one_at_a_time(int *data, cuda::binary_semaphore<cuda::thread_scope_device> *turn)
{
    if (threadIdx.x == 0) {
        turn->acquire();
        *data = *data * 2 + blockIdx.x;
        turn->release();
    }
}

__global__ void last_block(const int *in, int *sums, unsigned *arrived, int *out)
{
    __shared__ bool last;
    int sum = 0;
    for (int index = 0; index < 64; ++index)
        sum += in[blockIdx.x * 64 + index];
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> counter(*arrived);
        last = counter.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int total = 0;
        for (unsigned block = 0; block < gridDim.x; ++block)
            total += sums[block];
        *out = total;
    }
}

__global__ void signalled_to_the_host(int *data, cuda::atomic<int, cuda::thread_scope_system> *flag)
{
    data[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        flag->store(1, cuda::memory_order_release);
}
