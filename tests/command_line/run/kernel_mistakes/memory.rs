//! Mistakes with memory and registers.

use super::{GeneratedKernel, HERE, Variant, WORDS};
use support::{Rng, pick};

/// An access before or after a buffer or shared memory.
pub fn out_of_bounds(rng: &mut Rng, variant: Variant) -> GeneratedKernel {
    let bytes = WORDS * 4;
    let (ty, size) = *pick(rng, &[("u8", 1), ("u16", 2), ("u32", 4), ("u64", 8), ("v2.u32", 8), ("v4.u32", 16)]);
    let (space, base) = *pick(rng, &[("global", "%data"), ("shared", "%s"), ("", "%data")]);
    let dot = if space.is_empty() { "" } else { "." };
    // After the words in shared memory there are other variables.
    let others = if space == "shared" { 64 } else { 0 };
    let beyond = i64::from(bytes + others + 4096 * rng.u32(..3) + size * rng.u32(..4));
    let before = -i64::from(size) * i64::from(rng.u32(1..4));
    let offset = variant.choose(*pick(rng, &[beyond, before]), i64::from(size * rng.u32(..4)));
    let register = match ty {
        "u8" | "u16" => "%b1".to_owned(),
        "u64" => "%rd1".to_owned(),
        "v2.u32" => "{%r1, %r2}".to_owned(),
        "v4.u32" => "{%r1, %r2, %r3, %r4}".to_owned(),
        _ => "%r1".to_owned(),
    };
    let write = format!("\tst.relaxed.gpu{dot}{space}.{ty} [{base}+{offset}], {register}; {HERE}\n");
    let write = if ty.starts_with('v') { write.replace("st.relaxed.gpu", "@!%p st") } else { write };
    let read = format!("\t@!%p ld{dot}{space}.{ty} {register}, [{base}+{offset}]; {HERE}\n");
    let set = "\tmov.u16 %b1, 1;\n\tmov.u64 %rd1, 2;\n\tmov.u32 %r1, 1;\n\tmov.u32 %r2, 1;\n\tmov.u32 %r3, 1;\n\tmov.u32 %r4, 1;\n";
    let access = match (space, rng.bool(), ty) {
        ("shared", ..) | (_, true, _) => write,
        (_, _, "u32") if rng.bool() => format!("\tatom{dot}{space}.add.u32 %r1, [{base}+{offset}], 1; {HERE}\n"),
        _ => read,
    };
    GeneratedKernel::body(format!("\tsetp.ne.u32 %p, %id, 0;\n{set}{access}"))
}

/// An access to memory that was freed, or a second `free`.
pub fn use_after_free(rng: &mut Rng, variant: Variant) -> GeneratedKernel {
    let size = 8 * rng.u32(1..20);
    let allocate = format!(
        "\t{{ .param .b64 size, result; st.param.b64 [size], {size}; call (result), malloc, (size); ld.param.b64 %rd1, [result]; }}\n"
    );
    let free =
        |marker: &str| format!("\t{{ .param .b64 at; st.param.b64 [at], %rd1; call free, (at); {marker}\n\t}}\n");
    let write = |marker: &str| format!("\tst.u32 [%rd1+{}], %id; {marker}\n", size - 4);
    let read = |marker: &str| format!("\tld.u32 %r1, [%rd1+{}]; {marker}\n", size - 4);
    let (wrong, last) = match rng.u32(..3) {
        0 => (read(HERE), read("")),
        1 => (write(HERE), write("")),
        _ => (free(HERE), String::new()),
    };
    let body = match variant {
        Variant::Wrong => [allocate, write(""), free(""), wrong].concat(),
        Variant::Right => [allocate, write(""), last, free("")].concat(),
    };
    GeneratedKernel::body(body)
}

/// A load at an address that is not a multiple of its size.
pub fn misaligned(rng: &mut Rng, variant: Variant) -> GeneratedKernel {
    let (ty, register, size) = *pick(
        rng,
        &[
            ("u16", "%b1", 2),
            ("u32", "%r1", 4),
            ("u64", "%rd1", 8),
            ("v2.u32", "{%r1, %r2}", 8),
            ("v4.u32", "{%r1, %r2, %r3, %r4}", 16),
        ],
    );
    let (space, base) = *pick(rng, &[(".global", "%data"), ("", "%data"), (".shared", "%s")]);
    let offset = size * rng.u32(..3) + variant.choose(rng.u32(1..size), 0);
    let fill = |part: u32| format!("\tst.shared.v4.u32 [%s+{}], {{%id, %id, %id, %id}};\n", part * 16);
    let fill: String = (0..5).map(fill).collect();
    GeneratedKernel {
        threads: Some(1),
        ..GeneratedKernel::body(format!("{fill}\tld{space}.{ty} {register}, [{base}+{offset}]; {HERE}\n"))
    }
}

/// An address of another state space than the instruction names.
pub fn wrong_space(rng: &mut Rng, variant: Variant) -> GeneratedKernel {
    let at = 4 * rng.u32(..8);
    let body = match rng.u32(..4) {
        // An address in shared memory, taken for one in global memory.
        0 => format!(
            "\tcvt.u64.u32 %rd1, %s;\n\tcvta.shared.u64 %rd1, %rd1;\n\tst.relaxed.gpu{}.u32 [%rd1+{at}], 1; {HERE}\n",
            variant.choose(".global", "")
        ),
        // A generic address of local memory, taken for one in global memory.
        1 => format!(
            "\tmov.u64 %rd1, l;\n\tcvta.local.u64 %rd1, %rd1;\n\tst{}.u32 [%rd1+{}], %id; {HERE}\n",
            variant.choose(".global", ""),
            at % 32
        ),
        // An address in global memory, taken for one in shared memory.
        2 => format!("\tst{}.u32 [{}], %id; {HERE}\n", variant.choose(".shared", ".global"), "%word"),
        _ => format!(
            "\tmov.u64 %rd1, l;\n\tcvta.local.u64 %rd1, %rd1;\n\tmov.u64 %rd2, %data;\n\tatom.add.u32 %r1, [{}], 1; {HERE}\n",
            variant.choose("%rd1", "%rd2")
        ),
    };
    GeneratedKernel::body(body)
}

/// A register that some lanes have not written.
pub fn uninitialized_register(rng: &mut Rng, variant: Variant) -> GeneratedKernel {
    let bound = rng.u32(1..31);
    let guard = variant.choose(format!("@%p bra SKIP{bound};"), String::new());
    let uses = [
        "add.u32 %r2, %r1, 1;",
        "st.global.u32 [%word], %r1;\n\tadd.u32 %r2, %r1, 2;",
        "setp.gt.u32 %q, %r1, 3;",
        "mul.wide.u32 %rd1, %r1, 8;",
        "shfl.sync.bfly.b32 %r2, %f0, %r1, 31, -1;",
        "mov.b64 %rd1, {%r1, %id};\n\tadd.u64 %rd2, %rd1, 1;",
    ];
    let used = pick(rng, &uses);
    GeneratedKernel::body(format!(
        "\tsetp.lt.u32 %p, %lane, {bound};\n\t{guard}\n\tmov.u32 %r1, 5;\nSKIP{bound}:\n\tbar.warp.sync -1;\n\t{used} {HERE}\n"
    ))
}

/// A load of shared, local or allocated memory that nothing has written.
pub fn uninitialized_memory(rng: &mut Rng, variant: Variant) -> GeneratedKernel {
    let at = 4 * rng.u32(..WORDS / 2);
    let stored = variant.choose(false, true);
    let body = match rng.u32(..3) {
        0 => {
            let store = if stored {
                format!("\tst.relaxed.cta.shared.u32 [%s+{at}], 3;\n\tbar.sync 0;\n")
            } else {
                String::new()
            };
            format!("{store}\tld.relaxed.cta.shared.u32 %r1, [%s+{at}]; {HERE}\n")
        }
        1 => {
            let store = if stored { format!("\tst.local.u32 [l+{}], %id;\n", at % 32) } else { String::new() };
            format!("{store}\tld.local.u32 %r1, [l+{}]; {HERE}\n", at % 32)
        }
        _ => {
            let store = if stored { format!("\tst.u32 [%rd1+{at}], %id;\n") } else { String::new() };
            format!(
                "\t{{ .param .b64 size, result; st.param.b64 [size], 256; call (result), malloc, (size); ld.param.b64 %rd1, [result]; }}\n{store}\tld.u32 %r1, [%rd1+{at}]; {HERE}\n"
            )
        }
    };
    GeneratedKernel::body(body)
}

/// A write to a constant.
pub fn read_only(rng: &mut Rng, variant: Variant) -> GeneratedKernel {
    let at = 4 * rng.u32(..4);
    let target = variant.choose("%rd1", "%word");
    let offset = variant.choose(at, 0);
    let instruction = pick(rng, &["st.u32", "st.relaxed.gpu.u32", "red.add.u32"]);
    GeneratedKernel::body(format!(
        "\tmov.u64 %rd1, fixed;\n\tcvta.const.u64 %rd1, %rd1;\n\t{instruction} [{target}+{offset}], 1; {HERE}\n"
    ))
}
