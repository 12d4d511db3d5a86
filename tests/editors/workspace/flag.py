import triton.language as tl


def set_flag(flag, value):
    return tl.inline_asm_elementwise("""
        atom.global.or.u32 $0, [$1], $2;
    """, "=r,l,r", [flag, value], dtype=tl.int32, is_pure=False, pack=1)
