// Atomics of every order and scope through clang's own builtins.
#define GLOBAL __attribute__((global))
#define DEVICE __attribute__((device))

template <int ORDER, int SCOPE, class T> DEVICE void all(T *p, T v)
{
    p[1] = __scoped_atomic_fetch_add(p, v, ORDER, SCOPE);
    p[2] = __scoped_atomic_exchange_n(p, v, ORDER, SCOPE);
    p[3] = __scoped_atomic_fetch_or(p, v, ORDER, SCOPE);
    p[4] = __scoped_atomic_fetch_max(p, v, ORDER, SCOPE);
    T e = v;
    p[5] = __scoped_atomic_compare_exchange_n(p, &e, v + 1, false, ORDER, __ATOMIC_RELAXED, SCOPE);
    __scoped_atomic_fetch_xor(p + 6, v, ORDER, SCOPE);
}

extern "C" GLOBAL void orders(int *p, unsigned long long *q, float *f, double *d)
{
    all<__ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE>(p, 1);
    all<__ATOMIC_ACQUIRE, __MEMORY_SCOPE_WRKGRP>(p, 2);
    all<__ATOMIC_RELEASE, __MEMORY_SCOPE_SYSTEM>(p, 3);
    all<__ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE>(q, 4ull);
    all<__ATOMIC_SEQ_CST, __MEMORY_SCOPE_SYSTEM>(q, 5ull);
    f[1] = __scoped_atomic_fetch_add(f, 1.0f, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
    d[1] = __scoped_atomic_fetch_add(d, 1.0, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
    __scoped_atomic_thread_fence(__ATOMIC_SEQ_CST, __MEMORY_SCOPE_SYSTEM);
}
