// Loads and stores: vectors, volatile, read-only, every width, fences, asynchronous copies.
extern "C" __global__ void widths(char *c, short *s, int *i, long long *l, float4 *f4, int2 *i2, double2 *d2, uchar4 *u4)
{
    c[1] = c[0]; s[1] = s[0]; i[1] = i[0]; l[1] = l[0]; f4[1] = f4[0]; i2[1] = i2[0]; d2[1] = d2[0]; u4[1] = u4[0];
    volatile int *v = i + 4;
    v[0] = v[1] + v[2];
    __shared__ volatile float tile[32];
    tile[threadIdx.x] = f4[2].x;
    __threadfence_block();
    f4[3].y = tile[31 - threadIdx.x];
    __threadfence();
    __threadfence_system();
}

extern "C" __global__ void read_only(const float *__restrict__ a, float *__restrict__ b, const int4 *__restrict__ c, int n)
{
    b[0] = __ldg(a + n);
    int4 v = __ldg(c + n);
    b[1] = v.x + v.w;
    for (int i = 0; i < n; ++i) b[i + 2] = a[i] + a[i + 1];
}

extern "C" __global__ void copies(char *out, const char *in)
{
    struct Block { long long x[8]; char y[5]; };
    *(Block *)out = *(const Block *)in;
    memcpy(out + 100, in + 100, 33);
    memset(out + 200, 7, 50);
    char local[64];
    memcpy(local, in, 64);
    for (int i = 0; i < 64; ++i) out[300 + i] = local[63 - i] + local[in[i] & 63];
}

extern "C" __global__ void hints(int *p, unsigned long long *q)
{
    int x;
    asm volatile("ld.global.cs.u32 %0, [%1];" : "=r"(x) : "l"(p));
    asm volatile("st.global.wt.u32 [%0+4], %1;" :: "l"(p), "r"(x));
    asm volatile("prefetch.global.L2 [%0];" :: "l"(p));
    asm volatile("ld.volatile.global.v2.u32 {%0, _}, [%1 + 8];" : "=r"(x) : "l"(p));
    asm volatile("membar.sys;" ::: "memory");
#if __CUDA_ARCH__ >= 700
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1+16];" : "=r"(x) : "l"(p) : "memory");
    asm volatile("st.release.sys.global.u32 [%0+-16], %1;" :: "l"(p), "r"(x) : "memory");
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
#endif
#if __CUDA_ARCH__ >= 800
    __shared__ int tile[64];
    unsigned at = (unsigned)__cvta_generic_to_shared(tile);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(at), "l"(p));
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" :: "r"(at + 16), "l"(p), "r"(8));
    asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" ::: "memory");
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 0.5;" : "=l"(q[0]));
    asm volatile("ld.global.L1::no_allocate.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(x) : "l"(p), "l"(q[0]));
    asm volatile("discard.global.L2 [%0], 128;" :: "l"(p));
#endif
    p[1] = x;
}
