// headers
// oldest: 75
// versions: 13.5
// std: 17
// Cooperative groups through NVIDIA's header.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void groups(int *p, int n)
{
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int x = p[block.thread_rank()];
    for (int i = tile.size() / 2; i > 0; i /= 2) x += tile.shfl_down(x, i);
    if (tile.thread_rank() == 0) atomicAdd(p + n, x);
    auto active = cg::coalesced_threads();
    if (active.thread_rank() == 0) p[n + 1] = active.size();
    block.sync();
    tile.sync();
    p[n + 2] = tile.any(x > 3) + tile.all(x > 4);
}
