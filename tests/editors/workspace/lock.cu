__device__ unsigned take(unsigned *lock, unsigned ticket) {
    unsigned old;
    asm volatile("{ .reg .b32 kept; .reg .pred again;\n"
                 "RETRY:\n\t"
                 /* größer 😀 */ "/* 😀 */ atom.acquire.gpu.global.or.u32 kept, [%1], %2;\n\t"
                 "setp.ne.u32 again, kept, 0;\n\t"
                 "@again bra RETRY;\n\t"
                 "mov.b32 %0, kept; }"
                 : "=r"(old)
                 : "l"(lock), "r"(ticket)
                 : "memory");
    return old;
}
