// CUDA C++ for clang without NVIDIA's headers: control flow, calls, initialised variables, vectors, inline PTX.
#define GLOBAL __attribute__((global))
#define DEVICE __attribute__((device))
#define SHARED __attribute__((shared))
#define CONSTANT __attribute__((constant))
#define TID __nvvm_read_ptx_sreg_tid_x()

struct Inner { char c; short s[2]; };
struct Outer { int i; Inner in[2]; double d; const char *text; };
typedef float Quad __attribute__((ext_vector_type(4)));

DEVICE int counter = 42;
DEVICE int grid[3][4] = {{1, 2, 3, 4}, {5, 6}, {}};
DEVICE const char *names[2] = {"one", "two \"2\"\n"};
CONSTANT Outer nested = {7, {{'a', {1, 2}}, {'b', {3, -4}}}, 2.5, "text"};
DEVICE float specials[4] = {1.0f / 0.0f, -0.0f, 1e-45f, 3.5f};

extern "C" DEVICE int vprintf(const char *, void *);
DEVICE __attribute__((noinline)) Outer change(Outer o, int n) { o.in[n & 1].s[1] += n; o.d *= 2; return o; }
DEVICE __attribute__((noinline)) int depth(int n) { return n < 2 ? n : depth(n - 1) + depth(n - 2); }
DEVICE int plus(int a, int b) { return a + b; }
DEVICE int minus(int a, int b) { return a - b; }
DEVICE int (*table[2])(int, int) = {plus, minus};

extern "C" GLOBAL void control(int *p, int n)
{
    int i = TID;
    switch (n & 7) {
    case 0: p[i] = i; break;
    case 1: p[i] = i * i; break;
    case 2: p[i] = i << 3; break;
    case 3: p[i] ^= n; break;
    case 4: p[i] = __builtin_popcount(i); return;
    case 5: p[i] = __builtin_clz(i); break;
    case 6: p[i] = i / 7; break;
    default: p[i] = grid[n % 3][n & 3] + counter;
    }
    while (p[1] > n) { if (p[2] == i) break; p[1] -= depth(i); }
    p[3] = table[n & 1](p[4], p[5]);
}

extern "C" GLOBAL void values(Outer *out, Outer in, float *f, Quad *q, int n)
{
    out[0] = change(in, n);
    out[1] = nested;
    f[0] = specials[n & 3];
    q[1] = q[0] * q[2] + 1.5f;
    SHARED static float tile[64];
    tile[TID & 63] = f[1];
    asm volatile("bar.sync 0;" ::: "memory");
    f[2] = tile[63 - (TID & 63)];
    struct { int a; double b; } arguments = {n, f[0]};
    vprintf("%d %f\n", &arguments);
    int x;
    asm volatile("{ .reg .pred p; setp.lt.s32 p, %1, 0; @p neg.s32 %0, %1; @!p mov.u32 %0, %1; }" : "=r"(x) : "r"(n));
    f[3] = x + names[n & 1][0];
    int local[16];
    for (int i = 0; i < 16; ++i) local[i] = i * n;
    f[4] = local[n & 15];
}
