// Warps and barriers: shuffles, votes, matches, reductions, special registers.
extern "C" __global__ void shuffles(int *p, float *f, double *d, long long *l)
{
    unsigned all = 0xffffffff;
    int x = p[threadIdx.x];
    x = __shfl_sync(all, x, 3);
    x += __shfl_up_sync(all, x, 1);
    x += __shfl_down_sync(all, x, 2, 16);
    x += __shfl_xor_sync(all, x, 4, 8);
    f[0] = __shfl_sync(all, f[1], x & 31);
    d[0] = __shfl_down_sync(all, d[1], 1);
    l[0] = __shfl_xor_sync(all, l[1], 16);
    p[0] = x;
}

extern "C" __global__ void votes(unsigned *p, int n)
{
    unsigned mask = __activemask();
    p[0] = __ballot_sync(mask, n > 3);
    p[1] = __all_sync(mask, n > 4);
    p[2] = __any_sync(mask, n > 5);
    p[3] = __uni_sync(mask, n > 6);
    __syncwarp();
    p[4] = __syncthreads_count(n);
    p[5] = __syncthreads_and(n);
    p[6] = __syncthreads_or(n);
#if __CUDA_ARCH__ >= 700
    p[7] = __match_any_sync(mask, n);
    int pred;
    p[8] = __match_all_sync(mask, n, &pred) + pred;
    __nanosleep(100);
#endif
#if __CUDA_ARCH__ >= 800
    p[9] = __reduce_add_sync(mask, n);
    p[10] = __reduce_max_sync(mask, (unsigned)n);
    p[11] = __reduce_xor_sync(mask, (unsigned)n);
#endif
}

extern "C" __global__ void registers(unsigned *p, unsigned long long *q)
{
    p[0] = threadIdx.x + threadIdx.y + threadIdx.z + blockIdx.x + blockIdx.y + blockIdx.z + gridDim.x + gridDim.y;
    p[1] = blockDim.x * blockDim.y * blockDim.z * gridDim.z + warpSize;
    q[0] = clock64() + clock();
    asm("mov.u32 %0, %%laneid;" : "=r"(p[2]));
    asm("mov.u32 %0, %%warpid;" : "=r"(p[3]));
    asm("mov.u32 %0, %%smid;" : "=r"(p[4]));
    asm("mov.u32 %0, %%nsmid;" : "=r"(p[5]));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(p[6]));
    asm("mov.u64 %0, %%globaltimer;" : "=l"(q[1]));
    asm("mov.u32 %0, %%envreg3;" : "=r"(p[7]));
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(p[8]));
    asm("mov.u64 %0, %%gridid;" : "=l"(q[2]));
    asm volatile("bar.sync 1, 64;");
    asm volatile("bar.arrive 2, 96;");
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; bar.red.popc.u32 %0, 3, p; }" : "=r"(p[9]) : "r"(p[10]));
}
