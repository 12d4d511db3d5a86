// targets: sm_90a sm_100a
// CUB's sorts: digits with look-back over several passes, merge paths, and queues of segments.
#include <cub/cub.cuh>

void sorts(unsigned *keys, unsigned *other, int *values, int *others, int count, void *memory, size_t bytes)
{
    cub::DeviceRadixSort::SortPairs(memory, bytes, keys, other, values, others, count);
    cub::DeviceMergeSort::SortKeys(memory, bytes, keys, count, cuda::std::less<>{});
    cub::DeviceSegmentedSort::SortKeys(memory, bytes, keys, other, count, 16, values, values + 1);
}
