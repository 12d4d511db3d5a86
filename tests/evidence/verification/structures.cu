// Locks, queues, sequence locks, pointers that are exchanged, litmus shapes in whole kernels.
#include "twins.cuh"

// A reader announces itself before it looks again whether the pointer is still the same; the writer looks before it overwrites.
// twins hazard_pointer: 2 1 u32[1] u32[1] u32[2]=5,5 u32[1] => data-race
template <bool Right> __device__ void hazard_pointer(u32* current, u32* hazard, u32* nodes, u32* out) {
    if (number() == 0) {
        u32 at = load_relaxed(current);
        store_relaxed(hazard, at + 1);
        Right ? fence_sc() : fence();
        if (load_acquire(current) == at) out[0] = nodes[at];
        store_release(hazard, 0);
    } else {
        store_release(current, 1);
        Right ? fence_sc() : fence();
        if (load_acquire(hazard) != 1) nodes[0] = 9;
    }
}
TWINS(hazard_pointer, (u32* current, u32* hazard, u32* nodes, u32* out), (current, hazard, nodes, out))

// A writer publishes a new version and waits until the readers of the old one are gone.
// twins grace_period: 2 1 u32[1] u32[1] u32[2]=5,6 u32[1] => data-race
template <bool Right> __device__ void grace_period(u32* current, u32* readers, u32* versions, u32* out) {
    cuda::atomic_ref<u32, cuda::thread_scope_device> pointer(*current), inside(*readers);
    if (number() == 0) {
        inside.fetch_add(1, cuda::std::memory_order_seq_cst);
        u32 at = pointer.load(cuda::std::memory_order_seq_cst);
        out[0] = versions[at];
        inside.fetch_sub(1, cuda::std::memory_order_release);
    } else {
        pointer.store(1, cuda::std::memory_order_seq_cst);
        if (Right) while (inside.load(cuda::std::memory_order_seq_cst) != 0) {}
        versions[0] = 9;
    }
}
TWINS(grace_period, (u32* current, u32* readers, u32* versions, u32* out), (current, readers, versions, out))

// A new version is written before its pointer is.
// twins pointer_swap: 2 1 u64[1] u32[2]=5,0 u32[1] => data-race
template <bool Right> __device__ void pointer_swap(u64* pointer, u32* versions, u32* out) {
    if (number() == 0) {
        versions[1] = 6;
        Right ? store_release(pointer, u64(versions + 1)) : store_relaxed(pointer, u64(versions + 1));
    } else {
        u64 seen = load_acquire(pointer);
        out[0] = seen == 0 ? versions[0] : *reinterpret_cast<u32*>(seen);
    }
}
TWINS(pointer_swap, (u64* pointer, u32* versions, u32* out), (pointer, versions, out))

// A sequence lock whose writer does not say that it begins before it writes.
// twins sequence_begins_late: 2 1 u32[1] u32[2] u32[1] --expect 2=0 => claim
template <bool Right> __device__ void sequence_begins_late(u32* sequence, u32* data, u32* out) {
    if (number() == 0) {
        if (Right) { store_relaxed(sequence, 1); fence(); }
        store_relaxed(data, 1);
        store_relaxed(data + 1, 1);
        if (Right) store_release(sequence, 2);
        else { store_relaxed(sequence, 1); fence(); store_release(sequence, 2); }
    } else {
        u32 before = load_acquire(sequence), a = load_relaxed(data), b = load_relaxed(data + 1);
        fence();
        if (load_relaxed(sequence) == before && before % 2 == 0) out[0] = a != b;
    }
}
TWINS(sequence_begins_late, (u32* sequence, u32* data, u32* out), (sequence, data, out))

// The same until it is right. The wrong reader reads the second number without a fence.
// twins sequence_retried: 2 1 u32[1] u32[2] u32[1] --expect 2=0 => claim
template <bool Right> __device__ void sequence_retried(u32* sequence, u32* data, u32* out) {
    if (number() == 0) {
        store_relaxed(sequence, 1);
        fence();
        store_relaxed(data, 1);
        store_relaxed(data + 1, 1);
        store_release(sequence, 2);
    } else {
        while (true) {
            u32 before = load_acquire(sequence);
            if (before % 2) continue;
            u32 a = load_relaxed(data), b = load_relaxed(data + 1);
            if (Right) fence();
            if (load_relaxed(sequence) != before) continue;
            out[0] = a != b;
            break;
        }
    }
}
TWINS(sequence_retried, (u32* sequence, u32* data, u32* out), (sequence, data, out))

// Dekker's lock with its turn.
// twins dekker_with_turn: 2 1 u32[2] u32[1] u32[1] --expect 2=2 => data-race
template <bool Right> __device__ void dekker_with_turn(u32* wants, u32* turn, u32* count) {
    u32 own = blockIdx.x, other = 1 - own;
    store_relaxed(wants + own, 1);
    Right ? fence_sc() : fence();
    while (load_acquire(wants + other)) {
        if (load_relaxed(turn) != own) {
            store_relaxed(wants + own, 0);
            while (load_relaxed(turn) != own) {}
            store_relaxed(wants + own, 1);
            Right ? fence_sc() : fence();
        }
    }
    fence();
    *count += 1;
    fence();
    store_relaxed(turn, other);
    store_release(wants + own, 0);
}
TWINS(dekker_with_turn, (u32* wants, u32* turn, u32* count), (wants, turn, count))

// Lamport's bakery. The wrong one does not say that it chooses.
// twins bakery: 2 1 u32[2] u32[2] u32[1] --expect 2=2 => data-race
template <bool Right> __device__ void bakery(u32* choosing, u32* numbers, u32* count) {
    u32 own = blockIdx.x, other = 1 - own;
    if (Right) store_relaxed(choosing + own, 1);
    fence_sc();
    u32 mine = load_relaxed(numbers + other) + 1;
    store_relaxed(numbers + own, mine);
    fence_sc();
    store_release(choosing + own, 0);
    fence_sc();
    while (load_acquire(choosing + other)) {}
    while (true) {
        u32 theirs = load_acquire(numbers + other);
        if (theirs == 0 || mine < theirs || (mine == theirs && own < other)) break;
    }
    *count += 1;
    store_release(numbers + own, 0);
}
TWINS(bakery, (u32* choosing, u32* numbers, u32* count), (choosing, numbers, count))

// A ring with two slots, three items. The wrong producer believes in one slot more.
// twins ring: 2 1 u32[2] u32[1] u32[1] u32[3] --expect 3=5,6,7 => data-race
template <bool Right> __device__ void ring(u32* slots, u32* head, u32* tail, u32* out) {
    if (number() == 0) {
        for (u32 at = 0; at < 3; ++at) {
            while (at - load_acquire(head) >= (Right ? 2 : 3)) {}
            slots[at % 2] = at + 5;
            store_release(tail, at + 1);
        }
    } else {
        for (u32 at = 0; at < 3; ++at) {
            while (load_acquire(tail) == at) {}
            out[at] = slots[at % 2];
            store_release(head, at + 1);
        }
    }
}
TWINS(ring, (u32* slots, u32* head, u32* tail, u32* out), (slots, head, tail, out))

// The consumer frees a slot without an order.
// twins ring_freed_early: 2 1 u32[1] u32[1] u32[1] u32[2] --expect 3=5,6 => data-race
template <bool Right> __device__ void ring_freed_early(u32* slot, u32* head, u32* tail, u32* out) {
    if (number() == 0) {
        for (u32 at = 0; at < 2; ++at) {
            while (at != load_acquire(head)) {}
            *slot = at + 5;
            store_release(tail, at + 1);
        }
    } else {
        for (u32 at = 0; at < 2; ++at) {
            while (load_acquire(tail) == at) {}
            out[at] = *slot;
            Right ? store_release(head, at + 1) : store_relaxed(head, at + 1);
        }
    }
}
TWINS(ring_freed_early, (u32* slot, u32* head, u32* tail, u32* out), (slot, head, tail, out))

// Several producers, slots with a number of their own.
// twins numbered_slots: 3 1 u32[2] u32[2] u32[1] u32[1] --expect 3=13 => data-race
template <bool Right> __device__ void numbered_slots(u32* sequence, u32* items, u32* tail, u32* sum) {
    if (number() < 2) {
        u32 at = atomicAdd(tail, 1);
        items[at] = number() + 6;
        Right ? store_release(sequence + at, 1) : store_relaxed(sequence + at, 1);
    } else {
        u32 total = 0;
        for (u32 at = 0; at < 2; ++at) {
            while (load_acquire(sequence + at) == 0) {}
            total += items[at];
        }
        *sum = total;
    }
}
TWINS(numbered_slots, (u32* sequence, u32* items, u32* tail, u32* sum), (sequence, items, tail, sum))

// The owner takes from the bottom, a thief from the top: of the last item only one of them.
// twins stealing: 2 1 u32[1] u32[1]=1 u32[1] --expect 2=1 => claim
template <bool Right> __device__ void stealing(u32* top, u32* bottom, u32* taken) {
    if (number() == 0) {
        u32 b = load_relaxed(bottom) - 1;
        store_relaxed(bottom, b);
        Right ? fence_sc() : fence();
        u32 t = load_relaxed(top);
        if (t < b + 1) {
            if (t != b || atomicCAS(top, t, t + 1) == t) atomicAdd(taken, 1);
        }
        store_relaxed(bottom, b + 1);
    } else {
        u32 t = load_acquire(top);
        fence_sc();
        u32 b = load_acquire(bottom);
        if (t < b && (Right ? atomicCAS(top, t, t + 1) == t : (store_relaxed(top, t + 1), true))) atomicAdd(taken, 1);
    }
}
TWINS(stealing, (u32* top, u32* bottom, u32* taken), (top, bottom, taken))

// A stack of free nodes from which two pop. The wrong one takes without a compare-and-swap.
// twins free_list: 2 1 u32[1]=1 u32[3]=0,2,0 u32[2] => trap
template <bool Right> __device__ void free_list(u32* head, u32* next, u32* owners) {
    u32 seen = load_acquire(head);
    while (seen != 0) {
        u32 behind = load_relaxed(next + seen);
        if (Right) {
            u32 known = atomicCAS(head, seen, behind);
            if (known == seen) break;
            seen = known;
        } else {
            store_relaxed(head, behind);
            break;
        }
    }
    if (seen != 0 && atomicAdd(owners + seen - 1, 1) != 0) __trap();
}
TWINS(free_list, (u32* head, u32* next, u32* owners), (head, next, owners))

// Two readers see two writes in the same order.
// twins same_order: 4 1 u32[2] u32[4] => trap
template <bool Right> __device__ void same_order(u32* words, u32* out) {
    u32 own = blockIdx.x;
    if (own < 2) store_relaxed(words + own, 1);
    else {
        u32 a = load_relaxed(words + own % 2);
        Right ? fence_sc() : fence();
        u32 b = load_relaxed(words + 1 - own % 2);
        out[own - 2] = a == 1 && b == 0;
        if (a == 1 && b == 0) atomicAdd(out + 2, 1) == 1 ? __trap() : void();
    }
}
TWINS(same_order, (u32* words, u32* out), (words, out))

// Store buffering: the fences have to be wide enough.
// twins narrow_fence: 2 1 u32[2] u32[1] => trap
template <bool Right> __device__ void narrow_fence(u32* words, u32* count) {
    u32 own = blockIdx.x;
    store_relaxed(words + own, 1);
    Right ? fence_sc() : fence_sc_cta();
    if (load_relaxed(words + 1 - own) == 0 && atomicAdd(count, 1) == 1) __trap();
}
TWINS(narrow_fence, (u32* words, u32* count), (words, count))

// Reading a condition orders nothing.
// twins condition_alone: 2 1 u32[1] u32[1] u32[1] => trap
template <bool Right> __device__ void condition_alone(u32* data, u32* flag, u32* out) {
    if (number() == 0) {
        store_relaxed(data, 1);
        store_release(flag, 1);
    } else if (load_relaxed(flag) == 1) {
        if (Right) fence();
        if (load_relaxed(data) == 0) __trap();
    }
}
TWINS(condition_alone, (u32* data, u32* flag, u32* out), (data, flag, out))

// A message whose flag is an addition without a result.
// twins added_flag: 2 1 u32[1] u32[1] u32[1] --expect 2=7 => data-race
template <bool Right> __device__ void added_flag(u32* data, u32* flag, u32* out) {
    if (number() == 0) {
        *data = 7;
        if (Right) asm volatile("red.release.gpu.global.add.u32 [%0], 1;" : : "l"(flag) : "memory");
        else asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" : : "l"(flag) : "memory");
    } else {
        while (load_acquire(flag) == 0) {}
        *out = *data;
    }
}
TWINS(added_flag, (u32* data, u32* flag, u32* out), (data, flag, out))

// Two writers, one flag that counts: the reader waits for both, and acquires from both.
// twins two_writers: 3 1 u32[2] u32[1] u32[1] --expect 2=3 => data-race
template <bool Right> __device__ void two_writers(u32* data, u32* flag, u32* out) {
    if (number() < 2) {
        data[number()] = number() + 1;
        if (Right || number() == 1) asm volatile("red.release.gpu.global.add.u32 [%0], 1;" : : "l"(flag) : "memory");
        else asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" : : "l"(flag) : "memory");
    } else {
        while (load_acquire(flag) != 2) {}
        *out = data[0] + data[1];
    }
}
TWINS(two_writers, (u32* data, u32* flag, u32* out), (data, flag, out))

// Half of a word is written alone, after the whole was handed over or at the same time.
// twins halves: 2 1 u64[1] u32[1] u32[1] => data-race
template <bool Right> __device__ void halves(u64* word, u32* flag, u32* out) {
    if (number() == 0) {
        *word = 0x500000007ull;
        store_release(flag, 1);
    } else {
        if (Right) while (load_acquire(flag) == 0) {}
        out[0] = reinterpret_cast<u32*>(word)[1];
    }
}
TWINS(halves, (u64* word, u32* flag, u32* out), (word, flag, out))

// Bits of one word that two threads set.
// twins bits_of_one_word: 2 1 u32[1] --expect 0=3 => data-race
template <bool Right> __device__ void bits_of_one_word(u32* word) {
    if (Right) atomicOr(word, 1u << number());
    else *word |= 1u << number();
}
TWINS(bits_of_one_word, (u32* word), (word))

// The same with strong accesses, which are no race and lose a bit.
// twins lost_bit: 2 1 u32[1] --expect 0=3 => claim
template <bool Right> __device__ void lost_bit(u32* word) {
    if (Right) atomicOr(word, 1u << number());
    else store_relaxed(word, load_relaxed(word) | 1u << number());
}
TWINS(lost_bit, (u32* word), (word))

// A sum of floats under a lock, and by compare-and-swap with the wrong expectation.
// twins float_sum: 2 1 f32[1] --expect 0=3 => claim
template <bool Right> __device__ void float_sum(float* sum) {
    u32* bits = reinterpret_cast<u32*>(sum);
    u32 seen = load_relaxed(bits);
    while (true) {
        float next = __uint_as_float(seen) + float(number() + 1);
        u32 known = atomicCAS(bits, seen, __float_as_uint(next));
        if (known == seen || !Right) break;
        seen = known;
    }
}
TWINS(float_sum, (float* sum), (sum))

// The volatile vector is written in two parts.
// twins volatile_pair: 2 1 u32[2] u32[1] u32[1] --expect 2=0 => claim
template <bool Right> __device__ void volatile_pair(u32* pair, u32* flag, u32* out) {
    if (number() == 0) {
        asm volatile("st.volatile.v2.u32 [%0], {%1, %1};" : : "l"(pair), "r"(1) : "memory");
        store_release(flag, 1);
    } else {
        u32 a, b;
        if (Right) while (load_acquire(flag) == 0) {}
        asm volatile("ld.volatile.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(pair) : "memory");
        *out = a != b;
    }
}
TWINS(volatile_pair, (u32* pair, u32* flag, u32* out), (pair, flag, out))

// A barrier of CTAs in which only thread 0 of each waits.
// twins barrier_of_leaders: 2 2 u32[1] u32[4] u32[4] --expect 2=4,3,2,1 => data-race
template <bool Right> __device__ void barrier_of_leaders(u32* count, u32* values, u32* out) {
    values[number()] = number() + 1;
    if (Right) __syncthreads();
    if (threadIdx.x == 0) {
        fence();
        atomicAdd(count, 1);
        while (load_relaxed(count) != gridDim.x) {}
        fence();
    }
    __syncthreads();
    out[number()] = values[3 - number()];
}
TWINS(barrier_of_leaders, (u32* count, u32* values, u32* out), (count, values, out))

// What one CTA leaves for the next launch has to be reset by the last one.
// twins counter_left: 2 1 u32[1] u32[2] u32[1] --expect 0=0 => claim
template <bool Right> __device__ void counter_left(u32* count, u32* parts, u32* total) {
    parts[number()] = number() + 1;
    fence();
    bool is_last = atomicAdd(count, 1) + 1 == gridDim.x;
    fence();
    if (is_last) {
        *total = parts[0] + parts[1];
        if (Right) *count = 0;
    }
}
TWINS(counter_left, (u32* count, u32* parts, u32* total), (count, parts, total))

// A state is published before its value.
// twins state_first: 2 1 u32[1] u32[1] u32[1] => data-race
template <bool Right> __device__ void state_first(u32* state, u32* value, u32* out) {
    if (number() == 0) {
        if (!Right) store_release(state, 1);
        *value = 3;
        if (Right) store_release(state, 1);
    } else {
        while (load_acquire(state) == 0) {}
        *out = *value;
    }
}
TWINS(state_first, (u32* state, u32* value, u32* out), (state, value, out))

// An unlock by a thread that does not hold the lock.
// twins unlocked_twice: 3 1 u32[1] u32[1] --expect 1=3 => data-race
template <bool Right> __device__ void unlocked_twice(u32* lock, u32* count) {
    while (atomicExch(lock, 1) != 0) {}
    fence();
    *count += 1;
    fence();
    atomicExch(lock, 0);
    if (!Right) atomicExch(lock, 0);
}
TWINS(unlocked_twice, (u32* lock, u32* count), (lock, count))

// A lock of bits in one word, a bit for each datum.
// twins lock_of_bits: 2 1 u32[1] u32[2] => data-race
template <bool Right> __device__ void lock_of_bits(u32* bits, u32* data) {
    u32 own = 1u << (Right ? 0 : number());
    while (atomicOr(bits, own) & own) {}
    fence();
    data[0] += 1;
    fence();
    atomicAnd(bits, ~own);
}
TWINS(lock_of_bits, (u32* bits, u32* data), (bits, data))

