// headers
// oldest: 70
// Warp matrix fragments through NVIDIA's header.
#include <mma.h>
using namespace nvcuda;
template <int M, int N, int K> __global__ void product(const __half *a, const __half *b, float *c)
{
    wmma::fragment<wmma::matrix_a, M, N, K, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, M, N, K, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    for (int i = 0; i < 4; ++i) {
        wmma::load_matrix_sync(fa, a + i * K, 64);
        wmma::load_matrix_sync(fb, b + i * K, 64);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    wmma::store_matrix_sync(c, fc, N, wmma::mem_row_major);
}
template __global__ void product<16, 16, 16>(const __half *, const __half *, float *);
template __global__ void product<32, 8, 16>(const __half *, const __half *, float *);
template __global__ void product<8, 32, 16>(const __half *, const __half *, float *);
