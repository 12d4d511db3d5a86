// targets: sm_90a sm_100a
// Cooperative groups: grids, clusters, tiles, and the algorithms of groups.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>

namespace cg = cooperative_groups;

__global__ void grid_rounds(int *from, int *to, int count)
{
    auto grid = cg::this_grid();
    for (int round = 0; round < count; ++round) {
        int rank = grid.thread_rank();
        to[rank] = from[(rank + 1) % grid.num_threads()];
        grid.sync();
        int *last = from;
        from = to;
        to = last;
    }
}

__global__ void grid_arrive_and_wait(int *data, int *sum)
{
    auto grid = cg::this_grid();
    data[grid.thread_rank()] = 1;
    auto token = grid.barrier_arrive();
    int own = threadIdx.x;
    grid.barrier_wait(std::move(token));
    sum[grid.thread_rank()] = own + data[grid.num_threads() - 1 - grid.thread_rank()];
}

__global__ __cluster_dims__(4) void cluster_histogram(const int *in, int *out, int count)
{
    __shared__ int bins[64];
    auto cluster = cg::this_cluster();
    if (threadIdx.x < 64)
        bins[threadIdx.x] = 0;
    cluster.sync();
    for (int index = cluster.thread_rank(); index < count; index += cluster.num_threads()) {
        int bin = in[index] & 255;
        atomicAdd(cluster.map_shared_rank(bins, bin / 64) + bin % 64, 1);
    }
    cluster.sync();
    if (threadIdx.x < 64)
        out[cluster.block_rank() * 64 + threadIdx.x] = bins[threadIdx.x];
}

__global__ __cluster_dims__(2) void cluster_exchange(const int *in, int *out)
{
    __shared__ int tile[256];
    auto cluster = cg::this_cluster();
    tile[threadIdx.x] = in[cluster.thread_rank()];
    auto token = cluster.barrier_arrive();
    int *other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
    cluster.barrier_wait(std::move(token));
    out[cluster.thread_rank()] = other[threadIdx.x];
    cluster.sync();
}

__global__ void tiles(const int *in, int *out)
{
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    auto eight = cg::tiled_partition<8>(tile);
    int value = in[block.thread_rank()];
    int sum = cg::reduce(tile, value, cg::plus<int>());
    int before = cg::exclusive_scan(eight, value, cg::plus<int>());
    auto same = cg::labeled_partition(tile, value & 3);
    int highest = cg::reduce(same, value, cg::greater<int>());
    out[block.thread_rank()] = sum + before * highest + eight.shfl_xor(value, 1);
}

__global__ void sums_of_tiles(const int *in, int *out)
{
    __shared__ int sums[32];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    int sum = cg::reduce(tile, in[block.group_index().x * block.size() + block.thread_rank()], cg::plus<int>());
    if (tile.thread_rank() == 0)
        sums[tile.meta_group_rank()] = sum;
    block.sync();
    if (tile.meta_group_rank() == 0) {
        sum = tile.thread_rank() < tile.meta_group_size() ? sums[tile.thread_rank()] : 0;
        sum = cg::reduce(tile, sum, cg::plus<int>());
        if (tile.thread_rank() == 0)
            atomicAdd(out, sum);
    }
}

__global__ void elected(int *counter, int *out)
{
    auto group = cg::coalesced_threads();
    int first = cg::invoke_one_broadcast(group, [&] { return atomicAdd(counter, group.size()); });
    out[first + group.thread_rank()] = threadIdx.x;
}

__global__ void copied(const int *in, int *out)
{
    __shared__ alignas(16) int tile[256];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in + blockIdx.x * 256, cuda::aligned_size_t<16>(sizeof tile));
    cg::wait(block);
    out[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x];
}

__global__ void copied_twice(const int *in, int *out, int count)
{
    __shared__ alignas(16) int tile[2][256];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile[0], in, cuda::aligned_size_t<16>(sizeof tile[0]));
    for (int step = 0; step < count; ++step) {
        if (step + 1 < count) {
            cg::memcpy_async(block, tile[(step + 1) & 1], in + (step + 1) * 256, cuda::aligned_size_t<16>(sizeof tile[0]));
            cg::wait_prior<1>(block);
        } else {
            cg::wait(block);
        }
        out[step * 256 + threadIdx.x] = tile[step & 1][255 - threadIdx.x];
        block.sync();
    }
}

__global__ void scanned(const int *in, int *out, int *total)
{
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    int value = in[blockIdx.x * blockDim.x + threadIdx.x];
    cuda::atomic_ref<int, cuda::thread_scope_device> sum(*total);
    int before = cg::exclusive_scan_update(tile, sum, value, cg::plus<int>());
    cg::reduce_update_async(tile, sum, 0, cg::plus<int>());
    out[blockIdx.x * blockDim.x + threadIdx.x] = before;
}
