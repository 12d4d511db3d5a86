// headers
// oldest: 60
// Half precision through NVIDIA's own headers, which are mostly inline PTX.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void halves(__half *h, __half2 *h2, float *f, int n)
{
    h[0] = __hadd(h[1], h[2]); h[3] = __hmul(h[4], h[5]); h[6] = __hfma(h[7], h[8], h[9]); h[10] = __float2half(f[0]);
    f[1] = __half2float(h[11]); h2[0] = __hadd2(h2[1], h2[2]); h2[3] = __hfma2(h2[4], h2[5], h2[6]); h2[7] = __floats2half2_rn(f[2], f[3]);
    h[12] = hsqrt(h[13]); h[14] = hexp(h[15]); h[16] = hsin(h[17]); h2[8] = h2log(h2[9]); h[18] = __int2half_rn(n);
    f[4] = __hgt(h[19], h[20]) ? 1.f : 0.f; h2[10] = __hmul2_sat(h2[11], h2[12]); h[21] = __hdiv(h[22], h[23]);
    h2[13] = __shfl_xor_sync(0xffffffffu, h2[14], 1); h[24] = __ldg(h + 25); f[5] = __half2int_rz(h[26]);
#if __CUDA_ARCH__ >= 700
    atomicAdd(h + 30, h[31]);
#endif
#if __CUDA_ARCH__ >= 600
    atomicAdd(h2 + 30, h2[31]);
#endif
}
extern "C" __global__ void brains(__nv_bfloat16 *b, __nv_bfloat162 *b2, float *f)
{
    b[0] = __float2bfloat16(f[0]); f[1] = __bfloat162float(b[1]);
#if __CUDA_ARCH__ >= 800
    b[2] = __hadd(b[3], b[4]); b2[0] = __hfma2(b2[1], b2[2], b2[3]); b2[4] = __floats2bfloat162_rn(f[2], f[3]); b[5] = hrcp(b[6]);
    atomicAdd(b + 7, b[8]); atomicAdd(b2 + 5, b2[6]); b2[7] = __hmax2(b2[8], b2[9]);
#endif
}
