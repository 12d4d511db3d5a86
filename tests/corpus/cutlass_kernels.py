"""Kernels of CUTLASS's matrix products, one small source for each shape, element and architecture."""

PRODUCT = """#include <cutlass/gemm/device/gemm.h>
typedef cutlass::gemm::device::Gemm<
    {a}, cutlass::layout::RowMajor, {a}, cutlass::layout::ColumnMajor, {c}, cutlass::layout::RowMajor, {c},
    cutlass::arch::{unit}, cutlass::arch::Sm{arch},
    cutlass::gemm::GemmShape<{block}>, cutlass::gemm::GemmShape<{warp}>, cutlass::gemm::GemmShape<{step}>> Product;
int own(Product::Arguments arguments)
{{
    Product product;
    return (int)product(arguments);
}}
"""
# name, element, result, unit, oldest target, shapes of block, warp and instruction
SHAPES = [
    ("simt", "float", "float", "OpClassSimt", 70, "128, 128, 8", "32, 64, 8", "1, 1, 1"),
    ("half", "cutlass::half_t", "float", "OpClassTensorOp", 80, "128, 128, 32", "64, 64, 32", "16, 8, 16"),
    ("turing", "cutlass::half_t", "float", "OpClassTensorOp", 75, "128, 64, 32", "64, 32, 32", "16, 8, 8"),
    ("brain", "cutlass::bfloat16_t", "float", "OpClassTensorOp", 80, "64, 64, 32", "32, 32, 32", "16, 8, 16"),
    ("byte", "int8_t", "int32_t", "OpClassTensorOp", 80, "128, 128, 64", "64, 64, 64", "16, 8, 32"),
    ("double", "double", "double", "OpClassTensorOp", 80, "64, 64, 16", "32, 32, 16", "8, 8, 4"),
]


def sources():
    """(name, text, oldest target) of every kernel."""
    for name, a, c, unit, arch, block, warp, step in SHAPES:
        yield name, PRODUCT.format(a=a, c=c, unit=unit, arch=arch, block=block, warp=warp, step=step), arch
