// Kernels that wait: values that pass by, counters that are reset, barriers built from atomics, semaphores.
#include "twins.cuh"

// The wrong one waits for a value that may pass by unseen.
// twins value_passes_by: 2 1 u32[1] => deadlock
template <bool Right> __device__ void value_passes_by(u32* flag) {
    if (number() == 0) {
        store_release(flag, 1);
        store_release(flag, 2);
    } else if (Right) while (load_acquire(flag) < 1) {}
    else while (load_acquire(flag) != 1) {}
}
TWINS(value_passes_by, (u32* flag), (flag))

// twins phase_acknowledged: 2 1 u32[1] u32[1] => deadlock
template <bool Right> __device__ void phase_acknowledged(u32* flag, u32* seen) {
    if (number() == 0) {
        store_release(flag, 1);
        if (Right) while (load_acquire(seen) == 0) {}
        store_release(flag, 0);
    } else {
        while (load_acquire(flag) == 0) {}
        store_release(seen, 1);
    }
}
TWINS(phase_acknowledged, (u32* flag, u32* seen), (flag, seen))

// The last to arrive resets the counter: those that wait for the full count may never see it.
// twins counter_reset: 2 1 u32[1] u32[1] => deadlock
template <bool Right> __device__ void counter_reset(u32* count, u32* round) {
    if (atomicAdd(count, 1) + 1 == gridDim.x) {
        atomicExch(count, 0);
        atomicAdd(round, 1);
    } else if (Right) while (load_relaxed(round) == 0) {}
    else while (load_relaxed(count) != gridDim.x) {}
}
TWINS(counter_reset, (u32* count, u32* round), (count, round))

// Sense reversal, two rounds. The wrong one does not reset the count.
// twins sense_reversal: 2 1 u32[1] u32[1] u32[2] u32[2] --expect 3=2,1 => deadlock
template <bool Right> __device__ void sense_reversal(u32* count, u32* sense, u32* values, u32* out) {
    u32 own = 0, sum = 0;
    for (u32 round = 0; round < 2; ++round) {
        if (round == 0) values[number()] = number() + 1;
        fence();
        own ^= 1;
        if (atomicAdd(count, 1) + 1 == gridDim.x) {
            if (Right) store_relaxed(count, 0u);
            fence();
            store_relaxed(sense, own);
        } else while (load_relaxed(sense) != own) {}
        fence();
        if (round == 0) sum += values[1 - number()];
        else out[number()] = sum;
    }
}
TWINS(sense_reversal, (u32* count, u32* sense, u32* values, u32* out), (count, sense, values, out))

// The same with a count that wraps by itself, and a sense that only the last one turns. The wrong one has no release.
// twins wrapping_count: 2 1 u32[1] u32[1] u32[2] u32[2] --expect 3=2,1 => data-race
template <bool Right> __device__ void wrapping_count(u32* count, u32* generation, u32* values, u32* out) {
    values[number()] = number() + 1;
    u32 own = load_relaxed(generation);
    if (Right) fence();
    if (atomicInc(count, gridDim.x - 1) == gridDim.x - 1) {
        if (Right) fence();
        atomicAdd(generation, 1);
    } else {
        while (load_relaxed(generation) == own) {}
    }
    fence();
    out[number()] = values[1 - number()];
}
TWINS(wrapping_count, (u32* count, u32* generation, u32* values, u32* out), (count, generation, values, out))

// The generation has to be read before the arrival.
// twins generation_read_late: 2 1 u32[1] u32[1] => deadlock
template <bool Right> __device__ void generation_read_late(u32* count, u32* generation) {
    cuda::atomic_ref<u32, cuda::thread_scope_device> current(*generation), arrived(*count);
    u32 own = Right ? current.load() : 0;
    u32 before = arrived.fetch_add(1);
    if (!Right) own = current.load();
    if (before + 1 == gridDim.x) {
        arrived.store(0);
        current.fetch_add(1);
    } else while (current.load() == own) {}
}
TWINS(generation_read_late, (u32* count, u32* generation), (count, generation))

// A binary semaphore that nobody has released before.
// twins semaphore: 2 2 u32[1]=1 u32[1] --expect 1=4 => data-race
template <bool Right> __device__ void semaphore(u32* units, u32* data) {
    while (true) {
        u32 seen = load_relaxed(units);
        if (seen != 0 && atomicCAS(units, seen, seen - 1) == seen) break;
    }
    fence();
    *data += 1;
    if (Right) fence();
    atomicAdd(units, 1);
}
TWINS(semaphore, (u32* units, u32* data), (units, data))

// twins semaphore_kept: 2 1 u32[1]=1 u32[1] => deadlock
template <bool Right> __device__ void semaphore_kept(u32* units, u32* data) {
    while (true) {
        u32 seen = load_relaxed(units);
        if (seen != 0 && atomicCAS(units, seen, seen - 1) == seen) break;
    }
    if (Right || load_relaxed(data) == 1) {
        atomicAdd(units, 1);
    } else store_relaxed(data, 0);
}
TWINS(semaphore_kept, (u32* units, u32* data), (units, data))

// Three wait for each other in a circle.
// twins circle: 3 1 u32[3] => deadlock
template <bool Right> __device__ void circle(u32* flags) {
    u32 own = blockIdx.x, next = (own + 1) % gridDim.x;
    if (Right && own == 2) store_release(flags + own, 1);
    while (load_acquire(flags + next) == 0) {}
    store_release(flags + own, 1);
}
TWINS(circle, (u32* flags), (flags))

// A state that another thread has moved on can never be exchanged.
// twins state_moved_on: 2 1 u32[1] u32[1] => deadlock
template <bool Right> __device__ void state_moved_on(u32* state, u32* out) {
    if (number() == 0) {
        atomicExch(state, 1);
        if (!Right) atomicCAS(state, 1, 3);
    } else {
        while (atomicCAS(state, 1, 2) != 1) {}
        out[0] = 1;
    }
}
TWINS(state_moved_on, (u32* state, u32* out), (state, out))

// A loop that waits for one of two flags, with a stop that one writer forgets.
// twins one_of_two: 3 1 u32[1] u32[1] => deadlock
template <bool Right> __device__ void one_of_two(u32* first, u32* second) {
    if (number() == 0) {
        while (load_acquire(first) != 1 && load_acquire(second) != 1) {}
    } else if (number() == 1) {
        store_release(first, 1);
        store_release(first, 0);
    } else if (Right) store_release(second, 1);
}
TWINS(one_of_two, (u32* first, u32* second), (first, second))

// Waits with a back-off that grows.
// twins back_off: 2 1 u32[1] u32[1] u32[1] --expect 2=7 => deadlock
template <bool Right> __device__ void back_off(u32* data, u32* flag, u32* out) {
    if (number() == 0) {
        *data = 7;
        if (Right) store_release(flag, 1);
        else store_release(flag, 0);
    } else {
        for (u32 time = 8; load_acquire(flag) == 0; time = time < 256 ? 2 * time : 256) __nanosleep(time);
        *out = *data;
    }
}
TWINS(back_off, (u32* data, u32* flag, u32* out), (data, flag, out))

// How long a thread has waited is a result of its own.
// twins counted_wait: 2 1 u32[1] u32[1] u32[1] => data-race
template <bool Right> __device__ void counted_wait(u32* data, u32* flag, u32* out) {
    u32 rounds = 0;
    if (number() == 0) {
        *data = 7;
        store_release(flag, 1);
    } else {
        while (load_relaxed(flag) == 0) ++rounds;
        if (Right) fence();
        out[0] = *data + (rounds > 3);
    }
}
TWINS(counted_wait, (u32* data, u32* flag, u32* out), (data, flag, out))

// Gives up after some rounds, and reads all the same.
// twins gives_up: 2 1 u32[1] u32[1] u32[1] => data-race
template <bool Right> __device__ void gives_up(u32* data, u32* flag, u32* out) {
    if (number() == 0) {
        *data = 7;
        store_release(flag, 1);
    } else {
        u32 seen = 0;
        for (u32 round = 0; round < 3 && !seen; ++round) seen = load_acquire(flag);
        if (!Right || seen) out[0] = *data;
    }
}
TWINS(gives_up, (u32* data, u32* flag, u32* out), (data, flag, out))

// Waits for some time only.
// twins times_out: 2 1 u32[1] u32[1] u32[1] => data-race
template <bool Right> __device__ void times_out(u32* data, u32* flag, u32* out) {
    if (number() == 0) {
        *data = 7;
        store_release(flag, 1);
    } else {
        long long begin = clock64();
        u32 seen = 0;
        while ((seen = load_acquire(flag)) == 0 && clock64() - begin < 100000) {}
        if (!Right || seen) out[0] = *data;
    }
}
TWINS(times_out, (u32* data, u32* flag, u32* out), (data, flag, out))

// A worker polls under a lock for work that never comes: it has effects on others all the time.
// twins polls_under_lock: 2 1 u32[1] u32[1] => deadlock
template <bool Right> __device__ void polls_under_lock(u32* lock, u32* stop) {
    if (number() == 0) {
        while (true) {
            while (atomicCAS(lock, 0, 1) != 0) {}
            fence();
            u32 stopped = *stop;
            fence();
            atomicExch(lock, 0);
            if (stopped) break;
        }
    } else {
        while (atomicCAS(lock, 0, 1) != 0) {}
        fence();
        if (Right) *stop = 1;
        fence();
        atomicExch(lock, 0);
    }
}
TWINS(polls_under_lock, (u32* lock, u32* stop), (lock, stop))

// Two consumers, one item: the second one waits forever.
// twins one_item: 3 1 u32[1] => deadlock
template <bool Right> __device__ void one_item(u32* items) {
    if (number() == 0) {
        atomicAdd(items, Right ? 2 : 1);
    } else {
        while (true) {
            u32 seen = load_acquire(items);
            if (seen != 0 && atomicCAS(items, seen, seen - 1) == seen) break;
        }
    }
}
TWINS(one_item, (u32* items), (items))

// The handshake of two threads over one word.
// twins rendezvous: 2 1 u32[1] u32[2] u32[2] --expect 2=2,1 => data-race
template <bool Right> __device__ void rendezvous(u32* word, u32* values, u32* out) {
    values[number()] = number() + 1;
    cuda::atomic_ref<u32, cuda::thread_scope_device> both(*word);
    both.fetch_or(1u << number(), Right ? cuda::std::memory_order_release : cuda::std::memory_order_relaxed);
    while (both.load(cuda::std::memory_order_acquire) != 3) {}
    out[number()] = values[1 - number()];
}
TWINS(rendezvous, (u32* word, u32* values, u32* out), (word, values, out))

// Work arrives until an end mark. The wrong producer writes the mark over the last item.
// twins mailbox: 2 1 u32[1] u32[1] --expect 1=3 => deadlock
template <bool Right> __device__ void mailbox(u32* box, u32* sum) {
    if (number() == 0) {
        for (u32 item = 1; item <= 2; ++item) {
            if (Right) while (load_acquire(box) != 0) {}
            store_release(box, item);
        }
    } else {
        u32 total = 0;
        for (u32 at = 0; at < 2; ++at) {
            u32 item;
            while ((item = load_acquire(box)) == 0) {}
            total += item;
            store_release(box, 0);
        }
        *sum = total;
    }
}
TWINS(mailbox, (u32* box, u32* sum), (box, sum))

// A ticket lock that hands over to the wrong ticket.
// twins ticket_handed_over: 2 1 u32[1] u32[1] u32[1] --expect 2=2 => deadlock
template <bool Right> __device__ void ticket_handed_over(u32* next, u32* owner, u32* data) {
    u32 ticket = atomicAdd(next, 1);
    while (load_acquire(owner) != ticket) {}
    *data += 1;
    fence();
    if (Right) atomicAdd(owner, 1);
    else store_relaxed(owner, ticket + 2);
}
TWINS(ticket_handed_over, (u32* next, u32* owner, u32* data), (next, owner, data))
