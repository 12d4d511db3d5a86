// targets: sm_90a sm_100a
// CUB's device-wide algorithms, one pass each: look-back, queues, decoupled tiles and bulk copies.
#include <cub/cub.cuh>
#include <cuda/functional>

struct IsOdd
{
    __host__ __device__ bool operator()(int value) const { return value & 1; }
};

struct Twice
{
    __host__ __device__ int operator()(int value) const { return 2 * value; }
};

void scans(int *in, int *out, int count, void *memory, size_t bytes)
{
    cub::DeviceScan::InclusiveSum(memory, bytes, in, out, count);
    cub::DeviceScan::ExclusiveScan(memory, bytes, in, out, cuda::std::plus<>{}, 7, count);
    cub::DeviceScan::InclusiveSumByKey(memory, bytes, in, in, out, count);
}

void reductions(int *in, int *out, int count, void *memory, size_t bytes)
{
    cub::DeviceReduce::Sum(memory, bytes, in, out, count);
    cub::DeviceReduce::Min(memory, bytes, (float *)in, (float *)out, count);
    cub::DeviceReduce::ReduceByKey(memory, bytes, in, out, in, out, out + 1, cuda::maximum<>{}, count);
    cub::DeviceSegmentedReduce::Sum(memory, bytes, in, out, 16, in + 1, in + 2);
}

void selections(int *in, int *out, int count, void *memory, size_t bytes)
{
    cub::DeviceSelect::If(memory, bytes, in, out, out + count, count, IsOdd{});
    cub::DeviceSelect::Unique(memory, bytes, in, out, out + count, count);
    cub::DeviceSelect::Flagged(memory, bytes, in, in + count, out, out + count, count);
    cub::DevicePartition::If(memory, bytes, in, out, out + count, count, IsOdd{});
    cub::DeviceRunLengthEncode::Encode(memory, bytes, in, out, out + count, out + 2 * count, count);
}

void others(int *in, int *out, int count, void *memory, size_t bytes)
{
    cub::DeviceHistogram::HistogramEven(memory, bytes, in, out, 65, 0, 64, count);
    cub::DeviceTransform::Transform(in, out, count, Twice{});
    cub::DeviceAdjacentDifference::SubtractLeftCopy(memory, bytes, in, out, count);
    cub::DeviceFor::Bulk(count, [out] __device__ (int index) { out[index] = index; });
}
