// Small kernels, right and wrong, for `check`: messages, locks, reductions, barriers, sizes, queues, copies.
#include "twins.cuh"

// Messages.
// twins message: 2 1 u32[1] u32[1] u32[1] --expect 2=7 => data-race
template <bool Right> __device__ void message(u32* data, u32* flag, u32* out) {
    if (number() == 0) {
        *data = 7;
        Right ? store_release(flag, 1) : store_relaxed(flag, 1);
    } else {
        while (load_acquire(flag) == 0) {}
        *out = *data;
    }
}
TWINS(message, (u32* data, u32* flag, u32* out), (data, flag, out))

// twins message_in_scope: 2 1 u32[1] u32[1] u32[1] --expect 2=7 => data-race
template <bool Right> __device__ void message_in_scope(u32* data, u32* flag, u32* out) {
    if (number() == 0) {
        *data = 7;
        Right ? store_release(flag, 1) : store_release_cta(flag, 1);
    } else {
        while ((Right ? load_acquire(flag) : load_acquire_cta(flag)) == 0) {}
        *out = *data;
    }
}
TWINS(message_in_scope, (u32* data, u32* flag, u32* out), (data, flag, out))

// twins volatile_flag: 2 1 u32[1] u32[1] u32[1] --expect 2=7 => data-race
template <bool Right> __device__ void volatile_flag(u32* data, volatile u32* flag, u32* out) {
    if (number() == 0) {
        *data = 7;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) __nanosleep(20);
        if (Right) __threadfence();
        *out = *data;
    }
}
TWINS(volatile_flag, (u32* data, volatile u32* flag, u32* out), (data, flag, out))

// twins published_pointer: 2 1 u32[1] u64[1] u32[1] --expect 2=7 => data-race
template <bool Right> __device__ void published_pointer(u32* data, u64* pointer, u32* out) {
    if (number() == 0) {
        *data = 7;
        __threadfence();
        store_relaxed(pointer, reinterpret_cast<u64>(data));
    } else {
        u64 seen;
        while ((seen = load_relaxed(pointer)) == 0) {}
        if (Right) __threadfence();
        *out = *reinterpret_cast<u32*>(seen);
    }
}
TWINS(published_pointer, (u32* data, u64* pointer, u32* out), (data, pointer, out))

// twins three_threads: 3 1 u32[1] u32[2] u32[1] --expect 2=7 => data-race
template <bool Right> __device__ void three_threads(u32* data, u32* flag, u32* out) {
    if (blockIdx.x == 0) {
        *data = 7;
        store_release(flag, 1);
    } else if (blockIdx.x == 1) {
        while (load_acquire(flag) == 0) {}
        Right ? store_release(flag + 1, 1) : store_relaxed(flag + 1, 1);
    } else {
        while (load_acquire(flag + 1) == 0) {}
        *out = *data;
    }
}
TWINS(three_threads, (u32* data, u32* flag, u32* out), (data, flag, out))

// twins packed: 2 1 u64[1] u32[1] u32[1] --expect 2=7 => claim
template <bool Right> __device__ void packed(u64* slot, u32* flag, u32* out) {
    // Value and flag in one word, or in two.
    if (number() == 0) {
        if (Right) {
            store_relaxed(slot, u64(1) << 32 | 7);
        } else {
            store_relaxed(reinterpret_cast<u32*>(slot), 7u);
            store_relaxed(flag, 1);
        }
    } else if (Right) {
        u64 seen;
        while ((seen = load_relaxed(slot)) >> 32 == 0) {}
        *out = u32(seen);
    } else {
        while (load_relaxed(flag) == 0) {}
        *out = load_relaxed(reinterpret_cast<u32*>(slot));
    }
}
TWINS(packed, (u64* slot, u32* flag, u32* out), (slot, flag, out))

// twins ping_pong: 2 1 u32[1] u32[1] u32[1] --expect 0=4 => data-race
template <bool Right> __device__ void ping_pong(u32* data, u32* turn, u32* out) {
    u32 own = blockIdx.x;
    for (u32 round = 0; round < 2; ++round) {
        while (load_acquire(turn) != 2 * round + own) {}
        *data += 1;
        Right ? store_release(turn, 2 * round + own + 1) : store_relaxed(turn, 2 * round + own + 1);
    }
}
TWINS(ping_pong, (u32* data, u32* turn, u32* out), (data, turn, out))

// Mutual exclusion.
// twins dekker: 2 1 u32[2] u32[1] => data-race
template <bool Right> __device__ void dekker(u32* wants, u32* count) {
    u32 own = blockIdx.x;
    store_relaxed(wants + own, 1);
    Right ? fence_sc() : fence();
    if (load_relaxed(wants + 1 - own) == 0) *count += 1;
}
TWINS(dekker, (u32* wants, u32* count), (wants, count))

// twins peterson: 2 1 u32[2] u32[1] u32[1] --expect 2=2 => data-race
template <bool Right> __device__ void peterson(u32* wants, u32* turn, u32* count) {
    u32 own = blockIdx.x, other = 1 - own;
    store_relaxed(wants + own, 1);
    Right ? fence_sc() : fence();
    store_relaxed(turn, other);
    Right ? fence_sc() : fence();
    while (load_acquire(wants + other) == 1 && load_acquire(turn) == other) {}
    fence();
    *count += 1;
    store_release(wants + own, 0);
}
TWINS(peterson, (u32* wants, u32* turn, u32* count), (wants, turn, count))

// twins spin_lock: 2 2 u32[1] u32[1] --expect 1=4 => data-race
template <bool Right> __device__ void spin_lock(u32* lock, u32* count) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    *count += 1;
    if (Right) __threadfence();
    atomicExch(lock, 0);
}
TWINS(spin_lock, (u32* lock, u32* count), (lock, count))

// twins lock_of_cta: 2 1 u32[1] u32[1] --expect 1=2 => data-race
template <bool Right> __device__ void lock_of_cta(u32* lock, u32* count) {
    while (Right ? atomicCAS(lock, 0, 1) : atomicCAS_block(lock, 0, 1)) {}
    Right ? __threadfence() : __threadfence_block();
    *count += 1;
    Right ? __threadfence() : __threadfence_block();
    if (Right) atomicExch(lock, 0); else atomicExch_block(lock, 0);
}
TWINS(lock_of_cta, (u32* lock, u32* count), (lock, count))

// twins try_lock: 2 2 u32[1] u32[1] u32[1] => data-race
template <bool Right> __device__ void try_lock(u32* lock, u32* count, u32* done) {
    cuda::atomic_ref<u32, cuda::thread_scope_device> guard(*lock);
    u32 free = 0;
    auto order = Right ? cuda::std::memory_order_acquire : cuda::std::memory_order_relaxed;
    if (guard.compare_exchange_strong(free, 1, order, cuda::std::memory_order_relaxed)) {
        *count += 1;
        guard.store(0, cuda::std::memory_order_release);
    }
}
TWINS(try_lock, (u32* lock, u32* count, u32* done), (lock, count, done))

// twins two_locks: 2 1 u32[2] u32[1] --expect 1=2 => deadlock
template <bool Right> __device__ void two_locks(u32* locks, u32* count) {
    u32 first = Right ? 0 : blockIdx.x;
    while (atomicCAS(locks + first, 0, 1) != 0) {}
    while (atomicCAS(locks + 1 - first, 0, 1) != 0) {}
    __threadfence();
    *count += 1;
    __threadfence();
    atomicExch(locks + 1 - first, 0);
    atomicExch(locks + first, 0);
}
TWINS(two_locks, (u32* locks, u32* count), (locks, count))

// twins lock_kept: 2 1 u32[1] u32[1] --expect 1=2 => deadlock
template <bool Right> __device__ void lock_kept(u32* lock, u32* count) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    bool is_last = ++*count == 2;
    __threadfence();
    if (Right || is_last) atomicExch(lock, 0);
}
TWINS(lock_kept, (u32* lock, u32* count), (lock, count))

// twins once: 2 1 u32[1] u32[1] u32[2] --expect 2=7,7 => data-race
template <bool Right> __device__ void once(u32* state, u32* data, u32* out) {
    u32 seen = Right ? load_acquire(state) : load_relaxed(state);
    if (seen != 2) {
        if (atomicCAS(state, 0, 1) == 0) {
            *data = 7;
            store_release(state, 2);
        } else {
            while ((Right ? load_acquire(state) : load_relaxed(state)) != 2) {}
        }
    }
    out[number()] = *data;
}
TWINS(once, (u32* state, u32* data, u32* out), (state, data, out))

// twins sequence_lock: 2 1 u32[1] u32[2] u32[1] --expect 2=0 => claim
template <bool Right> __device__ void sequence_lock(u32* sequence, u32* data, u32* out) {
    if (blockIdx.x == 0) {
        store_relaxed(sequence, 1);
        if (Right) fence();
        store_relaxed(data, 1);
        store_relaxed(data + 1, 1);
        store_release(sequence, 2);
    } else {
        u32 before = load_acquire(sequence);
        u32 a = load_relaxed(data), b = load_relaxed(data + 1);
        if (Right) fence();
        u32 after = load_relaxed(sequence);
        if (before == after && before % 2 == 0) out[0] = a != b;
    }
}
TWINS(sequence_lock, (u32* sequence, u32* data, u32* out), (sequence, data, out))

// Reductions.
// twins last_block: 2 2 u32[4] u32[1] u32[1] --expect 2=10 => data-race
template <bool Right> __device__ void last_block(u32* parts, u32* count, u32* total) {
    __shared__ bool is_last;
    parts[number()] = number() + 1;
    if (Right) __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        is_last = atomicInc(count, gridDim.x - 1) == gridDim.x - 1;
        if (Right) __threadfence();
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        u32 sum = 0;
        for (u32 at = 0; at < gridDim.x * blockDim.x; ++at) sum += parts[at];
        *total = sum;
    }
}
TWINS(last_block, (u32* parts, u32* count, u32* total), (parts, count, total))

// twins last_thread: 2 1 u32[2] u32[1] u32[1] --expect 2=3 => data-race
template <bool Right> __device__ void last_thread(u32* parts, u32* count, u32* total) {
    cuda::atomic_ref<u32, cuda::thread_scope_device> arrived(*count);
    parts[number()] = number() + 1;
    auto order = Right ? cuda::std::memory_order_acq_rel : cuda::std::memory_order_release;
    if (arrived.fetch_add(1, order) + 1 == gridDim.x * blockDim.x) *total = parts[0] + parts[1];
}
TWINS(last_thread, (u32* parts, u32* count, u32* total), (parts, count, total))

// twins histogram: 2 2 u32[2] --expect 0=2,2 => data-race
template <bool Right> __device__ void histogram(u32* bins) {
    __shared__ u32 own[2];
    if (threadIdx.x < 2) own[threadIdx.x] = 0;
    if (Right) __syncthreads();
    atomicAdd(own + (threadIdx.x + 1) % 2, 1);
    __syncthreads();
    if (threadIdx.x < 2) atomicAdd(bins + threadIdx.x, own[threadIdx.x]);
}
TWINS(histogram, (u32* bins), (bins))

// twins warp_aggregated: 2 2 u32[1] u32[4] --expect 1=1,1,1,1 => data-race
template <bool Right> __device__ void warp_aggregated(u32* count, u32* out) {
    u32 active = __activemask(), lane = threadIdx.x, leader = __ffs(active) - 1, base = 0;
    if (lane == leader) {
        if (Right) base = atomicAdd(count, __popc(active));
        else { base = *count; *count = base + __popc(active); }
    }
    base = __shfl_sync(active, base, leader);
    out[base + __popc(active & ((1u << lane) - 1))] = 1;
}
TWINS(warp_aggregated, (u32* count, u32* out), (count, out))

// twins maximum: 2 2 f32[1] --expect 0=4 => claim
template <bool Right> __device__ void maximum(float* most) {
    float own = number() + 1.0f;
    u32* bits = reinterpret_cast<u32*>(most);
    if (Right) {
        u32 seen = load_relaxed(bits);
        while (__uint_as_float(seen) < own) {
            u32 known = atomicCAS(bits, seen, __float_as_uint(own));
            if (known == seen) break;
            seen = known;
        }
    } else if (__uint_as_float(load_relaxed(bits)) < own) {
        store_relaxed(bits, __float_as_uint(own));
    }
}
TWINS(maximum, (float* most), (most))

// Shared memory and barriers.
// twins shared_flag: 2 2 u32[2] --expect 0=7,7 => data-race
template <bool Right> __device__ void shared_flag(u32* out) {
    __shared__ u32 data, flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    cuda::atomic_ref<u32, cuda::thread_scope_block> ready(flag);
    if (threadIdx.x == 0) {
        data = out[blockIdx.x] + 7;
        ready.store(1, Right ? cuda::std::memory_order_release : cuda::std::memory_order_relaxed);
    } else {
        while (ready.load(cuda::std::memory_order_acquire) == 0) {}
        out[blockIdx.x] = data;
    }
}
TWINS(shared_flag, (u32* out), (out))

// twins named_barrier: 1 64 u32[1] --expect 0=7 => data-race
template <bool Right> __device__ void named_barrier(u32* out) {
    __shared__ u32 data;
    if (threadIdx.x / 32 == 0) {
        if (Right && threadIdx.x == 0) data = out[0] + 7;
        asm volatile("barrier.cta.arrive 1, 64;" : : : "memory");
        if (!Right && threadIdx.x == 0) data = out[0] + 7;
    } else {
        asm volatile("barrier.cta.sync 1, 64;" : : : "memory");
        if (threadIdx.x == 32) out[0] = data;
    }
}
TWINS(named_barrier, (u32* out), (out))

// twins two_barriers: 1 64 u32[1] --expect 0=1 => deadlock
template <bool Right> __device__ void two_barriers(u32* out) {
    // Each warp waits at a barrier for both.
    u32 first = Right ? 1 : 1 + threadIdx.x / 32;
    asm volatile("barrier.cta.sync %0, 64;" : : "r"(first) : "memory");
    asm volatile("barrier.cta.sync %0, 64;" : : "r"(3 - first) : "memory");
    if (threadIdx.x == 0) out[0] = 1;
}
TWINS(two_barriers, (u32* out), (out))

// twins rounds: 1 2 u32[2] --expect 0=3,1 => data-race
template <bool Right> __device__ void rounds(u32* out) {
    __shared__ u32 slot[2];
    u32 sum = 0;
    for (u32 round = 0; round < 2; ++round) {
        slot[threadIdx.x] = round + threadIdx.x;
        __syncthreads();
        sum += slot[1 - threadIdx.x];
        if (Right) __syncthreads();
    }
    out[threadIdx.x] = sum;
}
TWINS(rounds, (u32* out), (out))

// twins two_buffers: 1 2 u32[2] --expect 0=6,3 => data-race
template <bool Right> __device__ void two_buffers(u32* out) {
    // With two buffers one barrier in a round is enough.
    __shared__ u32 slot[2][2];
    u32 sum = 0;
    for (u32 round = 0; round < 3; ++round) {
        u32 buffer = Right ? round % 2 : 0;
        slot[buffer][threadIdx.x] = round + threadIdx.x;
        __syncthreads();
        sum += slot[buffer][1 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}
TWINS(two_buffers, (u32* out), (out))

// twins warp_exchange: 1 2 u32[2] --expect 0=2,1 => data-race
template <bool Right> __device__ void warp_exchange(u32* out) {
    __shared__ u32 slot[2];
    slot[threadIdx.x] = threadIdx.x + 1;
    if (Right) __syncwarp();
    out[threadIdx.x] = slot[1 - threadIdx.x];
}
TWINS(warp_exchange, (u32* out), (out))

// twins next_tile: 2 2 u32[1] u32[4] --expect 1=1,1,1,1 => data-race
template <bool Right> __device__ void next_tile(u32* counter, u32* out) {
    __shared__ u32 tile;
    while (true) {
        if (threadIdx.x == 0) tile = atomicAdd(counter, 1);
        __syncthreads();
        u32 own = tile;
        if (Right) __syncthreads();
        if (own >= 2) break;
        out[2 * own + threadIdx.x] = 1;
    }
}
TWINS(next_tile, (u32* counter, u32* out), (counter, out))

// twins cluster_exchange: 2 1 u32[2] --cluster 2 --expect 0=2,1 => data-race
template <bool Right> __device__ void cluster_exchange(u32* out) {
    __shared__ u32 data;
    cg::cluster_group cluster = cg::this_cluster();
    data = cluster.block_rank() + 1;
    if (Right) cluster.sync();
    u32* other = cluster.map_shared_rank(&data, 1 - cluster.block_rank());
    out[cluster.block_rank()] = *other;
    cluster.sync();
}
TWINS(cluster_exchange, (u32* out), (out))

// twins cluster_arrival: 2 1 u32[2] --cluster 2 --expect 0=2,1 => data-race
template <bool Right> __device__ void cluster_arrival(u32* out) {
    __shared__ u32 data;
    cg::cluster_group cluster = cg::this_cluster();
    u32* other = cluster.map_shared_rank(&data, 1 - cluster.block_rank());
    cluster.sync();
    *other = cluster.block_rank() + 1;
    if (Right) asm volatile("barrier.cluster.arrive.release.aligned;" : : : "memory");
    else asm volatile("barrier.cluster.arrive.relaxed.aligned;" : : : "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" : : : "memory");
    out[cluster.block_rank()] = data;
}
TWINS(cluster_arrival, (u32* out), (out))

// twins grid_barrier: 2 1 u32[1] u32[2] u32[2] --expect 2=2,1 => data-race
template <bool Right> __device__ void grid_barrier(u32* count, u32* values, u32* out) {
    values[number()] = number() + 1;
    if (Right) __threadfence();
    atomicAdd(count, 1);
    while (load_relaxed(count) != gridDim.x) {}
    if (Right) __threadfence();
    out[number()] = values[1 - number()];
}
TWINS(grid_barrier, (u32* count, u32* values, u32* out), (count, values, out))

// twins hanging_barrier: 2 1 u32[1] --expect 0=2 => deadlock
template <bool Right> __device__ void hanging_barrier(u32* count) {
    // The wrong twin waits for a CTA more than there are.
    atomicAdd(count, 1);
    while (load_relaxed(count) != gridDim.x + !Right) {}
}
TWINS(hanging_barrier, (u32* count), (count))

// twins flags_of_both: 2 1 u32[2] --expect 0=1,1 => deadlock
template <bool Right> __device__ void flags_of_both(u32* flags) {
    u32 own = blockIdx.x;
    if (Right) store_release(flags + own, 1);
    while (load_acquire(flags + 1 - own) == 0) {}
    if (!Right) store_release(flags + own, 1);
}
TWINS(flags_of_both, (u32* flags), (flags))

// Sizes and overlaps.
// twins atomic_sizes: 2 1 u64[1] --expect 0=3 => data-race
template <bool Right> __device__ void atomic_sizes(u64* word) {
    u32* half = reinterpret_cast<u32*>(word);
    if (number() == 0) atomicAdd(word, 1);
    else if (Right) atomicAdd(word, 2);
    else atomicAdd(half, 2);
}
TWINS(atomic_sizes, (u64* word), (word))

// twins vectors: 2 1 u32[4] --expect 0=1,2,3,4 => data-race
template <bool Right> __device__ void vectors(u32* out) {
    uint2* slot = reinterpret_cast<uint2*>(out);
    if (number() == 0) *slot = make_uint2(1, 2);
    else if (Right) slot[1] = make_uint2(3, 4);
    else out[1] = 5;
}
TWINS(vectors, (u32* out), (out))

struct Fields { unsigned char a, b; unsigned short c; u32 bits; };
// twins fields: 2 1 u8[8] --expect 0=1,2,3,0,0,0,0,0 => data-race
template <bool Right> __device__ void fields(Fields* fields) {
    if (number() == 0) { fields->a = 1; if (!Right) fields->bits |= 1; }
    else { fields->b = 2; if (!Right) fields->bits |= 2; else fields->c = 3; }
}
TWINS(fields, (Fields* fields_of_threads), (fields_of_threads))

// twins torn: 2 1 u64[1] u32[1] --expect 1=0 => data-race
template <bool Right> __device__ void torn(u64* word, u32* out) {
    if (number() == 0) {
        store_relaxed(word, 0x0000000100000001ull);
    } else if (Right) {
        u64 seen = load_relaxed(word);
        out[0] = u32(seen) != u32(seen >> 32);
    } else {
        u32* half = reinterpret_cast<u32*>(word);
        out[0] = load_relaxed(half) != load_relaxed(half + 1);
    }
}
TWINS(torn, (u64* word, u32* out), (word, out))

// Queues and lists.
// twins queue: 2 1 u32[2] u32[1] u32[2] --expect 2=5,6 => data-race
template <bool Right> __device__ void queue(u32* items, u32* tail, u32* out) {
    if (number() == 0) {
        for (u32 at = 0; at < 2; ++at) {
            items[at] = at + 5;
            Right ? store_release(tail, at + 1) : store_relaxed(tail, at + 1);
        }
    } else {
        for (u32 at = 0; at < 2; ++at) {
            while (load_acquire(tail) <= at) {}
            out[at] = items[at];
        }
    }
}
TWINS(queue, (u32* items, u32* tail, u32* out), (items, tail, out))

struct Node { u32 value, next; };
// twins stack: 2 1 u32[6] u32[1] u32[2] => data-race
template <bool Right> __device__ void stack(Node* nodes, u32* head, u32* out) {
    // Indices from 1 on; two threads push, each pops one.
    cuda::atomic_ref<u32, cuda::thread_scope_device> top(*head);
    u32 own = number() + 1, seen = top.load(cuda::std::memory_order_relaxed);
    nodes[own].value = own;
    do nodes[own].next = seen;
    while (!top.compare_exchange_weak(seen, own, Right ? cuda::std::memory_order_release : cuda::std::memory_order_relaxed));
    seen = top.load(cuda::std::memory_order_acquire);
    if (seen != own) out[number()] = nodes[seen].value;
}
TWINS(stack, (Node* nodes, u32* head, u32* out), (nodes, head, out))

// twins slots: 2 2 u32[1] u32[4] => data-race
template <bool Right> __device__ void slots(u32* next, u32* out) {
    u32 at = Right ? atomicAdd(next, 1) : (*next)++;
    out[at] = number() + 1;
}
TWINS(slots, (u32* next, u32* out), (next, out))

// twins look_back: 3 1 u32[3] u32[3] u32[3] u32[3] --expect 3=0,1,3 => data-race
template <bool Right> __device__ void look_back(u32* state, u32* parts, u32* prefixes, u32* out) {
    // States: 1 a CTA's own sum, 2 with those before it.
    u32 own = blockIdx.x, sum = own + 1, before = 0;
    if (threadIdx.x == 0) {
        if (own == 0) {
            prefixes[0] = sum;
            Right ? store_release(state, 2) : store_relaxed(state, 2);
        } else {
            parts[own] = sum;
            Right ? store_release(state + own, 1) : store_relaxed(state + own, 1);
            for (u32 at = own; at-- > 0;) {
                u32 seen;
                while ((seen = load_acquire(state + at)) == 0) {}
                if (seen == 2) { before += prefixes[at]; break; }
                before += parts[at];
            }
            prefixes[own] = before + sum;
            Right ? store_release(state + own, 2) : store_relaxed(state + own, 2);
        }
        out[own] = before;
    }
}
TWINS(look_back, (u32* state, u32* parts, u32* prefixes, u32* out), (state, parts, prefixes, out))

// twins packed_look_back: 3 1 u64[3] u32[3] --expect 1=0,1,3 => data-race
template <bool Right> __device__ void packed_look_back(u64* descriptors, u32* out) {
    // State and sum in one word need no order.
    u32 own = blockIdx.x;
    u64 sum = own + 1, before = 0;
    auto publish = [&](u32 state, u64 value) {
        if (Right) store_relaxed(descriptors + own, u64(state) << 32 | value);
        else {
            u32* halves = reinterpret_cast<u32*>(descriptors + own);
            store_relaxed(halves + 1, state);
            store_relaxed(halves, u32(value));
        }
    };
    publish(own == 0 ? 2 : 1, sum);
    for (u32 at = own; at-- > 0;) {
        u64 seen;
        while (((seen = load_relaxed(descriptors + at)) >> 32) == 0) {}
        before += u32(seen);
        if (seen >> 32 == 2) break;
    }
    if (own > 0) publish(2, before + sum);
    out[own] = u32(before);
}
TWINS(packed_look_back, (u64* descriptors, u32* out), (descriptors, out))

// twins stream_k: 2 2 u32[2] u32[1] u32[2] --expect 2=11,12 => data-race
template <bool Right> __device__ void stream_k(u32* parts, u32* lock, u32* tile) {
    // CTA 1 leaves its part for CTA 0, which adds it: thread 0 waits for all.
    if (blockIdx.x == 1) {
        parts[threadIdx.x] = 10 + threadIdx.x;
        if (Right) __syncthreads();
        if (threadIdx.x == 0) store_release(lock, 1);
    } else {
        if (threadIdx.x == 0) while (load_acquire(lock) == 0) {}
        __syncthreads();
        tile[threadIdx.x] = parts[threadIdx.x] + 1;
    }
}
TWINS(stream_k, (u32* parts, u32* lock, u32* tile), (parts, lock, tile))

// twins in_turns: 2 2 u32[1] u32[2] --expect 1=3,3 => data-race
template <bool Right> __device__ void in_turns(u32* lock, u32* tile) {
    // CTAs add to a tile in the order of their numbers.
    if (threadIdx.x == 0) while (load_acquire(lock) != blockIdx.x) {}
    if (Right) __syncthreads();
    tile[threadIdx.x] += blockIdx.x + 1;
    __syncthreads();
    if (threadIdx.x == 0) store_release(lock, blockIdx.x + 1);
}
TWINS(in_turns, (u32* lock, u32* tile), (lock, tile))

// Copies.
// twins copy: 1 2 u32[8]=iota u32[2] --expect 1=7,3 => data-race
template <bool Right> __device__ void copy(const u32* in, u32* out) {
    __shared__ alignas(16) u32 buffer[8];
    u32 at = u32(__cvta_generic_to_shared(buffer + 4 * threadIdx.x));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" : : "r"(at), "l"(in + 4 * threadIdx.x) : "memory");
    asm volatile("cp.async.wait_all;" : : : "memory");
    if (Right) __syncthreads();
    out[threadIdx.x] = buffer[7 - 4 * threadIdx.x];
}
TWINS(copy, (const u32* in, u32* out), (in, out))

// twins mbarrier: 1 2 u32[1] --expect 0=7 => mbarrier-misuse
template <bool Right> __device__ void mbarrier(u32* out) {
    __shared__ u64 barrier;
    __shared__ u32 data;
    u32 at = u32(__cvta_generic_to_shared(&barrier));
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" : : "r"(at) : "memory");
    if (Right) __syncthreads();
    if (threadIdx.x == 0) {
        data = 7;
        u64 state;
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
    } else {
        u32 done = 0;
        while (!done)
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                         : "=r"(done) : "r"(at) : "memory");
        out[0] = data;
    }
}
TWINS(mbarrier, (u32* out), (out))

// Locks of several words, and readers.
struct Ticket {
    u32 next, owner;
};

// twins ticket_in_struct: 2 1 u32[2] u32[1] --expect 1=2 => data-race
template <bool Right> __device__ void ticket_in_struct(Ticket* lock, u32* data) {
    u32 ticket = atomicAdd(&lock->next, 1);
    while ((Right ? load_acquire(&lock->owner) : load_relaxed(&lock->owner)) != ticket) {}
    *data += 1;
    store_release(&lock->owner, ticket + 1);
}
TWINS(ticket_in_struct, (Ticket* lock, u32* data), (lock, data))

// Both counters in a word. The wrong one unlocks with an access of half of it.
// twins ticket_in_halves: 2 1 u32[1] u32[1] --expect 1=2 => data-race
template <bool Right> __device__ void ticket_in_halves(u32* lock, u32* data) {
    u32 ticket = atomicAdd(lock, 0x10000) >> 16;
    while ((load_acquire(lock) & 0xffff) != ticket) {}
    *data += 1;
    fence();
    if (Right) atomicAdd(lock, 1);
    else asm volatile("st.relaxed.gpu.u16 [%0], %1;" : : "l"(lock), "h"(static_cast<unsigned short>(ticket + 1)) : "memory");
}
TWINS(ticket_in_halves, (u32* lock, u32* data), (lock, data))

struct Waiter {
    u64 next;
    u32 waits, unused;
};

// twins queue_lock: 2 1 u64[1] u64[4] u32[1] --expect 2=2 => data-race
template <bool Right> __device__ void queue_lock(u64* tail, Waiter* waiters, u32* data) {
    Waiter* own = waiters + number();
    own->next = 0;
    own->waits = 1;
    fence();
    u64 before = atomicExch(tail, reinterpret_cast<u64>(own));
    fence();
    if (before != 0) {
        store_relaxed(&reinterpret_cast<Waiter*>(before)->next, reinterpret_cast<u64>(own));
        while (load_acquire(&own->waits) != 0) {}
    }
    *data += 1;
    fence();
    u64 next = load_relaxed(&own->next);
    if (next == 0) {
        if (atomicCAS(tail, reinterpret_cast<u64>(own), 0ull) == reinterpret_cast<u64>(own)) return;
        while ((next = load_relaxed(&own->next)) == 0) {}
    }
    fence();
    if (Right) store_release(&reinterpret_cast<Waiter*>(next)->waits, 0);
    else reinterpret_cast<Waiter*>(next)->waits = 0;
}
TWINS(queue_lock, (u64* tail, Waiter* waiters, u32* data), (tail, waiters, data))

// Readers come and go while a writer holds the lock.
constexpr u32 WRITER = 0x10000;

// twins readers_that_add: 3 1 u32[1] u32[2] u32[3] --expect 2=0,0,0 => data-race
template <bool Right> __device__ void readers_that_add(u32* lock, u32* data, u32* out) {
    cuda::atomic_ref<u32, cuda::thread_scope_device> word(*lock);
    if (number() == 0) {
        u32 free = 0;
        while (!word.compare_exchange_weak(free, WRITER, Right ? cuda::memory_order_acquire : cuda::memory_order_relaxed)) free = 0;
        data[0] = data[1] = 1;
        word.fetch_sub(WRITER, cuda::memory_order_release);
    } else {
        while (word.fetch_add(1, cuda::memory_order_acquire) >= WRITER) word.fetch_sub(1, cuda::memory_order_relaxed);
        out[number()] = data[0] - data[1];
        word.fetch_sub(1, cuda::memory_order_release);
    }
}
TWINS(readers_that_add, (u32* lock, u32* data, u32* out), (lock, data, out))

// twins readers_that_compare: 3 1 u32[1] u32[2] u32[3] --expect 2=0,0,0 => data-race
template <bool Right> __device__ void readers_that_compare(u32* lock, u32* data, u32* out) {
    cuda::atomic_ref<u32, cuda::thread_scope_device> word(*lock);
    if (number() == 0) {
        u32 free = 0;
        while (!word.compare_exchange_weak(free, WRITER, cuda::memory_order_acquire, cuda::memory_order_relaxed)) free = 0;
        data[0] = data[1] = 1;
        store_release(lock, 0);
    } else {
        u32 seen = load_relaxed(lock);
        while (seen >= WRITER || !word.compare_exchange_weak(seen, seen + 1, cuda::memory_order_acquire, cuda::memory_order_relaxed)) {
            seen = load_relaxed(lock);
        }
        out[number()] = data[0] - data[1];
        word.fetch_sub(1, Right ? cuda::memory_order_release : cuda::memory_order_relaxed);
    }
}
TWINS(readers_that_compare, (u32* lock, u32* data, u32* out), (lock, data, out))

// Updates continue a release, a store of another thread does not.
// twins passed_on: 3 1 u32[1] u32[1] u32[1] => data-race
template <bool Right> __device__ void passed_on(u32* data, u32* flag, u32* out) {
    if (number() == 0) {
        *data = 7;
        store_release(flag, 1);
    } else if (number() == 1) {
        if (Right) atomicCAS(flag, 1, 2);
        else if (load_relaxed(flag) == 1) store_relaxed(flag, 2);
    } else if (load_acquire(flag) == 2) {
        *out = *data;
    }
}
TWINS(passed_on, (u32* data, u32* flag, u32* out), (data, flag, out))
