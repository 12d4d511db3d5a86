__device__ int counter; __constant__ float weight[2] = {1.5f, 2.0f};
__device__ __noinline__ float blend(float a, float b) { return a * weight[0] + b; }
extern "C" __global__ void tally(int *p, float *q, int n) {
  __shared__ int sum; int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) sum = 0; __syncthreads();
  if (i < n) { atomicAdd(&sum, p[i]); q[i] = blend(q[i], i); }
  __syncthreads(); if (threadIdx.x == 0) { atomicMax(&counter, sum); atomicCAS(p, 1, 2); }
}
