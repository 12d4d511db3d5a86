// Arithmetic: special values, conversions, 64 and 128 bit, the mathematical functions of the compiler's library.
extern "C" __global__ void floats(float *p, float x, float y)
{
    p[0] = x + y; p[1] = x - y; p[2] = x * y; p[3] = x / y;
    p[4] = __fdividef(x, y); p[5] = fmaf(x, y, p[5]); p[6] = sqrtf(x); p[7] = rsqrtf(y);
    p[8] = sinf(x); p[9] = cosf(y); p[10] = expf(x); p[11] = logf(y); p[12] = powf(x, y);
    p[13] = __sinf(x); p[14] = __expf(y); p[15] = tanhf(x); p[16] = erff(y); p[17] = fmodf(x, y);
    p[18] = floorf(x); p[19] = rintf(y); p[20] = truncf(x); p[21] = ceilf(y); p[22] = fabsf(x);
    p[23] = fminf(x, y); p[24] = fmaxf(x, 0.0f); p[25] = copysignf(x, y); p[26] = 1.0f / 0.0f; p[27] = -1.0f / 0.0f;
    p[28] = __fadd_ru(x, y); p[29] = __fmul_rd(x, y); p[30] = __frcp_rz(x); p[31] = __saturatef(x);
    p[32] = __int_as_float(0x7fc00000); p[33] = 1e-45f; p[34] = isnan(x) ? 1.f : 2.f; p[35] = cbrtf(x);
}

extern "C" __global__ void doubles(double *p, double x, double y)
{
    p[0] = x + y; p[1] = x / y; p[2] = sqrt(x); p[3] = fma(x, y, p[3]); p[4] = sin(x); p[5] = exp(y);
    p[6] = pow(x, y); p[7] = log(x); p[8] = fmod(x, y); p[9] = rint(x); p[10] = 1.0 / 0.0; p[11] = 4.9e-324;
    p[12] = __dadd_rd(x, y); p[13] = atan2(x, y); p[14] = tgamma(x); p[15] = remainder(x, y);
}

extern "C" __global__ void integers(long long *p, long long a, long long b, unsigned u, unsigned v)
{
    p[0] = a / b; p[1] = a % b; p[2] = a * b; p[3] = __mul64hi(a, b); p[4] = a >> (b & 63); p[5] = a << (b & 63);
    p[6] = (unsigned long long)a / 10; p[7] = u / 10; p[8] = u % v; p[9] = __umulhi(u, v); p[10] = __mul24(u, v);
    p[11] = __usad(u, v, 3); p[12] = __funnelshift_l(u, v, 5); p[13] = __byte_perm(u, v, 0x5140); p[14] = __popcll(a);
    p[15] = __clzll(b); p[16] = __brevll(a); p[17] = min(a, b); p[18] = max(u, v); p[19] = abs((int)u);
    p[20] = __sad(u, v, 7); p[21] = __hadd(u, v); p[22] = __rhadd(u, v); p[23] = a == b; p[24] = u < v;
}

extern "C" __global__ void conversions(double *d, float *f, int *i, long long *l, unsigned char *c)
{
    d[0] = f[0]; d[1] = i[0]; d[2] = l[0]; d[3] = (unsigned)i[1]; d[4] = (unsigned long long)l[1]; d[5] = c[0];
    f[1] = d[6]; f[2] = i[2]; f[3] = l[2]; f[4] = (unsigned short)i[3]; f[5] = (signed char)c[1];
    i[4] = d[7]; i[5] = f[6]; i[6] = l[3]; i[7] = __float2int_ru(f[7]); i[8] = __double2uint_rd(d[8]);
    l[4] = d[9]; l[5] = f[8]; l[6] = (unsigned)i[9]; c[2] = f[9]; c[3] = i[10]; c[4] = l[7]; c[5] = d[10];
    i[11] = __float_as_int(f[10]); l[8] = __double_as_longlong(d[11]); i[12] = __double2hiint(d[12]);
}
