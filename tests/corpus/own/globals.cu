// Variables of every space with initialisers: nested arrays, strings, addresses, packed structs, unions.
#if __CUDA_ARCH__ >= 700
#define CONSTANT_OF_THE_GRID __grid_constant__
#else
#define CONSTANT_OF_THE_GRID
#endif

struct Inner { char c; short s[2]; };
struct Outer { int i; Inner in[2]; double d; const char *text; int *where; };
struct __attribute__((packed)) Packed { char c; int *p; short s; void (*f)(int); };
union Either { float f; unsigned u; char c[8]; };

__device__ int counter = 42;
__device__ int zeroed;
__device__ int grid[3][4] = {{1, 2, 3, 4}, {5, 6}, {}};
__device__ float floats[5] = {1.5f, -0.0f, 1e38f, 1.17549435e-38f, 3};
__device__ double doubles[3] = {1.0 / 3, -2.5, 1e300};
__device__ const char message[] = "hello, \"world\"\n\ttab \\ back\x01\xff";
__device__ const char *names[3] = {"one", "two", message + 3};
__constant__ long long coefficients[4] = {1, -1, 0x7fffffffffffffffLL, (-0x7fffffffffffffffLL - 1)};
__constant__ Outer nested = {7, {{'a', {1, 2}}, {'b', {3, -4}}}, 2.5, "text", &counter};
__device__ void callee(int x) { zeroed = x; }
__device__ Packed packed[2] = {{'p', &grid[1][2], 3, callee}, {'q', &counter, -3, 0}};
__device__ Either either = {1.0f};
__device__ int *pointers[3] = {&counter, grid[2], &grid[0][3]};
__device__ unsigned char bytes[16] = {0, 1, 255, 'x'};
__device__ short wide_row[40] = {1, 0, -1};
__device__ __align__(64) unsigned long long aligned[2] = {0xffffffffffffffffULL, 1};
__device__ bool flags[3] = {true, false, true};
extern __shared__ int dynamic[];
extern __device__ int counter;
static __device__ int hidden = 5;
namespace space { __device__ int inside = 6; }

extern "C" __global__ void reads(int *out, int n, CONSTANT_OF_THE_GRID const Outer parameter)
{
    __shared__ double tile[8][9];
    __shared__ Inner inners[4];
    static __shared__ int fixed;
    int local[20];
    for (int i = 0; i < 20; ++i) local[i] = i * n;
    tile[n % 8][n % 9] = doubles[n % 3];
    inners[n % 4] = nested.in[n & 1];
    fixed = packed[n & 1].s + *packed[n & 1].p;
    __syncthreads();
    out[0] = counter++ + grid[n % 3][n % 4] + (int)floats[n % 5] + message[n] + names[n % 3][0];
    out[1] = coefficients[n & 3] + nested.text[n] + *pointers[n % 3] + bytes[n & 15] + flags[n % 3];
    out[2] = local[n % 20] + dynamic[n] + hidden + space::inside + wide_row[n % 40];
    out[3] = tile[n % 7][n % 8] + inners[n % 3].c + fixed + aligned[n & 1] + (int)either.f + parameter.in[n & 1].s[0];
    packed[0].f(n);
    const int *address = &parameter.i;
    out[4] = address[n];
}
