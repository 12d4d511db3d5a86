// Kernels whose memory an H100 determines; record.py runs them there. Each has buffers of 32-bit words.
#include <cuda_fp16.h>

typedef unsigned u32;
typedef unsigned long long u64;

__device__ u32 mixed(u32 x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ (x >> 16); }

// The sum of each block, by shuffles and shared memory; the last block adds the sums of all.
__device__ u32 finished;
extern "C" __global__ void last_block(const u32 *in, u32 *sums, u32 *total, u32 n)
{
    __shared__ u32 part[32];
    __shared__ bool last;
    u32 sum = 0;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        u32 all = 0;
        for (u32 i = 0; i < blockDim.x / 32; i++) all += part[i];
        sums[blockIdx.x] = all;
        __threadfence();
        last = atomicAdd(&finished, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        __threadfence();
        u32 all = 0;
        for (u32 i = 0; i < gridDim.x; i++) all += ((volatile u32 *)sums)[i];
        *total = all;
    }
}

// An inclusive scan of a block.
extern "C" __global__ void scan(const u32 *in, u32 *out)
{
    __shared__ u32 data[2][256];
    int t = threadIdx.x, from = 0;
    data[0][t] = in[t];
    __syncthreads();
    for (int d = 1; d < 256; d *= 2, from ^= 1) {
        data[from ^ 1][t] = t >= d ? data[from][t] + data[from][t - d] : data[from][t];
        __syncthreads();
    }
    out[t] = data[from][t];
}

// A scan over blocks by decoupled look-back: status and value in one 64-bit word.
extern "C" __global__ void look_back(const u32 *in, u32 *out, u64 *state, u32 *ticket)
{
    __shared__ u32 tile, before;
    __shared__ u32 data[64];
    if (threadIdx.x == 0) tile = atomicAdd(ticket, 1);
    __syncthreads();
    u32 i = tile * 64 + threadIdx.x;
    data[threadIdx.x] = in[i];
    __syncthreads();
    if (threadIdx.x == 0) {
        u32 sum = 0;
        for (int k = 0; k < 64; k++) data[k] = sum += data[k];
        if (tile) atomicExch(state + tile, 1ull << 32 | sum);
        u32 prefix = 0;
        for (int at = (int)tile - 1; at >= 0;) {
            u64 seen = atomicAdd(state + at, 0ull);
            if (seen >> 32 == 0) continue;
            prefix += (u32)seen;
            if (seen >> 32 == 2) break;
            at--;
        }
        atomicExch(state + tile, 2ull << 32 | (prefix + sum));
        before = prefix;
    }
    __syncthreads();
    out[i] = before + data[threadIdx.x];
}

// A hash table with linear probing; the counts of the keys do not depend on the order.
extern "C" __global__ void hash_table(const u32 *keys, u32 *slots, u32 *counts, u32 *found, u32 n)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u32 key = keys[i] % 23 + 1, at = mixed(key) & 63;
    for (;; at = (at + 1) & 63) {
        u32 old = atomicCAS(slots + at, 0, key);
        if (old == 0 || old == key) break;
    }
    atomicAdd(counts + key, 1);
    atomicMax(found + key % 8, key);
}

// A product of 16 x 16 matrices in tiles.
extern "C" __global__ void product(const float *a, const float *b, float *c)
{
    __shared__ float x[8][9], y[8][9];
    int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 16; k += 8) {
        x[threadIdx.y][threadIdx.x] = a[row * 16 + k + threadIdx.x];
        y[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * 16 + column];
        __syncthreads();
        for (int i = 0; i < 8; i++) sum = fmaf(x[threadIdx.y][i], y[i][threadIdx.x], sum);
        __syncthreads();
    }
    c[row * 16 + column] = sum;
}

// Divergence, loops of different lengths, votes, matches, ballots.
extern "C" __global__ void divergence(u32 *out)
{
    u32 t = threadIdx.x, x = mixed(t), steps = 0;
    while (x != 1 && steps < 40) { x = x & 1 ? x / 3 + 1 : x / 2; steps++; }
    u32 even = __ballot_sync(~0u, steps % 2 == 0);
    u32 same = __match_any_sync(~0u, steps % 5);
    if (t % 3 == 0) steps += __popc(even);
    else if (t % 3 == 1) steps ^= __activemask() ? 7 : 0;
    else { for (u32 i = 0; i < t; i++) steps += mixed(i) >> 28; }
    out[t] = steps + __popc(same) + __reduce_add_sync(~0u, t);
}

// Conversions, divisions, rounding, special values.
extern "C" __global__ void numbers(const float *in, u32 *out)
{
    u32 t = threadIdx.x;
    float x = in[t] * 1000.0f;
    double d = (double)x / 7.0;
    out[t * 8 + 0] = __float_as_uint(x / 3.0f);
    out[t * 8 + 1] = __float_as_uint(sqrtf(fabsf(x)));
    out[t * 8 + 2] = (u32)__float2int_rz(x);
    out[t * 8 + 3] = (u32)(__double_as_longlong(d) >> 32) ^ (u32)__double_as_longlong(sqrt(fabs(d)));
    out[t * 8 + 4] = __half_as_ushort(__hfma(__float2half(in[t]), __float2half(2.5f), __float2half(1.0f)));
    out[t * 8 + 5] = __umulhi(mixed(t), 0x9e3779b9u) + mixed(t) % 1000003u;
    out[t * 8 + 6] = __brev(mixed(t)) ^ __byte_perm(mixed(t), t, 0x3160) ^ __clz(mixed(t) >> (t & 31));
    out[t * 8 + 7] = (u32)((long long)(int)mixed(t) * (int)mixed(t + 1) >> 17) / (t + 1);
}

// Local arrays, calls that are not inlined, 64-bit arithmetic, a function pointer.
__device__ __noinline__ u64 power(u64 base, u32 exponent) { return exponent ? base * power(base, exponent - 1) % 1000000007ull : 1; }
__device__ __noinline__ u32 twice(u32 x) { return 2 * x; }
__device__ __noinline__ u32 square(u32 x) { return x * x; }
__device__ u32 (*const functions[2])(u32) = {twice, square};
extern "C" __global__ void calls(u32 *out)
{
    u32 t = threadIdx.x, digits[16];
    for (int i = 0; i < 16; i++) digits[i] = mixed(t * 16 + i) % 100;
    for (int i = 1; i < 16; i++)
        for (int j = i; j && digits[j - 1] > digits[j]; j--) { u32 x = digits[j]; digits[j] = digits[j - 1]; digits[j - 1] = x; }
    out[t] = digits[mixed(t) % 16] + (u32)power(t + 2, t % 20) + functions[t & 1](t);
}

// A ring of CTAs of a cluster that write each other's shared memory.
extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster(u32 *out)
{
    __shared__ u32 box[32];
    u32 rank, there;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    u32 here = (u32)__cvta_generic_to_shared(box + threadIdx.x);
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"((rank + 1) % 4));
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
    asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(there), "r"(rank * 1000 + threadIdx.x) : "memory");
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
    out[blockIdx.x * 32 + threadIdx.x] = box[threadIdx.x];
}

// Two stages of cp.async, and a work queue of persistent blocks.
extern "C" __global__ void pipeline(const u32 *in, u32 *out, u32 *next, u32 tiles)
{
    __shared__ __align__(16) u32 stage[2][32];
    __shared__ u32 tile;
    for (;;) {
        if (threadIdx.x == 0) tile = atomicAdd(next, 1);
        __syncthreads();
        u32 mine = tile;
        __syncthreads();
        if (mine >= tiles) return;
        u32 sum = 0;
        for (u32 k = 0; k < 5; k++) {
            if (k < 4) {
                u32 to = (u32)__cvta_generic_to_shared(&stage[k & 1][threadIdx.x]);
                asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(in + mine * 128 + k * 32 + threadIdx.x) : "memory");
            }
            asm volatile("cp.async.commit_group;" ::: "memory");
            if (k) {
                asm volatile("cp.async.wait_group 1;" ::: "memory");
                __syncthreads();
                sum += stage[(k - 1) & 1][(threadIdx.x + 1) % 32] * (k + 1);
                __syncthreads();
            }
        }
        out[mine * 32 + threadIdx.x] = sum;
    }
}
