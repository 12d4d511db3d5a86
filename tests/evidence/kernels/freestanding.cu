// Kernels for clang without CUDA's headers: scoped atomics, structures, calls, wide integers, _Float16.
#define GLOBAL extern "C" __attribute__((global)) void
#define DEVICE __attribute__((device))
#define SHARED __attribute__((shared))
#define CONSTANT __attribute__((constant))
#define NOINLINE __attribute__((device, noinline))
#define TID __nvvm_read_ptx_sreg_tid_x()
#define CTA __nvvm_read_ptx_sreg_ctaid_x()
#define NTID __nvvm_read_ptx_sreg_ntid_x()
#define NCTA __nvvm_read_ptx_sreg_nctaid_x()
#define SYNC __syncthreads()
#define GPU __MEMORY_SCOPE_DEVICE
#define BLOCK __MEMORY_SCOPE_WRKGRP

typedef unsigned u32;
typedef unsigned long long u64;
typedef unsigned __int128 u128;
typedef float Quad __attribute__((ext_vector_type(4)));

DEVICE u32 mixed(u32 x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ (x >> 16); }

DEVICE u32 finished;
GLOBAL last_block(const u32 *in, u32 *sums, u32 *total)
{
    SHARED static u32 part[64], is_last;
    part[TID] = in[CTA * NTID + TID];
    SYNC;
    for (u32 d = 32; d; d /= 2) { if (TID < d) part[TID] += part[TID + d]; SYNC; }
    if (TID == 0) {
        sums[CTA] = part[0];
        __scoped_atomic_thread_fence(__ATOMIC_ACQ_REL, GPU); // clang 22 makes `atom.relaxed` of read-modify-writes in any order
        is_last = __scoped_atomic_fetch_add(&finished, 1, __ATOMIC_ACQ_REL, GPU) == NCTA - 1;
        __scoped_atomic_thread_fence(__ATOMIC_ACQ_REL, GPU);
    }
    SYNC;
    if (!is_last || TID) return;
    u32 all = 0;
    for (u32 i = 0; i < NCTA; i++) all += sums[i];
    *total = all;
}

GLOBAL spin_lock(u32 *lock, u32 *sum, const u32 *in)
{
    for (bool done = false; !done;) {
        if (__scoped_atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE, GPU) == 0) {
            __scoped_atomic_thread_fence(__ATOMIC_ACQUIRE, GPU);
            sum[0] += in[CTA * NTID + TID];
            sum[1]++;
            __scoped_atomic_store_n(lock, 0, __ATOMIC_RELEASE, GPU);
            done = true;
        }
    }
}

// Each CTA waits for the flag of the one before and passes a value on.
GLOBAL message_chain(u32 *flags, u32 *values)
{
    if (TID) return;
    u32 value = 1;
    if (CTA) {
        while (__scoped_atomic_load_n(flags + CTA - 1, __ATOMIC_ACQUIRE, GPU) == 0) {}
        value = values[CTA - 1] * 3 + CTA;
    }
    values[CTA] = value;
    __scoped_atomic_store_n(flags + CTA, 1, __ATOMIC_RELEASE, GPU);
}

// A ring between two warps: one writes, the other reads.
GLOBAL ring(u32 *out, u32 count)
{
    SHARED static u32 slots[4], ends[2];
    if (TID < 2) ends[TID] = 0;
    SYNC;
    if (TID == 0) {
        for (u32 i = 0; i < count; i++) {
            while (i - __scoped_atomic_load_n(ends + 1, __ATOMIC_ACQUIRE, BLOCK) == 4) {}
            slots[i % 4] = mixed(i);
            __scoped_atomic_store_n(ends, i + 1, __ATOMIC_RELEASE, BLOCK);
        }
    } else if (TID == 32) {
        for (u32 i = 0; i < count; i++) {
            while (__scoped_atomic_load_n(ends, __ATOMIC_ACQUIRE, BLOCK) == i) {}
            out[i] = slots[i % 4];
            __scoped_atomic_store_n(ends + 1, i + 1, __ATOMIC_RELEASE, BLOCK);
        }
    }
}

// Readers repeat until both halves belong to the same version.
GLOBAL sequence_lock(u32 *version, u32 *data, u32 *bad)
{
    if (TID) return;
    if (CTA == 0) {
        for (u32 i = 1; i <= 20; i++) {
            __scoped_atomic_store_n(version, 2 * i - 1, __ATOMIC_RELAXED, GPU);
            __scoped_atomic_thread_fence(__ATOMIC_SEQ_CST, GPU);
            __scoped_atomic_store_n(data, i, __ATOMIC_RELAXED, GPU);
            __scoped_atomic_store_n(data + 1, i * 7, __ATOMIC_RELAXED, GPU);
            __scoped_atomic_store_n(version, 2 * i, __ATOMIC_RELEASE, GPU);
        }
        return;
    }
    for (u32 done = 0; done < 5;) {
        u32 before = __scoped_atomic_load_n(version, __ATOMIC_ACQUIRE, GPU);
        u32 x = __scoped_atomic_load_n(data, __ATOMIC_RELAXED, GPU), y = __scoped_atomic_load_n(data + 1, __ATOMIC_RELAXED, GPU);
        __scoped_atomic_thread_fence(__ATOMIC_SEQ_CST, GPU);
        if (before % 2 || __scoped_atomic_load_n(version, __ATOMIC_RELAXED, GPU) != before) continue;
        done++;
        if (y != x * 7) __scoped_atomic_fetch_add(bad, 1, __ATOMIC_RELAXED, GPU);
    }
}

// Mutual exclusion of two CTAs by loads and stores alone.
GLOBAL two_flags(u32 *flags, u32 *turn, u32 *counter)
{
    if (TID) return;
    u32 other = 1 - CTA;
    for (u32 i = 0; i < 10; i++) {
        __scoped_atomic_store_n(flags + CTA, 1, __ATOMIC_SEQ_CST, GPU);
        __scoped_atomic_store_n(turn, other, __ATOMIC_SEQ_CST, GPU);
        while (__scoped_atomic_load_n(flags + other, __ATOMIC_SEQ_CST, GPU) && __scoped_atomic_load_n(turn, __ATOMIC_SEQ_CST, GPU) == other) {}
        *counter += 1 + CTA;
        __scoped_atomic_store_n(flags + CTA, 0, __ATOMIC_SEQ_CST, GPU);
    }
}

struct Inner { char c; short s[3]; };
struct Settings { u32 scale; Inner inner[2]; double offset; u32 *out; };
NOINLINE Settings changed(Settings s, u32 t) { s.inner[t & 1].s[t % 3] += t; s.offset *= 2; return s; }
GLOBAL structures(Settings settings, u32 n)
{
    Settings s = changed(settings, TID);
    if (TID < n) s.out[TID] = s.scale * TID + s.inner[TID & 1].s[TID % 3] + s.inner[0].c + (u32)(int)s.offset;
}

NOINLINE u32 fibonacci(u32 n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
NOINLINE u32 ackermann(u32 m, u32 n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
GLOBAL recursion(u32 *out) { out[TID] = fibonacci(TID % 11) * 1000 + ackermann(TID % 3, TID % 5); }

NOINLINE u32 plus(u32 a, u32 b) { return a + b; }
NOINLINE u32 minus(u32 a, u32 b) { return a - b; }
NOINLINE u32 times(u32 a, u32 b) { return a * b; }
NOINLINE u32 power(u32 a, u32 b) { u32 r = 1; for (u32 i = 0; i < b % 7; i++) r *= a; return r; }
DEVICE u32 (*operations[4])(u32, u32) = {plus, minus, times, power};
GLOBAL stack_machine(const u32 *program, u32 *out, u32 length)
{
    u32 stack[16], top = 0;
    for (u32 i = 0; i < length; i++) {
        u32 word = program[i];
        if (word < 4) { u32 b = stack[--top]; stack[top - 1] = operations[word](stack[top - 1], b); }
        else stack[top++] = word - 4 + TID;
    }
    out[TID] = stack[0];
}

GLOBAL vectors(const Quad *in, Quad *out)
{
    Quad a = in[TID], b = in[(TID + 1) % 16];
    Quad c = a * b + a.wzyx;
    c.xy = c.x > c.y ? c.xy : c.yx;
    out[TID] = c;
}

GLOBAL bit_tricks(const u32 *in, u32 *out)
{
    u32 x = in[TID];
    u64 y = (u64)x << 32 | mixed(x);
    out[6 * TID + 0] = __builtin_popcount(x) + 100 * __builtin_popcountll(y);
    out[6 * TID + 1] = __builtin_clz(x | 1) + 100 * __builtin_clzll(y);
    out[6 * TID + 2] = __builtin_ctz(x | 256) + 100 * __builtin_ctzll(y | 1ull << 40);
    out[6 * TID + 3] = __builtin_bitreverse32(x) ^ (u32)(__builtin_bitreverse64(y) >> 9);
    out[6 * TID + 4] = __builtin_bswap32(x) + (u32)(__builtin_bswap64(y) >> 20);
    out[6 * TID + 5] = __builtin_rotateleft32(x, TID) + (u32)__builtin_rotateright64(y, TID * 3);
}

GLOBAL wide_products(const u64 *in, u64 *out)
{
    u128 a = (u128)in[TID] * in[TID + 1] + in[TID + 2], b = a << (TID % 100) ^ a >> 37;
    u128 c = a * b - b;
    out[4 * TID] = (u64)a;
    out[4 * TID + 1] = (u64)(a >> 64);
    out[4 * TID + 2] = (u64)c;
    out[4 * TID + 3] = (u64)(c >> 64) + (a < b);
}

// A set of 64-bit keys by compare-and-swap; every key gets in once.
GLOBAL hash_set(u64 *slots, u32 *inserted, const u32 *in)
{
    u64 key = 1 + (u64)(in[CTA * NTID + TID] % 40) * 0x100000001ull;
    for (u32 at = mixed((u32)key) % 64;; at = (at + 1) % 64) {
        u64 empty = 0;
        bool mine = __scoped_atomic_compare_exchange_n(slots + at, &empty, key, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE, GPU);
        if (mine) { __scoped_atomic_fetch_add(inserted, 1, __ATOMIC_RELAXED, GPU); return; }
        if (empty == key) return;
    }
}

GLOBAL polynomial(const double *in, double *out)
{
    double x = in[TID], y = 0;
    for (int k = 0; k < 9; k++) y = y * x + (k % 2 ? -1.0 : 1.0) / (k + 1);
    out[2 * TID] = y;
    out[2 * TID + 1] = (double)(float)y + (double)(int)(x * 1e3) - (double)(u64)(x * x * 1e6);
}

DEVICE u32 table[2][4] = {{1, 2, 3, 4}, {5, 6}};
DEVICE u32 *rows[3] = {table[1], &table[0][2], table[0]};
CONSTANT double weights[3] = {0.5, -1.25, 1e3};
GLOBAL initial_values(double *out)
{
    out[TID] = rows[TID % 3][TID & 1] * weights[TID % 3];
    SYNC;
    rows[TID % 3][TID & 1] = 100;
}

GLOBAL halves(const _Float16 *in, _Float16 *out, float *wide)
{
    _Float16 a = in[TID], b = in[TID + 1], c = a * b + (_Float16)0.75f;
    out[2 * TID] = c;
    out[2 * TID + 1] = a < b ? a - b : -c;
    wide[TID] = (float)c * (float)a;
}

// Quicksort with a stack in local memory, an array a thread.
GLOBAL quicksort(u32 *data, u32 n)
{
    u32 *mine = data + TID * n;
    int stack[24], top = 0;
    stack[top++] = 0;
    stack[top++] = n - 1;
    while (top) {
        int high = stack[--top], low = stack[--top], at = low;
        if (low >= high) continue;
        u32 pivot = mine[high];
        for (int i = low; i <= high; i++)
            if (i == high || mine[i] < pivot) { u32 swap = mine[i]; mine[i] = mine[at]; mine[at++] = swap; }
        stack[top++] = low; stack[top++] = at - 2;
        stack[top++] = at; stack[top++] = high;
    }
}
