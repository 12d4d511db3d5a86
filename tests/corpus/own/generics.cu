// Templates and classes: small containers, functors, many instantiations with mangled names.
template <class T, int N> struct Vec {
    T v[N];
    __device__ T &operator[](int i) { return v[i]; }
    __device__ Vec operator+(const Vec &o) const { Vec r; for (int i = 0; i < N; ++i) r.v[i] = v[i] + o.v[i]; return r; }
    __device__ T dot(const Vec &o) const { T s = 0; for (int i = 0; i < N; ++i) s += v[i] * o.v[i]; return s; }
};
struct Sum { template <class T> __device__ T operator()(T a, T b) const { return a + b; } };
struct Most { template <class T> __device__ T operator()(T a, T b) const { return a > b ? a : b; } };

template <class T, class F, int B> __device__ T reduced(T x, F f)
{
    __shared__ T tile[B];
    tile[threadIdx.x] = x;
    __syncthreads();
#pragma unroll
    for (int s = B / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) tile[threadIdx.x] = f(tile[threadIdx.x], tile[threadIdx.x + s]);
        __syncthreads();
    }
    return tile[0];
}
template <class T, class F, int B> __global__ void reduce(T *out, const T *in, int n, F f)
{
    T acc = 0;
    for (int i = blockIdx.x * B + threadIdx.x; i < n; i += gridDim.x * B) acc = f(acc, in[i]);
    acc = reduced<T, F, B>(acc, f);
    if (threadIdx.x == 0) out[blockIdx.x] = acc;
}
template __global__ void reduce<int, Sum, 128>(int *, const int *, int, Sum);
template __global__ void reduce<float, Most, 256>(float *, const float *, int, Most);
template __global__ void reduce<double, Sum, 64>(double *, const double *, int, Sum);
template __global__ void reduce<long long, Most, 32>(long long *, const long long *, int, Most);
template __global__ void reduce<unsigned char, Sum, 64>(unsigned char *, const unsigned char *, int, Sum);

template <class T, int N> __global__ void vectors(Vec<T, N> *a, Vec<T, N> b, T *out)
{
    a[threadIdx.x] = a[threadIdx.x] + b;
    out[threadIdx.x] = a[0].dot(b);
}
template __global__ void vectors<float, 3>(Vec<float, 3> *, Vec<float, 3>, float *);
template __global__ void vectors<short, 7>(Vec<short, 7> *, Vec<short, 7>, short *);
template __global__ void vectors<double, 4>(Vec<double, 4> *, Vec<double, 4>, double *);

template <int N> __global__ void transpose(float *out, const float *in, int w, int h)
{
    __shared__ float tile[N][N + 1];
    int x = blockIdx.x * N + threadIdx.x, y = blockIdx.y * N + threadIdx.y;
    if (x < w && y < h) tile[threadIdx.y][threadIdx.x] = in[y * w + x];
    __syncthreads();
    x = blockIdx.y * N + threadIdx.x; y = blockIdx.x * N + threadIdx.y;
    if (x < h && y < w) out[y * h + x] = tile[threadIdx.x][threadIdx.y];
}
template __global__ void transpose<16>(float *, const float *, int, int);
template __global__ void transpose<32>(float *, const float *, int, int);
