// What the small kernels of the files beside this one share.
#pragma once
#include <cuda/atomic>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

using u32 = unsigned;
using u64 = unsigned long long;

#define LOAD(name, order, type, width, constraint)                                                              \
    __device__ inline type name(const type* at) {                                                               \
        type value;                                                                                             \
        asm volatile("ld." order "." width " %0, [%1];" : "=" constraint(value) : "l"(at) : "memory");          \
        return value;                                                                                           \
    }
#define STORE(name, order, type, width, constraint)                                                             \
    __device__ inline void name(type* at, type value) {                                                         \
        asm volatile("st." order "." width " [%0], %1;" : : "l"(at), constraint(value) : "memory");             \
    }
LOAD(load_acquire, "acquire.gpu", u32, "u32", "r")
LOAD(load_acquire_cta, "acquire.cta", u32, "u32", "r")
LOAD(load_relaxed, "relaxed.gpu", u32, "u32", "r")
LOAD(load_relaxed, "relaxed.gpu", u64, "u64", "l")
LOAD(load_acquire, "acquire.gpu", u64, "u64", "l")
STORE(store_release, "release.gpu", u32, "u32", "r")
STORE(store_release_cta, "release.cta", u32, "u32", "r")
STORE(store_relaxed, "relaxed.gpu", u32, "u32", "r")
STORE(store_relaxed, "relaxed.gpu", u64, "u64", "l")
STORE(store_release, "release.gpu", u64, "u64", "l")

__device__ inline void fence_sc() { asm volatile("fence.sc.gpu;" : : : "memory"); }
__device__ inline void fence_sc_cta() { asm volatile("fence.sc.cta;" : : : "memory"); }
__device__ inline void fence() { asm volatile("fence.acq_rel.gpu;" : : : "memory"); }
__device__ inline void fence_cta() { asm volatile("fence.acq_rel.cta;" : : : "memory"); }
__device__ inline u32 number() { return blockIdx.x * blockDim.x + threadIdx.x; }

#define TWINS(name, parameters, arguments)                                        \
    extern "C" __global__ void name##_right parameters { name<true> arguments; }  \
    extern "C" __global__ void name##_wrong parameters { name<false> arguments; }
