"""Kernels around CUB's algorithms for a block and for a warp, one small source for each type and shape."""

KERNEL = """#include <cub/{header}>
#include <cuda/std/functional>
struct Own {{ {type} a; int b;
    __device__ bool operator<(const Own &o) const {{ return a < o.a; }}
    __device__ bool operator==(const Own &o) const {{ return a == o.a; }} }};
extern "C" __global__ void __launch_bounds__({threads}) kernel({type} *out, const {type} *in, int n)
{{
    {type} items[{items}];
    for (int i = 0; i < {items}; ++i) items[i] = in[threadIdx.x * {items} + i];
    {body}
    for (int i = 0; i < {items}; ++i) out[threadIdx.x * {items} + i] = items[i];
}}
"""

BODIES = {
    "reduce": ("block/block_reduce.cuh", """typedef cub::BlockReduce<{type}, {threads}, cub::{flavour}> Block;
    __shared__ typename Block::TempStorage space;
    items[0] = Block(space).Sum(items);""", ["BLOCK_REDUCE_RAKING", "BLOCK_REDUCE_WARP_REDUCTIONS"]),
    "scan": ("block/block_scan.cuh", """typedef cub::BlockScan<{type}, {threads}, cub::{flavour}> Block;
    __shared__ typename Block::TempStorage space;
    Block(space).ExclusiveSum(items, items);""", ["BLOCK_SCAN_RAKING", "BLOCK_SCAN_WARP_SCANS"]),
    "radix": ("block/block_radix_sort.cuh", """typedef cub::BlockRadixSort<{type}, {threads}, {items}> Block;
    __shared__ typename Block::TempStorage space;
    Block(space).{flavour}(items);""", ["Sort", "SortDescending"]),
    "load": ("block/block_load.cuh", """typedef cub::BlockLoad<{type}, {threads}, {items}, cub::{flavour}> Block;
    __shared__ typename Block::TempStorage space;
    Block(space).Load(in, items, n);""", ["BLOCK_LOAD_TRANSPOSE", "BLOCK_LOAD_VECTORIZE", "BLOCK_LOAD_STRIPED"]),
    "exchange": ("block/block_exchange.cuh", """typedef cub::BlockExchange<{type}, {threads}, {items}> Block;
    __shared__ typename Block::TempStorage space;
    Block(space).{flavour}(items, items);""", ["StripedToBlocked", "BlockedToWarpStriped"]),
    "discontinuity": ("block/block_discontinuity.cuh", """typedef cub::BlockDiscontinuity<{type}, {threads}> Block;
    __shared__ typename Block::TempStorage space;
    int flags[{items}];
    Block(space).{flavour}(flags, items, cuda::std::not_equal_to<>());
    for (int i = 0; i < {items}; ++i) items[i] += flags[i];""", ["FlagHeads", "FlagTails"]),
    "merge": ("block/block_merge_sort.cuh", """typedef cub::BlockMergeSort<{type}, {threads}, {items}> Block;
    __shared__ typename Block::TempStorage space;
    Block(space).{flavour}(items, cuda::std::less<>());""", ["Sort", "StableSort"]),
    "warp": ("warp/warp_reduce.cuh", """typedef cub::WarpReduce<{type}> Warp;
    __shared__ typename Warp::TempStorage space[{threads} / 32];
    items[0] = Warp(space[threadIdx.x / 32]).{flavour};""", ["Sum(items[0])", "HeadSegmentedSum(items[0], n & 1)"]),
}
SHAPES = [(64, 4, "int"), (128, 7, "double"), (256, 1, "unsigned char"), (512, 3, "float"), (32, 5, "long long")]


def sources():
    """(name, text) of every kernel."""
    turn = 0
    for name, (header, body, flavours) in BODIES.items():
        for flavour in flavours:
            threads, items, type_ = SHAPES[turn % len(SHAPES)]
            turn += 1
            inner = body.format(type=type_, threads=threads, items=items, flavour=flavour)
            text = KERNEL.format(header=header, type=type_, threads=threads, items=items, body=inner)
            yield f"{name}{turn}", text
