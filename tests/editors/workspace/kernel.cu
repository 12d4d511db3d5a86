__device__ unsigned old(unsigned *at) {
    unsigned before;
    asm volatile("atom.global.or.u32 %0, [%1], 1;" : "=r"(before) : "l"(at) : "memory");
    return before;
}
