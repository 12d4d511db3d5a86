// PTX in asm statements is checked as in a PTX file, and so are constraints and clobbers.
#include <cstdint>

__device__ void publish(uint32_t *flag, uint32_t *data, uint32_t value)
{
    *data = value;
    asm volatile("st.release.gpu.global.u32 [%0], %1;" :: "l"(flag), "r"(1u) : "memory");
}

__device__ uint32_t wait(uint32_t *flag)
{
    uint32_t seen;
    do {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    } while (!seen);
    return seen;
}

__device__ float add(float *sum, float value)
{
    float before;
    asm volatile("atom.global.add.f16 %0, [%1], %2;" : "=f"(before) : "l"(sum), "f"(value));
    return before;
}
