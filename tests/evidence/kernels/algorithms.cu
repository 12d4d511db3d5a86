// Algorithms on integers and floats, compiled by nvrtc without headers; algorithms.py launches them.
typedef unsigned u32;
typedef unsigned long long u64;
typedef unsigned char u8;

#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)
#define THREADS (gridDim.x * blockDim.x)

__device__ u32 mixed(u32 x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ (x >> 16); }

extern "C" __global__ void histogram(const u32 *data, u32 *bins, u32 n)
{
    __shared__ u32 local[16];
    if (threadIdx.x < 16) local[threadIdx.x] = 0;
    __syncthreads();
    for (u32 i = THREAD; i < n; i += THREADS) atomicAdd(local + data[i] % 16, 1);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(bins + threadIdx.x, local[threadIdx.x]);
}

// Four bits a pass; the rank of a key within its warp comes from ballots.
extern "C" __global__ void radix_sort(const u32 *in, u32 *out)
{
    __shared__ u32 keys[2][128], counts[16][4];
    u32 t = threadIdx.x, warp = t / 32, from = 0;
    keys[0][t] = in[t];
    for (u32 shift = 0; shift < 32; shift += 4, from ^= 1) {
        __syncthreads();
        u32 key = keys[from][t], digit = key >> shift & 15, same = ~0u;
        for (u32 bit = 0; bit < 4; bit++) {
            u32 set = __ballot_sync(~0u, digit >> bit & 1);
            same &= digit >> bit & 1 ? set : ~set;
        }
        if (t < 64) counts[t / 4][t % 4] = 0;
        __syncthreads();
        u32 rank = __popc(same & ((1u << t % 32) - 1));
        if (rank == 0) counts[digit][warp] = __popc(same);
        __syncthreads();
        if (t == 0) {
            u32 sum = 0;
            for (u32 i = 0; i < 64; i++) { u32 count = counts[i / 4][i % 4]; counts[i / 4][i % 4] = sum; sum += count; }
        }
        __syncthreads();
        keys[from ^ 1][counts[digit][warp] + rank] = key;
    }
    __syncthreads();
    out[t] = keys[from][t];
}

extern "C" __global__ void bitonic_sort(float *keys, u32 *values)
{
    __shared__ float key[128];
    __shared__ u32 value[128];
    u32 t = threadIdx.x;
    key[t] = keys[t];
    value[t] = values[t];
    for (u32 size = 2; size <= 128; size *= 2)
        for (u32 step = size / 2; step; step /= 2) {
            __syncthreads();
            u32 other = t ^ step;
            if (other > t && (key[t] > key[other]) == !(t & size)) {
                float k = key[t]; key[t] = key[other]; key[other] = k;
                u32 v = value[t]; value[t] = value[other]; value[other] = v;
            }
        }
    __syncthreads();
    keys[t] = key[t];
    values[t] = value[t];
}

// Each element of two sorted arrays finds its place by a binary search in the other.
extern "C" __global__ void merge(const u32 *a, const u32 *b, u32 *out, u32 n)
{
    u32 i = THREAD;
    if (i >= 2 * n) return;
    bool first = i < n;
    u32 key = first ? a[i] : b[i - n], low = 0, high = n;
    const u32 *other = first ? b : a;
    while (low < high) {
        u32 middle = (low + high) / 2;
        if (first ? other[middle] < key : other[middle] <= key) low = middle + 1; else high = middle;
    }
    out[(first ? i : i - n) + low] = key;
}

extern "C" __global__ void bfs(const u32 *offsets, const u32 *edges, int *level, u32 nodes)
{
    __shared__ volatile bool more;
    for (int depth = 0;; depth++) {
        __syncthreads();
        if (threadIdx.x == 0) more = false;
        __syncthreads();
        for (u32 v = threadIdx.x; v < nodes; v += blockDim.x) {
            if (((volatile int *)level)[v] != depth) continue;
            for (u32 e = offsets[v]; e < offsets[v + 1]; e++)
                if (atomicCAS(level + edges[e], -1, depth + 1) == -1) more = true;
        }
        __syncthreads();
        if (!more) return;
    }
}

// A sum for each run of equal keys, by shuffles up to the head of the run.
extern "C" __global__ void segmented_sum(const u32 *keys, const u32 *values, u32 *sums)
{
    u32 i = THREAD, lane = threadIdx.x % 32, key = keys[i], sum = values[i];
    for (u32 d = 1; d < 32; d *= 2) {
        u32 other_key = __shfl_up_sync(~0u, key, d), other = __shfl_up_sync(~0u, sum, d);
        if (lane >= d && other_key == key) sum += other;
    }
    u32 next = __shfl_down_sync(~0u, key, 1);
    if (lane == 31 || next != key) atomicAdd(sums + key, sum);
}

extern "C" __global__ void compact(const u32 *in, u32 *out, u32 *count, u32 n)
{
    __shared__ u32 base[5];
    u32 i = threadIdx.x, warp = i / 32, lane = i % 32;
    bool keep = i < n && in[i] % 3 == 0;
    u32 mask = __ballot_sync(~0u, keep);
    if (lane == 0) base[warp + 1] = __popc(mask);
    __syncthreads();
    if (i == 0) { base[0] = 0; for (int w = 0; w < 4; w++) base[w + 1] += base[w]; *count = base[4]; }
    __syncthreads();
    if (keep) out[base[warp] + __popc(mask & ((1u << lane) - 1))] = in[i];
}

extern "C" __global__ void transpose(const u32 *in, u32 *out, u32 width, u32 height)
{
    __shared__ u32 tile[8][9];
    u32 x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * 8 + threadIdx.x;
    y = blockIdx.x * 8 + threadIdx.y;
    if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void stencil(const float *in, float *out, int width, int height)
{
    __shared__ float tile[10][10];
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    for (int i = threadIdx.y * 8 + threadIdx.x; i < 100; i += 64) {
        int sx = (int)blockIdx.x * 8 + i % 10 - 1, sy = (int)blockIdx.y * 8 + i / 10 - 1;
        bool inside = sx >= 0 && sy >= 0 && sx < width && sy < height;
        tile[i / 10][i % 10] = inside ? in[sy * width + sx] : 0.0f;
    }
    __syncthreads();
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    float around = tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx];
    out[y * width + x] = 0.5f * tile[ty][tx] + 0.125f * around;
}

extern "C" __global__ void string_search(const u8 *text, const u8 *pattern, u32 *first, u32 *count, u32 length, u32 size)
{
    for (u32 i = THREAD; i + size <= length; i += THREADS) {
        u32 k = 0;
        while (k < size && text[i + k] == pattern[k]) k++;
        if (k == size) { atomicMin(first, i); atomicAdd(count, 1); }
    }
}

// A lock that serves threads in the order of their tickets.
extern "C" __global__ void ticket_lock(u32 *lock, u32 *counter, u32 *order)
{
    for (int round = 0; round < 2; round++) {
        u32 ticket = atomicAdd(lock, 1);
        while (atomicAdd(lock + 1, 0) != ticket) {}
        __threadfence();
        u32 seen = *(volatile u32 *)counter;
        *(volatile u32 *)counter = seen + 1;
        order[seen] = ticket;
        __threadfence();
        atomicAdd(lock + 1, 1);
    }
}

// Nodes are pushed to a list; the last block walks along it.
extern "C" __global__ void linked_list(u32 *head, u32 *next, u32 *done, u32 *sum)
{
    u32 i = THREAD + 1, old = *(volatile u32 *)head, seen;
    for (;; old = seen) {
        ((volatile u32 *)next)[i] = old;
        __threadfence();
        seen = atomicCAS(head, old, i);
        if (seen == old) break;
    }
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(done, 1) == gridDim.x - 1;
    __syncthreads();
    if (!last || threadIdx.x) return;
    __threadfence();
    u32 count = 0, total = 0;
    for (u32 at = *(volatile u32 *)head; at; at = ((volatile u32 *)next)[at]) { count++; total += mixed(at); }
    sum[0] = count;
    sum[1] = total;
}

extern "C" __global__ void float_sum(const float *in, float *out)
{
    __shared__ float part[4];
    float sum = in[THREAD];
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = (part[0] + part[1]) + (part[2] + part[3]);
}

extern "C" __global__ void all_reductions(const int *in, int *out)
{
    int x = in[THREAD];
    atomicMin(out + 0, x);
    atomicMax(out + 1, x);
    atomicAnd(out + 2, x | 0xff);
    atomicOr(out + 3, x & 0xff00);
    atomicXor(out + 4, x);
    atomicAdd(out + 5, x);
    atomicMin((u32 *)out + 6, (u32)x);
    atomicMax((u32 *)out + 7, (u32)x);
    atomicAdd((u64 *)(out + 8), (u64)(long long)x);
    atomicInc((u32 *)out + 10, 99);
    atomicDec((u32 *)out + 11, 49);
}

// A barrier over the whole grid between the steps of an automaton.
__device__ u32 arrived;
extern "C" __global__ void grid_barrier(u32 *cells, u32 steps)
{
    u32 n = THREADS, i = THREAD;
    volatile u32 *now = cells, *then = cells + n;
    for (u32 step = 1; step <= steps; step++) {
        then[i] = now[(i + n - 1) % n] ^ (now[i] | now[(i + 1) % n]);
        volatile u32 *swap = now; now = then; then = swap;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(&arrived, 1);
            while (atomicAdd(&arrived, 0) < step * gridDim.x) {}
        }
        __syncthreads();
        __threadfence();
    }
}

// Persistent blocks take tasks that create tasks: a tree whose nodes have up to two children.
extern "C" __global__ void task_queue(u32 *queue, u32 *ends, u32 *sum)
{
    __shared__ u32 task;
    for (;;) {
        if (threadIdx.x == 0) {
            task = 0;
            while (atomicAdd(ends + 2, 0) != 0) {
                u32 at = atomicAdd(ends, 0);
                if (at == atomicAdd(ends + 1, 0)) continue;
                u32 found = atomicAdd(queue + at, 0);
                if (found && atomicCAS(ends, at, at + 1) == at) { task = found; break; }
            }
        }
        __syncthreads();
        u32 mine = task;
        __syncthreads();
        if (mine == 0) return;
        if (threadIdx.x < 2) {
            u32 child = 2 * mine + threadIdx.x;
            if (child < 100 && mixed(child) % 4) {
                atomicAdd(ends + 2, 1);
                atomicExch(queue + atomicAdd(ends + 1, 1), child);
            }
        }
        __syncthreads();
        if (threadIdx.x == 0) { atomicAdd(sum, mine); __threadfence(); atomicSub(ends + 2, 1); }
    }
}

extern "C" __global__ void life(const u8 *in, u8 *out, int width, int height)
{
    int x = THREAD % width, y = THREAD / width, around = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy) around += in[(y + dy + height) % height * width + (x + dx + width) % width];
    out[y * width + x] = around == 3 || (around == 2 && in[y * width + x]);
}

extern "C" __global__ void matrix_vector(const float4 *matrix, const float4 *vector, float *out, u32 quads)
{
    float sum = 0;
    for (u32 k = 0; k < quads; k++) {
        float4 a = matrix[THREAD * quads + k], b = vector[k];
        sum = fmaf(a.w, b.w, fmaf(a.z, b.z, fmaf(a.y, b.y, fmaf(a.x, b.x, sum))));
    }
    out[THREAD] = sum;
}

extern "C" __global__ void mandelbrot(u32 *out, u32 width, u32 limit)
{
    float cx = (threadIdx.x % width) * 0.1875f - 2.0f, cy = (threadIdx.x / width) * 0.25f - 1.0f, x = 0, y = 0;
    u32 n = 0;
    for (; n < limit && x * x + y * y <= 4.0f; n++) { float t = x * x - y * y + cx; y = 2.0f * x * y + cy; x = t; }
    out[threadIdx.x] = n;
}

// Labels of connected components: the least number of a node in each.
extern "C" __global__ void components(const u32 *from, const u32 *to, u32 *parent, u32 edges)
{
    for (u32 e = THREAD; e < edges; e += THREADS) {
        u32 a = from[e], b = to[e];
        while (a != b) {
            if (a < b) { u32 swap = a; a = b; b = swap; }
            u32 old = atomicMin(parent + a, b);
            a = old == a ? b : old;
        }
    }
}

extern "C" __global__ void flatten(u32 *parent)
{
    u32 at = THREAD, up;
    while ((up = ((volatile u32 *)parent)[at]) != at) at = up;
    ((volatile u32 *)parent)[THREAD] = at;
}

// Sums and products of 128 bits by carries.
extern "C" __global__ void wide_integers(const u64 *a, const u64 *b, u64 *out)
{
    u32 t = threadIdx.x;
    u64 low, high;
    asm("add.cc.u64 %0, %2, %4;\n\taddc.u64 %1, %3, %5;" : "=l"(low), "=l"(high) : "l"(a[2 * t]), "l"(a[2 * t + 1]), "l"(b[2 * t]), "l"(b[2 * t + 1]));
    out[4 * t] = low;
    out[4 * t + 1] = high;
    out[4 * t + 2] = a[2 * t] * b[2 * t];
    out[4 * t + 3] = __umul64hi(a[2 * t], b[2 * t]);
}

extern "C" __global__ void jump_table(const u32 *in, u32 *out)
{
    u32 x = in[THREAD], y = x >> 3;
    for (int i = 0; i < 3; i++) {
        switch (x & 7) {
        case 0: y += 17; break;
        case 1: y = y * 5 + 1; break;
        case 2: y ^= y >> 7; break;
        case 3: y = __brev(y); // continues
        case 4: y -= 3; break;
        case 5: y = y / 11; break;
        case 6: y = y << 3 | y >> 29; break;
        default: y = ~y;
        }
        x = y;
    }
    out[THREAD] = y;
}

// The edit distance of two words, a diagonal a step.
extern "C" __global__ void edit_distance(const u8 *a, const u8 *b, u32 *out, u32 n, u32 m)
{
    __shared__ u32 table[33][33];
    u32 t = threadIdx.x;
    for (u32 d = 0; d <= n + m; d++) {
        if (t <= d && t <= n && d - t <= m) {
            u32 i = t, j = d - t, best = i + j;
            if (i && j) {
                best = table[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
                best = min(best, min(table[i - 1][j], table[i][j - 1]) + 1);
            }
            table[i][j] = best;
        }
        __syncthreads();
    }
    if (t == 0) *out = table[n][m];
}

extern "C" __global__ void compensated_sum(const double *in, double *out, u32 n)
{
    double sum = 0, lost = 0;
    for (u32 i = threadIdx.x; i < n; i += blockDim.x) {
        double y = in[i] - lost, t = sum + y;
        lost = (t - sum) - y;
        sum = t;
    }
    out[threadIdx.x] = sum / (1.0 + threadIdx.x);
}
