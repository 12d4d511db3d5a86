// oldest: 50
// options: plain lineinfo rdc fast
// Packed integers: the SIMD functions, dot products, bit fields, permutations and scalar video instructions.
extern "C" __global__ void packed(unsigned *p, unsigned a, unsigned b, unsigned c)
{
    p[0] = __vadd4(a, b); p[1] = __vsub2(a, b); p[2] = __vabsdiffu4(a, b); p[3] = __vmaxs2(a, b); p[4] = __vminu4(a, b);
    p[5] = __vavgu4(a, b); p[6] = __vcmpeq4(a, b); p[7] = __vseteq2(a, b); p[8] = __vsads4(a, b); p[9] = __vaddus2(a, b);
    p[10] = __vneg4(a); p[11] = __vabsss2(b);
#if __CUDA_ARCH__ >= 610
    p[12] = __dp4a((int)a, (int)b, (int)c); p[13] = __dp2a_lo((int)a, (int)b, (int)c); p[14] = __dp4a(a, b, c);
#endif
}

extern "C" __global__ void scalar(unsigned *p, unsigned a, unsigned b, unsigned c)
{
    asm("bfe.u32 %0, %1, 4, 8;" : "=r"(p[0]) : "r"(a));
    asm("bfi.b32 %0, %1, %2, %3, 5;" : "=r"(p[1]) : "r"(a), "r"(b), "r"(c));
    asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(p[2]) : "r"(a), "r"(b), "r"(c));
    asm("lop3.b32 %0, %1, %2, %3, 0xca;" : "=r"(p[3]) : "r"(a), "r"(b), "r"(c));
    asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(p[4]) : "r"(a), "r"(b), "r"(c));
    asm("mad.lo.cc.u32 %0, %1, %2, %3;\n\tmadc.hi.u32 %0, %1, %2, 0;" : "=r"(p[5]) : "r"(a), "r"(b), "r"(c));
    asm("vadd.u32.u32.u32 %0, %1.b0, %2.h1;" : "=r"(p[6]) : "r"(a), "r"(b));
    asm("vset.u32.u32.ge %0, %1.b3, %2.b2;" : "=r"(p[7]) : "r"(a), "r"(b));
    asm("vmad.u32.u32.u32.shr7 %0, %1.b1, %2.b0, %3;" : "=r"(p[8]) : "r"(a), "r"(b), "r"(c));
    asm("vshl.u32.u32.u32.clamp.add %0, %1, %2, %3;" : "=r"(p[9]) : "r"(a), "r"(b), "r"(c));
}
