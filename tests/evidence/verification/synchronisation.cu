// Synchronisation that people use, for `check`: synchronisation.py has the launches.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

using DeviceBarrier = cuda::barrier<cuda::thread_scope_device>;

extern "C" __global__ void shared_barrier(unsigned* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ unsigned values[64];
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    for (unsigned round = 0; round < 2; ++round) {
        values[threadIdx.x] = round + threadIdx.x;
        barrier.arrive_and_wait();
        unsigned next = values[(threadIdx.x + 1) % blockDim.x];
        barrier.arrive_and_wait();
        out[blockIdx.x * blockDim.x + threadIdx.x] = next;
    }
}

extern "C" __global__ void global_barrier(DeviceBarrier* barrier, unsigned* values, unsigned* out) {
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    values[thread] = thread + 1;
    barrier->arrive_and_wait();
    out[thread] = values[(thread + 1) % threads];
}

extern "C" __global__ void semaphore(cuda::counting_semaphore<cuda::thread_scope_device, 1>* lock, unsigned* count) {
    lock->acquire();
    *count += 1;
    lock->release();
}

extern "C" __global__ void latch(cuda::latch<cuda::thread_scope_device>* latch, unsigned* values, unsigned* out) {
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    values[thread] = thread + 1;
    latch->arrive_and_wait();
    out[thread] = values[(thread + 1) % threads];
}

extern "C" __global__ void reference_lock(unsigned* flag, unsigned* count) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> lock(*flag);
    while (lock.exchange(1, cuda::memory_order_acquire) != 0) {}
    *count += 1;
    lock.store(0, cuda::memory_order_release);
}

extern "C" __global__ void wait_notify(cuda::atomic<unsigned, cuda::thread_scope_device>* turn, unsigned* values, unsigned* out) {
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread == 0) {
        *values = 7;
        turn->store(1, cuda::memory_order_release);
        turn->notify_all();
    } else {
        turn->wait(0, cuda::memory_order_acquire);
        out[thread] = *values;
    }
}

extern "C" __global__ void grid_sync(unsigned* values, unsigned* out) {
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    values[thread] = thread + 1;
    cg::this_grid().sync();
    out[thread] = values[(thread + 1) % threads];
}
extern "C" __global__ void cluster_sync(unsigned* out) {
    __shared__ unsigned value;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) value = blockIdx.x + 1;
    cluster.sync();
    unsigned other = *cluster.map_shared_rank(&value, (cluster.block_rank() + 1) % cluster.num_blocks());
    out[blockIdx.x * blockDim.x + threadIdx.x] = other;
    cluster.sync();
}

// Data and flag in one vector, as NCCL's LL protocol has them.
extern "C" __global__ void flag_in_line(uint4* lines, unsigned* out) {
    uint4* line = lines + threadIdx.x;
    if (blockIdx.x == 0) {
        asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};"
                     :: "l"(line), "r"(threadIdx.x + 5), "r"(1), "r"(threadIdx.x + 6), "r"(1) : "memory");
    } else {
        unsigned first, flag, second, flag2;
        do {
            asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(first), "=r"(flag), "=r"(second), "=r"(flag2) : "l"(line) : "memory");
        } while (flag != 1 || flag2 != 1);
        out[2 * threadIdx.x] = first;
        out[2 * threadIdx.x + 1] = second;
    }
}

// Data, a fence of the system, and a counter that one thread publishes.
extern "C" __global__ void data_then_tail(unsigned* data, unsigned long long* tail, unsigned* out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x + 1;
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence_system();
            asm volatile("st.relaxed.sys.global.u64 [%0], 1;" :: "l"(tail) : "memory");
        }
    } else {
        if (threadIdx.x == 0) {
            unsigned long long seen;
            do {
                asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(seen) : "l"(tail) : "memory");
            } while (seen != 1);
            __threadfence_system();
        }
        __syncthreads();
        out[threadIdx.x] = data[threadIdx.x];
    }
}

__device__ unsigned load_acquire(const unsigned* address) {
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return value;
}

__device__ void store_release(unsigned* address, unsigned value) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" :: "l"(address), "r"(value) : "memory");
}

// The first CTA of a tile waits for the partial sums of the others.
extern "C" __global__ void fix_up(unsigned* partial, unsigned* ready, unsigned* out) {
    if (blockIdx.x != 0) {
        partial[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x;
        __syncthreads();
        if (threadIdx.x == 0) asm volatile("red.release.gpu.global.add.u32 [%0], 1;" :: "l"(ready) : "memory");
    } else {
        if (threadIdx.x == 0) {
            while (load_acquire(ready) != gridDim.x - 1) {}
        }
        __syncthreads();
        unsigned sum = 0;
        for (unsigned other = 1; other < gridDim.x; ++other) sum += partial[other * blockDim.x + threadIdx.x];
        out[threadIdx.x] = sum;
    }
}

extern "C" __global__ void compare_and_swap_lock(unsigned* lock, unsigned* count) {
    while (atomicCAS(lock, 0, 1)) {}
    __threadfence();
    *count += 1;
    __threadfence();
    atomicExch(lock, 0);
}

extern "C" __global__ void ticket_lock(unsigned* tickets, unsigned* count) {
    unsigned own = atomicAdd(tickets, 1);
    while (load_acquire(tickets + 1) != own) {}
    *count += 1;
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" :: "l"(tickets + 1) : "memory");
}

extern "C" __global__ void test_and_set_lock(unsigned* lock, unsigned* count) {
    unsigned value;
    do {
        do {
            asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(lock) : "memory");
        } while (value);
        asm volatile("atom.acquire.gpu.global.exch.b32 %0, [%1], 1;" : "=r"(value) : "l"(lock) : "memory");
    } while (value);
    *count += 1;
    store_release(lock, 0);
}

// A barrier of the grid: the first CTA sees a flag of each other one, and takes it back.
extern "C" __global__ void flags_barrier(unsigned* flags, unsigned* data, unsigned* out) {
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    data[thread] = thread + 1;
    if (blockIdx.x == 0) {
        bool has_other = threadIdx.x + 1 < gridDim.x;
        unsigned* flag = flags + threadIdx.x + 1;
        while (has_other && !load_acquire(flag)) {}
        __syncthreads();
        if (has_other) store_release(flag, 0);
    } else {
        __syncthreads();
        if (threadIdx.x == 0) {
            store_release(flags + blockIdx.x, 1);
            while (load_acquire(flags + blockIdx.x)) {}
        }
        __syncthreads();
    }
    out[thread] = data[(thread + 1) % threads];
}
