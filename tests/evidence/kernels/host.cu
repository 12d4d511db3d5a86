// Intrinsics, calls and the heap, as CUDA code uses them: host.py has the same arithmetic in Python. Compiled by nvcc.
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

namespace cg = cooperative_groups;
typedef unsigned u32;
typedef unsigned long long u64;
typedef long long s64;

__device__ u32 id() { return blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" __global__ void bit_tricks(const u32 *in, u32 *out)
{
    u32 t = id(), x = in[t], y = in[t ^ 1], *o = out + 11 * t;
    o[0] = __ffs(x); o[1] = __popc(x); o[2] = __brev(x); o[3] = __clz(x); o[4] = __byte_perm(x, y, 0x7250);
    o[5] = __funnelshift_l(x, y, t); o[6] = __funnelshift_r(x, y, t + 3); o[7] = __funnelshift_lc(x, y, t); o[8] = __funnelshift_rc(x, y, t);
    o[9] = __umulhi(x, y); o[10] = __sad((int)x, (int)y, t);
}

extern "C" __global__ void wide_bits(const u64 *in, u64 *out)
{
    u32 t = id(); u64 x = in[t], y = in[t ^ 1], *o = out + 6 * t;
    o[0] = __ffsll(x); o[1] = __popcll(x); o[2] = __brevll(x); o[3] = __clzll(x); o[4] = __umul64hi(x, y); o[5] = __mul64hi((s64)x, (s64)y);
}

extern "C" __global__ void wide_division(const u64 *a, const u64 *b, u64 *out)
{
    u32 t = id(); u64 x = a[t], y = b[t], *o = out + 5 * t;
    o[0] = x / y; o[1] = x % y; o[2] = (s64)x / (s64)y; o[3] = (s64)x % (s64)y; o[4] = (int)x % (int)y;
}

extern "C" __global__ void half_pairs(const u32 *in, u32 *out)
{
    u32 t = id(); __half2 a = *(const __half2 *)&in[2 * t], b = *(const __half2 *)&in[2 * t + 1];
    __half2 results[5] = {__hadd2(a, b), __hmul2(a, b), __hfma2(a, b, a), __hmax2(a, b), __hsub2_sat(a, b)};
    for (int i = 0; i < 5; i++) out[5 * t + i] = *(u32 *)&results[i];
}

extern "C" __global__ void fp8_values(const float *in, u32 *out)
{
    u32 t = id(), e4 = __nv_cvt_float_to_fp8(in[t], __NV_SATFINITE, __NV_E4M3), e5 = __nv_cvt_float_to_fp8(in[t], __NV_SATFINITE, __NV_E5M2);
    out[4 * t] = e4; out[4 * t + 1] = e5;
    out[4 * t + 2] = __half_raw(__nv_cvt_fp8_to_halfraw(e4, __NV_E4M3)).x; out[4 * t + 3] = __half_raw(__nv_cvt_fp8_to_halfraw(e5, __NV_E5M2)).x;
}

__device__ __noinline__ u32 ackermann(u32 m, u32 n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }

extern "C" __global__ void recursion(u32 *out) { out[id()] = ackermann(id() % 3, id() % 5); }

typedef u32 (*Function)(u32, u32);
__device__ u32 add(u32 a, u32 b) { return a + b; }
__device__ u32 rotate(u32 a, u32 b) { return __funnelshift_l(a, a, b); }
__device__ u32 mix(u32 a, u32 b) { return (a ^ b) * 0x9e3779b9u; }
__device__ Function table[3] = {add, rotate, mix};

extern "C" __global__ void function_pointers(const u32 *in, u32 *out)
{
    u32 x = in[id()];
    for (int i = 0; i < 5; i++) x = table[(x >> i) % 3](x, id() + i);
    out[id()] = x;
}

struct Shape { u32 a; __device__ Shape(u32 a) : a(a) {} __device__ virtual u32 area() const { return a; } __device__ virtual ~Shape() {} };
struct Square : Shape { __device__ Square(u32 a) : Shape(a) {} __device__ u32 area() const override { return a * a; } };
struct Cube : Square { u32 b; __device__ Cube(u32 a, u32 b) : Square(a), b(b) {} __device__ u32 area() const override { return Square::area() * 6 + b; } };

extern "C" __global__ void virtual_functions(u32 *out)
{
    u32 t = id();
    Shape *shape = t % 3 == 0 ? new Shape(t) : t % 3 == 1 ? new Square(t) : new Cube(t, 5);
    out[t] = shape->area();
    delete shape;
}

extern "C" __global__ void inline_assembly(const u32 *in, u32 *out)
{
    u32 t = id(), a = in[t], b = in[t ^ 3], distance, low, high, majority, field, inserted;
    asm("{ .reg .pred p; setp.gt.u32 p, %3, %4; @p sub.u32 %0, %3, %4; @!p sub.u32 %0, %4, %3; add.cc.u32 %1, %3, %4; addc.u32 %2, 0, 0; }" : "=r"(distance), "=r"(low), "=r"(high) : "r"(a), "r"(b));
    asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(majority) : "r"(a), "r"(b), "r"(t * 0x01010101u));
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(field) : "r"(a), "r"(t % 32), "r"(t % 17));
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(inserted) : "r"(a), "r"(b), "r"(t % 32), "r"(t % 13));
    u32 *o = out + 6 * t; o[0] = distance; o[1] = low; o[2] = high; o[3] = majority; o[4] = field; o[5] = inserted;
}

extern "C" __global__ void dot_products(const u32 *in, int *out)
{
    u32 t = id(), a = in[t], b = in[t ^ 5];
    out[4 * t] = __dp4a((int)a, (int)b, 7); out[4 * t + 1] = __dp4a(a, b, 9u); out[4 * t + 2] = __dp2a_lo((int)a, (int)b, 1); out[4 * t + 3] = __dp2a_hi(a, b, 2u);
}

extern "C" __global__ void video_simd(const u32 *in, u32 *out)
{
    u32 t = id(), a = in[t], b = in[t ^ 9], *o = out + 9 * t;
    o[0] = __vadd4(a, b); o[1] = __vsubss4(a, b); o[2] = __vmaxu2(a, b); o[3] = __vabsdiffu4(a, b); o[4] = __vcmpgtu4(a, b);
    o[5] = __vsetlts2(a, b); o[6] = __vsadu4(a, b); o[7] = __vaddus2(a, b); o[8] = __vneg4(a);
}

extern "C" __global__ void conversions(const float *in, u32 *out)
{
    u32 t = id(), *o = out + 6 * t; float x = in[t]; s64 wide = __float2ll_rz(x * 1e6f);
    o[0] = __float2int_rn(x); o[1] = __float2int_rd(x); o[2] = __float2uint_ru(x); o[3] = wide; o[4] = wide >> 32; o[5] = (short)(int)(x * 100);
}

extern "C" __global__ void sorted_locally(const u32 *in, u32 *out)
{
    u32 t = id(), a[16];
    for (int i = 0; i < 16; i++) a[i] = in[(t + i * 7) % 64];
    for (int i = 1; i < 16; i++) { u32 v = a[i]; int j = i - 1; for (; j >= 0 && a[j] > v; j--) a[j + 1] = a[j]; a[j + 1] = v; }
    out[t] = a[in[t] % 16];
}

extern "C" __global__ void binary_groups(const u32 *in, u32 *out)
{
    u32 x = in[id()];
    auto group = cg::binary_partition(cg::tiled_partition<16>(cg::this_thread_block()), x % 3 == 0);
    out[id()] = group.size() * 100 + group.thread_rank() + (group.any(x > 0xf0000000u) ? 10000 : 0) + group.shfl(x % 64, 0) * 100000;
}
