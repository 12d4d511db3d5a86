// Algorithms of CUB in kernels of our own, for `libraries.py`.
#include <cub/agent/single_pass_scan_operators.cuh>
#include <cub/cub.cuh>
#include <cuda/functional>

typedef unsigned u32;

template <int Items, class T> __device__ void load(T (&to)[Items], const T *from)
{
    for (int k = 0; k < Items; ++k)
        to[k] = from[threadIdx.x * Items + k];
}

template <int Items, class T> __device__ void store(T *to, const T (&from)[Items])
{
    for (int k = 0; k < Items; ++k)
        to[threadIdx.x * Items + k] = from[k];
}

template <cub::BlockReduceAlgorithm Algorithm> __device__ void reduced(const u32 *in, u32 *out)
{
    using Reduce = cub::BlockReduce<u32, 96, Algorithm>;
    __shared__ typename Reduce::TempStorage storage;
    u32 items[3];
    load(items, in);
    u32 sum = Reduce(storage).Sum(items);
    __syncthreads();
    u32 most = Reduce(storage).Reduce(items[0], cuda::maximum<>{}, 77);
    if (threadIdx.x == 0) {
        out[0] = sum;
        out[1] = most;
    }
}

extern "C" __global__ void reduce_raking(const u32 *in, u32 *out) { reduced<cub::BLOCK_REDUCE_RAKING>(in, out); }

extern "C" __global__ void reduce_commutative(const u32 *in, u32 *out) { reduced<cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(in, out); }

extern "C" __global__ void reduce_warps(const u32 *in, u32 *out) { reduced<cub::BLOCK_REDUCE_WARP_REDUCTIONS>(in, out); }

template <cub::BlockScanAlgorithm Algorithm> __device__ void scanned(const u32 *in, u32 *out)
{
    using Scan = cub::BlockScan<u32, 64, Algorithm>;
    __shared__ typename Scan::TempStorage storage;
    u32 items[4];
    load(items, in);
    Scan(storage).InclusiveSum(items, items);
    store(out, items);
}

extern "C" __global__ void scan_raking(const u32 *in, u32 *out) { scanned<cub::BLOCK_SCAN_RAKING>(in, out); }

extern "C" __global__ void scan_memoize(const u32 *in, u32 *out) { scanned<cub::BLOCK_SCAN_RAKING_MEMOIZE>(in, out); }

extern "C" __global__ void scan_warps(const u32 *in, u32 *out) { scanned<cub::BLOCK_SCAN_WARP_SCANS>(in, out); }

template <class Key> __device__ void sorted(Key *keys)
{
    using Sort = cub::BlockRadixSort<Key, 64, 4>;
    __shared__ typename Sort::TempStorage storage;
    Key items[4];
    load(items, keys);
    Sort(storage).Sort(items);
    store(keys, items);
}

extern "C" __global__ void radix_sort_signed(int *keys) { sorted(keys); }

extern "C" __global__ void radix_sort_float(float *keys) { sorted(keys); }

extern "C" __global__ void radix_sort_bytes(unsigned char *keys) { sorted(keys); }

extern "C" __global__ void merge_sort(u32 *keys, u32 *values)
{
    using Sort = cub::BlockMergeSort<u32, 64, 3, u32>;
    __shared__ Sort::TempStorage storage;
    u32 key[3], value[3];
    load(key, keys);
    load(value, values);
    Sort(storage).StableSort(key, value, [](u32 a, u32 b) { return a % 16 < b % 16; });
    store(keys, key);
    store(values, value);
}

extern "C" __global__ void warp_merge_sort(u32 *keys)
{
    using Sort = cub::WarpMergeSort<u32, 4, 16>;
    __shared__ Sort::TempStorage storage[4];
    u32 key[4];
    load(key, keys);
    Sort(storage[threadIdx.x / 16]).Sort(key, cuda::std::less<>{});
    store(keys, key);
}

extern "C" __global__ void warp_sums(const u32 *in, u32 *out)
{
    using Reduce = cub::WarpReduce<u32, 16>;
    using Scan = cub::WarpScan<u32>;
    __shared__ Reduce::TempStorage reduce[4];
    __shared__ Scan::TempStorage scan[2];
    u32 value = in[threadIdx.x], before;
    u32 sum = Reduce(reduce[threadIdx.x / 16]).Sum(value);
    Scan(scan[threadIdx.x / 32]).ExclusiveScan(value, before, 5, cuda::maximum<>{});
    out[2 * threadIdx.x] = threadIdx.x % 16 ? 0 : sum;
    out[2 * threadIdx.x + 1] = before;
}

extern "C" __global__ void segmented_warp_sums(const u32 *in, const u32 *heads, u32 *out)
{
    using Reduce = cub::WarpReduce<u32>;
    __shared__ Reduce::TempStorage storage;
    u32 sum = Reduce(storage).HeadSegmentedSum(in[threadIdx.x], heads[threadIdx.x]);
    out[threadIdx.x] = heads[threadIdx.x] ? sum : 0;
}

extern "C" __global__ void exchanged(const u32 *in, u32 *out)
{
    using Exchange = cub::BlockExchange<u32, 64, 4, true>;
    __shared__ Exchange::TempStorage storage;
    u32 items[4];
    load(items, in);
    Exchange(storage).StripedToBlocked(items);
    store(out, items);
}

extern "C" __global__ void heads(const u32 *in, int *out)
{
    using Discontinuity = cub::BlockDiscontinuity<u32, 64>;
    __shared__ Discontinuity::TempStorage storage;
    u32 items[3];
    int flags[3];
    load(items, in);
    Discontinuity(storage).FlagHeads(flags, items, cuda::std::not_equal_to<>{});
    store(out, flags);
}

extern "C" __global__ void differences(const u32 *in, u32 *out)
{
    using Difference = cub::BlockAdjacentDifference<u32, 64>;
    __shared__ Difference::TempStorage storage;
    u32 items[3];
    load(items, in);
    Difference(storage).SubtractLeft(items, items, cuda::std::minus<>{});
    store(out, items);
}

extern "C" __global__ void histogram_sorted(const unsigned char *in, u32 *bins)
{
    using Histogram = cub::BlockHistogram<unsigned char, 64, 4, 32, cub::BLOCK_HISTO_SORT>;
    __shared__ Histogram::TempStorage storage;
    __shared__ u32 counts[32];
    unsigned char items[4];
    load(items, in);
    Histogram(storage).Histogram(items, counts);
    __syncthreads();
    if (threadIdx.x < 32)
        bins[threadIdx.x] = counts[threadIdx.x];
}

extern "C" __global__ void decoded(const u32 *values, const u32 *lengths, u32 *out)
{
    using Decode = cub::BlockRunLengthDecode<u32, 32, 2, 4>;
    __shared__ Decode::TempStorage storage;
    u32 value[2], length[2], total, items[4];
    load(value, values);
    load(length, lengths);
    Decode decode(storage, value, length, total);
    for (u32 done = 0; done < total; done += 128) {
        decode.RunLengthDecode(items, done);
        for (int k = 0; k < 4; ++k)
            if (done + threadIdx.x * 4 + k < total)
                out[done + threadIdx.x * 4 + k] = items[k];
        __syncthreads();
    }
}

extern "C" __global__ void transposed(const u32 *in, u32 *out)
{
    using Load = cub::BlockLoad<u32, 64, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
    using Store = cub::BlockStore<u32, 64, 4, cub::BLOCK_STORE_TRANSPOSE>;
    __shared__ union
    {
        Load::TempStorage load;
        Store::TempStorage store;
    } storage;
    u32 items[4];
    Load(storage.load).Load(in, items, 250, 9);
    for (int k = 0; k < 4; ++k)
        items[k] += threadIdx.x * 4 + k;
    __syncthreads();
    Store(storage.store).Store(out, items);
}

// A scan over several CTAs in one pass: each looks back at the sums of those before it.
extern "C" __global__ void look_back(const u32 *in, u32 *out, unsigned long long *states)
{
    using State = cub::ScanTileState<u32>;
    using Scan = cub::BlockScan<u32, 64>;
    using Prefix = cub::TilePrefixCallbackOp<u32, cuda::std::plus<>, State>;
    __shared__ Scan::TempStorage scan;
    __shared__ Prefix::TempStorage prefix_storage;
    State state;
    state.Init(gridDim.x, states, (gridDim.x + 32) * sizeof *states);
    u32 value = in[blockIdx.x * 64 + threadIdx.x], sum;
    if (blockIdx.x == 0) {
        u32 all;
        Scan(scan).InclusiveSum(value, sum, all);
        if (threadIdx.x == 0)
            state.SetInclusive(0, all);
    } else {
        Prefix prefix(state, prefix_storage, cuda::std::plus<>{}, blockIdx.x);
        Scan(scan).InclusiveSum(value, sum, prefix);
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}
