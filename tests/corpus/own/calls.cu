// Calls: structs by value, recursion, tables of functions, virtual functions, printf, the device heap, traps.
extern "C" __device__ int printf(const char *, ...);
extern "C" __device__ void *malloc(size_t);
extern "C" __device__ void free(void *);

struct Big { double d[5]; int i; char c[3]; };
struct Pair { float x, y; };

__device__ __noinline__ Big change(Big b, int n) { b.d[n % 5] += n; b.c[1] = 'x'; return b; }
__device__ __noinline__ Pair swapped(Pair p) { Pair q = {p.y, p.x}; return q; }
__device__ __noinline__ void nothing() { asm volatile(""); }
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ bool odd(unsigned n);
__device__ __noinline__ bool even(unsigned n) { return n == 0 || odd(n - 1); }
__device__ __noinline__ bool odd(unsigned n) { return n != 0 && even(n - 1); }
__device__ __noinline__ unsigned char narrow(unsigned char a, short b, char c) { return a + b * c; }
__device__ __noinline__ double mixed(float a, double b, long long c, short d, bool e) { return e ? a + b : c * d; }

__device__ int plus(int a, int b) { return a + b; }
__device__ int minus(int a, int b) { return a - b; }
__device__ int times(int a, int b) { return a * b; }
typedef int (*Binary)(int, int);
__device__ Binary table[3] = {plus, minus, times};
__device__ Binary chosen = times;

struct Shape {
    __device__ virtual float area() const = 0;
    __device__ virtual ~Shape() {}
};
struct Square : Shape {
    float a;
    __device__ Square(float s) : a(s) {}
    __device__ float area() const override { return a * a; }
};
struct Circle : Shape {
    float r;
    __device__ Circle(float s) : r(s) {}
    __device__ float area() const override { return 3.14159f * r * r; }
};

extern "C" __global__ void by_value(Big *out, Big in, Pair *pair, int n)
{
    out[0] = change(in, n);
    pair[1] = swapped(pair[0]);
    nothing();
    out[1].i = fibonacci(n) + even(n) + narrow(n, n + 1, n + 2);
    out[1].d[0] = mixed(n, n, n, n, n > 3);
}

extern "C" __global__ void indirect(int *p, int n)
{
    p[0] = table[n % 3](p[1], p[2]);
    p[3] = chosen(p[4], 5);
    Binary local = n > 5 ? plus : minus;
    p[6] = local(n, n);
}

extern "C" __global__ void virtuals(float *out, int n)
{
    Shape *s;
    if (n & 1) s = new Square(n); else s = new Circle(n);
    out[0] = s->area();
    delete s;
}

extern "C" __global__ void talks(int n, double d)
{
    printf("no arguments\n");
    printf("%d of %f and \"%s\" \t %% %p\n", n, d, "text", &n);
    int *p = (int *)malloc(n * sizeof(int));
    if (!p) asm volatile("trap;");
    p[0] = n;
    free(p);
    if (n == 77) __trap();
    if (n == 78) asm volatile("exit;");
    __brkpt();
}
