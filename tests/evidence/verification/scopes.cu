// Scopes, orders of barriers, asynchronous stores, accesses of other sizes.
#include "twins.cuh"

__device__ inline u32 address_of(const void* shared) { return u32(__cvta_generic_to_shared(shared)); }

// Each side has to include the other one.
// twins one_side_narrow: 2 1 u32[1] u32[1] u32[1] --expect 2=7 => data-race
template <bool Right> __device__ void one_side_narrow(u32* data, u32* flag, u32* out) {
    if (number() == 0) {
        *data = 7;
        store_release(flag, 1);
    } else {
        while ((Right ? load_acquire(flag) : load_acquire_cta(flag)) == 0) {}
        *out = *data;
    }
}
TWINS(one_side_narrow, (u32* data, u32* flag, u32* out), (data, flag, out))

// twins narrow_fence_of_reader: 2 1 u32[1] u32[1] u32[1] --expect 2=7 => data-race
template <bool Right> __device__ void narrow_fence_of_reader(u32* data, u32* flag, u32* out) {
    if (number() == 0) {
        *data = 7;
        fence();
        store_relaxed(flag, 1);
    } else {
        while (load_relaxed(flag) == 0) {}
        Right ? fence() : fence_cta();
        *out = *data;
    }
}
TWINS(narrow_fence_of_reader, (u32* data, u32* flag, u32* out), (data, flag, out))

// In a CTA the narrow scope is enough; a counter of the device is not.
// twins counter_of_cta: 2 1 u32[1] --expect 0=2 => data-race
template <bool Right> __device__ void counter_of_cta(u32* count) {
    Right ? atomicAdd(count, 1) : atomicAdd_block(count, 1);
}
TWINS(counter_of_cta, (u32* count), (count))

// A cluster barrier without an order and fences of its own.
// twins fenced_cluster_barrier: 2 1 u32[2] u32[2] --cluster 2 --expect 1=2,1 => data-race
template <bool Right> __device__ void fenced_cluster_barrier(u32* values, u32* out) {
    values[number()] = number() + 1;
    if (Right) asm volatile("fence.acq_rel.cluster;" : : : "memory");
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" : : : "memory");
    asm volatile("barrier.cluster.wait.aligned;" : : : "memory");
    asm volatile("fence.acq_rel.cluster;" : : : "memory");
    out[number()] = values[1 - number()];
}
TWINS(fenced_cluster_barrier, (u32* values, u32* out), (values, out))

// One thread of a CTA does not come to the barrier of the cluster.
// twins cluster_barrier_left_out: 2 2 u32[1] --cluster 2 => deadlock
template <bool Right> __device__ void cluster_barrier_left_out(u32* out) {
    if (Right || number() != 3) {
        asm volatile("barrier.cluster.arrive;" : : : "memory");
        asm volatile("barrier.cluster.wait;" : : : "memory");
    } else {
        while (load_acquire(out) == 0) {}
    }
    if (number() == 0) store_release(out, 1);
}
TWINS(cluster_barrier_left_out, (u32* out), (out))

// An arrival without an order.
// twins relaxed_arrival: 1 2 u32[1] --expect 0=7 => data-race
template <bool Right> __device__ void relaxed_arrival(u32* out) {
    __shared__ u64 barrier;
    __shared__ u32 data;
    u32 at = address_of(&barrier);
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" : : "r"(at) : "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        data = out[0] + 7;
        if (Right) asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" : : "r"(at) : "memory");
        else asm volatile("mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%0];" : : "r"(at) : "memory");
    } else {
        u32 done = 0;
        while (!done)
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at) : "memory");
        out[0] = data;
    }
}
TWINS(relaxed_arrival, (u32* out), (out))

// Tests once whether the phase is over, and reads all the same.
// twins tested_once: 1 2 u32[1] => data-race
template <bool Right> __device__ void tested_once(u32* out) {
    __shared__ u64 barrier;
    __shared__ u32 data;
    u32 at = address_of(&barrier);
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" : : "r"(at) : "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        data = out[0] + 7;
        asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" : : "r"(at) : "memory");
    } else {
        u32 done;
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at) : "memory");
        if (!Right || done) out[0] = data;
    }
}
TWINS(tested_once, (u32* out), (out))

// A store that completes at an mbarrier of its destination. The wrong reader does not wait for it.
// twins asynchronous_store: 2 1 u32[1] --cluster 2 --expect 0=7 => uninitialized-read
template <bool Right> __device__ void asynchronous_store(u32* out) {
    __shared__ u64 barrier;
    __shared__ u32 data;
    cg::cluster_group cluster = cg::this_cluster();
    u32 at = address_of(&barrier), to = address_of(&data), remote, remote_data;
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" : : "r"(at) : "memory");
    if (cluster.block_rank() == 1) asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 4;" : : "r"(at) : "memory");
    cluster.sync();
    if (cluster.block_rank() == 0) {
        asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(remote) : "r"(at));
        asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(remote_data) : "r"(to));
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], 7, [%1];" : : "r"(remote_data), "r"(remote) : "memory");
    } else if (Right) {
        u32 done = 0;
        while (!done)
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at) : "memory");
        out[0] = data;
    } else {
        out[0] = data;
    }
    cluster.sync();
}
TWINS(asynchronous_store, (u32* out), (out))

// More bytes are expected than are stored.
// twins too_many_bytes: 2 1 u32[1] --cluster 2 --expect 0=7 => deadlock
template <bool Right> __device__ void too_many_bytes(u32* out) {
    __shared__ u64 barrier;
    __shared__ u32 data;
    cg::cluster_group cluster = cg::this_cluster();
    u32 at = address_of(&barrier), to = address_of(&data), remote, remote_data;
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" : : "r"(at) : "memory");
    if (cluster.block_rank() == 1)
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" : : "r"(at), "r"(Right ? 4 : 8) : "memory");
    cluster.sync();
    if (cluster.block_rank() == 0) {
        asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(remote) : "r"(at));
        asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(remote_data) : "r"(to));
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], 7, [%1];" : : "r"(remote_data), "r"(remote) : "memory");
    } else {
        u32 done = 0;
        while (!done)
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at) : "memory");
        out[0] = data;
    }
    cluster.sync();
}
TWINS(too_many_bytes, (u32* out), (out))

// A bulk copy out of shared memory, which is overwritten while it is still read.
// twins overwritten_source: 1 1 u32[4] --expect 0=1,1,1,1 => claim
template <bool Right> __device__ void overwritten_source(u32* out) {
    __shared__ alignas(16) u32 tile[4];
    for (u32 at = 0; at < 4; ++at) tile[at] = 1;
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16;" : : "l"(out), "r"(address_of(tile)) : "memory");
    asm volatile("cp.async.bulk.commit_group;" : : : "memory");
    if (Right) asm volatile("cp.async.bulk.wait_group.read 0;" : : : "memory");
    reinterpret_cast<volatile u32*>(tile)[0] = 2;
}
TWINS(overwritten_source, (u32* out), (out))

// The source of a bulk copy was written by ordinary stores.
// twins proxy_fence: 1 1 u32[4] --expect 0=1,1,1,1 => data-race
template <bool Right> __device__ void proxy_fence(u32* out) {
    __shared__ alignas(16) u32 tile[4];
    for (u32 at = 0; at < 4; ++at) tile[at] = 1;
    if (Right) asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16;" : : "l"(out), "r"(address_of(tile)) : "memory");
    asm volatile("cp.async.bulk.commit_group;" : : : "memory");
    asm volatile("cp.async.bulk.wait_group 0;" : : : "memory");
}
TWINS(proxy_fence, (u32* out), (out))

// An atomic operation is no fence.
// twins atomic_is_no_fence: 2 1 u32[2] u32[2] u32[1] => trap
template <bool Right> __device__ void atomic_is_no_fence(u32* words, u32* other, u32* count) {
    u32 own = blockIdx.x;
    store_relaxed(words + own, 1);
    if (Right) fence_sc(); else atomicAdd(other + own, 1);
    if (load_relaxed(words + 1 - own) == 0 && atomicAdd(count, 1) == 1) __trap();
}
TWINS(atomic_is_no_fence, (u32* words, u32* other, u32* count), (words, other, count))

// From writer to writer to reader.
// twins causality_chain: 3 1 u32[2] u32[1] => trap
template <bool Right> __device__ void causality_chain(u32* words, u32* unused) {
    if (blockIdx.x == 0) store_relaxed(words, 1);
    else if (blockIdx.x == 1) {
        u32 seen = load_relaxed(words);
        if (Right) fence();
        if (seen) store_relaxed(words + 1, 1);
    } else {
        u32 seen = load_relaxed(words + 1);
        fence();
        if (seen && load_relaxed(words) == 0) __trap();
    }
}
TWINS(causality_chain, (u32* words, u32* unused), (words, unused))

// Values of 16 bits beside each other; the wrong one writes both.
// twins short_counters: 2 1 u16[2] => data-race
template <bool Right> __device__ void short_counters(unsigned short* counters) {
    if (Right || number() == 0) counters[number()] += 1;
    else *reinterpret_cast<u32*>(counters) += 0x10000;
}
TWINS(short_counters, (unsigned short* counters), (counters))

// An index that comes from memory.
// twins index_from_memory: 2 1 u32[2]=0,1 u32[2] => data-race
template <bool Right> __device__ void index_from_memory(const u32* indices, u32* out) {
    out[Right ? indices[number()] : indices[0]] += 1;
}
TWINS(index_from_memory, (const u32* indices, u32* out), (indices, out))

// Past the end in one thread only, and only if it is the last.
// twins past_the_end: 2 1 u32[1] u32[1] => out-of-bounds
template <bool Right> __device__ void past_the_end(u32* next, u32* out) {
    u32 at = atomicAdd(next, 1);
    if (!Right || at < 1) out[at] = 1;
}
TWINS(past_the_end, (u32* next, u32* out), (next, out))

// Memory of a CTA that has not been written.
// twins unwritten_half: 1 2 u32[2] => uninitialized-read
template <bool Right> __device__ void unwritten_half(u32* out) {
    __shared__ u32 values[2];
    if (Right || threadIdx.x == 0) values[threadIdx.x] = 3;
    __syncthreads();
    out[threadIdx.x] = values[1 - threadIdx.x];
}
TWINS(unwritten_half, (u32* out), (out))

// A plain store resets what strong accesses of others have counted: those that were observed are before it.
// twins plain_reset: 3 1 u32[1] u32[1] => data-race
template <bool Right> __device__ void plain_reset(u32* count, u32* rounds) {
    u32 before = atomicAdd(count, 1);
    if (before == (Right ? 2 : 1)) *count = 0;
}
TWINS(plain_reset, (u32* count, u32* rounds), (count, rounds))

// The lock is freed by a plain store, while others try it.
// twins plain_unlock: 2 1 u32[1] u32[1] => data-race
template <bool Right> __device__ void plain_unlock(u32* lock, u32* count) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    fence();
    *count += 1;
    fence();
    if (Right) store_relaxed(lock, 0);
    else *lock = 0;
}
TWINS(plain_unlock, (u32* lock, u32* count), (lock, count))

// A whole word is read after its halves were handed over one by one.
// twins halves_handed_over: 3 1 u64[1] u32[2] u64[1] --expect 2=30064771077 => data-race
template <bool Right> __device__ void halves_handed_over(u64* word, u32* flags, u64* out) {
    if (number() < 2) {
        reinterpret_cast<u32*>(word)[number()] = number() * 2 + 5;
        store_release(flags + number(), 1);
    } else {
        while (load_acquire(flags) == 0) {}
        if (Right) while (load_acquire(flags + 1) == 0) {}
        *out = *word;
    }
}
TWINS(halves_handed_over, (u64* word, u32* flags, u64* out), (word, flags, out))
