// Inline PTX as people write it: own scopes and registers, labels, comments, ranges, vectors, line ends, constants.
extern "C" __global__ void plain(int *p, long long *q, float *f)
{
    int x, y;
    asm volatile("{ .reg .pred p; .reg .b16 l, h;\r\n setp.eq.u32 p, %1, 0;\r\n @p mov.u32 %0, 0x7f;\r\n@!p mov.u32 %0, 0b101;\r\n"
                 " mov.b32 {l, h}, %0; mov.b32 %0, {h, l}; }" : "=r"(x) : "r"(p[0]));
    asm volatile("{ .reg .b32 a, b<3>; { .reg .b32 a; mov.u32 a, 017; mov.u32 b1, a; } add.u32 %0, b1, 10U; }" : "=r"(y));
    asm("mov.f32 %0, 0f3F800000;" : "=f"(f[0]));
    asm("mov.f64 %0, 0d3FF0000000000000;" : "=d"(*(double *)q));
    asm("fma.rn.f32 %0, %1, 1.5, .25;" : "=f"(f[1]) : "f"(f[2]));
    asm("selp.b32 %0, 1, 2, 1;" : "=r"(p[2]));
    asm("slct.f32.s32 %0, %1, 5., %2;" : "=f"(f[3]) : "f"(f[4]), "r"(p[3]));
    asm("mul.wide.s32 %0, %1, (1 << 4) + ~3;" : "=l"(q[1]) : "r"(p[4]));
    asm("{.reg .u64 a; cvta.to.global.u64 a,%1; ld.global.v2.b32 {%0,_},[a+(8*2)];}" : "=r"(p[5]) : "l"(p));
    asm volatile("{ .local .align 8 .b8 pad[32]; .reg .u64 a; mov.u64 a, pad; st.local.u32 [a], %0; }" :: "r"(x));
    asm volatile("{ .shared .b32 cell[4]; st.shared.u32 [cell+4], %0; ld.shared.u32 %1, [cell]; }" :: "r"(y), "r"(x));
    asm volatile(".pragma \"nounroll\";");
    asm("add.cc.u32 %0, %2, %3;\n\taddc.u32 %1, %2, 0;" : "=r"(p[6]), "=r"(p[7]) : "r"(x), "r"(y));
    asm("{ .reg .b64 t; mov.b64 t, {%1, %2}; mov.b64 {%0, _}, t; }" : "=r"(p[8]) : "r"(x), "r"(y));
    asm("cvt.rzi.ftz.sat.u32.f32 %0, %1;" : "=r"(p[9]) : "f"(f[5]));
    asm("neg.ftz.f32 %0, %1;" : "=f"(f[6]) : "f"(f[7]));
}
