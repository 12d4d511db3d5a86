// headers
// oldest: 70
// std: 17
// versions: 12.9 13.5
// Atomic objects of every scope and order through NVIDIA's C++ library.
#include <cuda/atomic>
template <class A> __device__ void all_orders(A a, typename A::value_type v, typename A::value_type *out)
{
    out[0] = a.load(cuda::memory_order_acquire);
    a.store(v, cuda::memory_order_release);
    out[1] = a.exchange(v, cuda::memory_order_acq_rel);
    out[2] = a.fetch_add(v, cuda::memory_order_relaxed);
    out[3] = a.fetch_sub(v, cuda::memory_order_seq_cst);
    typename A::value_type e = v;
    out[4] = a.compare_exchange_strong(e, v + 1, cuda::memory_order_acq_rel, cuda::memory_order_relaxed);
    out[5] = a.compare_exchange_weak(e, v + 2, cuda::memory_order_release);
    out[6] = a.fetch_min(v, cuda::memory_order_acquire) + a.fetch_max(v, cuda::memory_order_release);
}
template <class T, cuda::thread_scope S> __global__ void orders(T *p, T v)
{
    all_orders(cuda::atomic_ref<T, S>(p[0]), v, p + 1);
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, S);
    cuda::atomic_thread_fence(cuda::memory_order_acquire, S);
}
template __global__ void orders<int, cuda::thread_scope_block>(int *, int);
template __global__ void orders<unsigned, cuda::thread_scope_device>(unsigned *, unsigned);
template __global__ void orders<long long, cuda::thread_scope_system>(long long *, long long);
template __global__ void orders<float, cuda::thread_scope_device>(float *, float);
