// Control flow: loops, dense and sparse switches, early exits, gotos, selections, several exits of one loop.
extern "C" __global__ void dense(int *out, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    switch (n & 15) {
    case 0: out[i] = i; break;
    case 1: out[i] = i * i; break;
    case 2: out[i] = i << 3; // falls through
    case 3: out[i] ^= n; break;
    case 4: out[i] = __popc(i); return;
    case 5: out[i] = __clz(i); break;
    case 6: out[i] = __brev(i); break;
    case 7: out[i] = __ffs(i); break;
    case 8: out[i] = i / 7; break;
    case 9: out[i] = i % n; break;
    case 10: out[i] = -i; break;
    case 11: out[i] = ~i; break;
    default: out[i] = out[n] + 1;
    }
    out[i + 1] = n;
}

extern "C" __global__ void sparse(unsigned *out, unsigned key)
{
    switch (key) {
    case 3: out[0] = 9; break;
    case 1000: out[1] = 8; break;
    case 70000: out[2] = 7; break;
    case 0xdeadbeef: out[3] = 6; break;
    }
}

extern "C" __global__ void loops(float *a, const float *b, int n, int m)
{
    float sum = 0;
#pragma unroll 1
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        if (b[i] < 0) continue;
        if (b[i] > 1e30f) break;
#pragma unroll
        for (int j = 0; j < 4; ++j) sum += b[i * 4 + j] * a[j];
    }
    int k = m;
again:
    if (k > 0) {
        sum = sum * 0.5f + k;
        k -= 3;
        if (sum < 100.f) goto again;
        else goto out;
    }
    do { a[n + k] = sum; } while (++k < m);
out:
    a[threadIdx.x] = k ? sum : -sum;
}

extern "C" __global__ void many_predicates(int *p, int a, int b, int c, int d)
{
    bool x = a < b, y = b < c, z = c < d;
    if ((x && y) || (!y && z) || (x != z)) p[0] = 1;
    if (x ^ y ^ z) p[1] = a > d ? b : c;
    p[2] = x + y + z;
    while (p[3] != a) { if (p[4] == b) { p[5] = 1; break; } if (p[6] == c) return; }
    p[7] = 1;
}

extern "C" __global__ void __launch_bounds__(256, 2) nested(int *p, int n)
{
    for (int i = 0; i < n; ++i)
        for (int j = i; j < n; ++j) {
            if (p[i] > p[j]) { int t = p[i]; p[i] = p[j]; p[j] = t; }
            for (int k = j; k < n && p[k]; ++k) p[k] -= p[i] == p[j] ? 1 : 2;
        }
    __syncthreads();
}
