#include <cstdio>
#include <cooperative_groups.h>
__device__ int tab[4]={1,2,3,4}; __constant__ float cf[2]={1.5f,2.0f}; __device__ const char* msg="hello"; __managed__ int mm;
struct S{int a; double b; char c[3];}; __device__ S st={1,2.0,{'a','b','c'}};
__device__ __noinline__ float ff(float x, S s){ return x*s.b; }
typedef float (*fp)(float); __device__ float g1(float a){return a+1;} __device__ float g2(float a){return a*2;} __device__ fp fps[2]={g1,g2};
extern "C" __global__ void __launch_bounds__(128,2) k(int*p, S s, int n){ __shared__ int sh[128]; extern __shared__ int dyn[];
 int i=threadIdx.x+blockIdx.x*blockDim.x; if(i<n){ atomicAdd(p,i); atomicCAS(p+1,1,2); sh[threadIdx.x]=p[i]; dyn[0]=fps[n&1](ff(i,s)); }
 switch(n){case 0:p[0]=1;break;case 1:p[3]=2;break;case 2:p[4]=7;break;case 3:p[9]=1;break;case 4: p[11]=8;break; case 5:p[12]=9;break; default:p[5]=tab[n&3]+cf[n&1]+mm+st.c[n&1];}
 __syncthreads(); asm volatile("{ .reg .pred p; setp.ne.s32 p, %0, 0; @p red.global.add.s32 [%1], 1; }"::"r"(i),"l"(p)); printf("%d\n",sh[0]); p[2]=msg[0];
 cooperative_groups::this_grid().sync(); }
