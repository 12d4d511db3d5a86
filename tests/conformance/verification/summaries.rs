//! What `run` reports does not depend on the summaries of accesses that it looks at first: random kernels, and the same watched instruction by instruction,
//! which keeps all accesses and executes them lane by lane.

use crate::checked::{CheckedModule, sized};
use fastrand::Rng;
use std::fmt::Write;

/// The bytes of each buffer and of shared memory.
const BYTES: u32 = 1024;

/// Where a thread accesses memory, as the number of an element.
fn index(random: &mut Rng, text: &mut String) {
    let own = ["%t", "%g", "%g", "%t"][random.usize(..4)];
    let constant = random.u32(..8);
    let line = match random.u32(..12) {
        0..=4 => format!("mov.u32 %i, {own};"),
        5 => format!("mov.u32 %i, {constant};"),
        6 => format!("shl.b32 %i, {own}, 1;"),
        7 => format!("shr.u32 %i, {own}, {};", random.u32(1..6)),
        8 => format!("and.b32 %i, {own}, {};", [7, 15, 16, 31][random.usize(..4)]),
        9 => format!("xor.b32 %i, {own}, {};", [1, 31, 32, 63][random.usize(..4)]),
        10 => format!("add.u32 %i, {own}, {constant};"),
        _ => format!("mul.lo.u32 %i, {own}, {};", [3, 5, 17][random.usize(..3)]),
    };
    writeln!(text, "    {line}").expect("a line");
}

/// An access to a buffer or to shared memory.
fn access(random: &mut Rng, text: &mut String) {
    index(random, text);
    let (ty, bytes, value) = [
        ("u32", 4, "%v"),
        ("u32", 4, "%v"),
        ("u8", 1, "%v"),
        ("u16", 2, "%h"),
        ("v2.u32", 8, "{%v, %w}"),
        ("u64", 8, "%d"),
    ][random.usize(..6)];
    let (space, base) = [("shared", "%s"), ("global", "%a"), ("global", "%b")][random.usize(..3)];
    let guard = ["", "", "", "@%p ", "@!%p "][random.usize(..5)];
    writeln!(text, "    mul.lo.u32 %o, %i, {bytes};\n    and.b32 %o, %o, {};", BYTES - 8).expect("lines");
    let register = if space == "shared" { "%x" } else { "%y" };
    if space == "shared" {
        writeln!(text, "    add.u32 %x, {base}, %o;").expect("a line");
    } else {
        writeln!(text, "    cvt.u64.u32 %y, %o;\n    add.u64 %y, {base}, %y;").expect("lines");
    }
    let line = match random.u32(..10) {
        0..=4 => format!("ld.{space}.{ty} {value}, [{register}]"),
        5 if space == "global" => format!("ld.global.nc.{ty} {value}, [{register}]"),
        6 => format!("red.{space}.add.u32 [{register}], %t"),
        _ => format!("st.{space}.{ty} [{register}], {value}"),
    };
    writeln!(text, "    {guard}{line};").expect("a line");
}

fn kernel(random: &mut Rng) -> String {
    let mut text = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.shared .align 8 .b8 tile[{BYTES}];
.visible .entry kernel(.param .u64 a, .param .u64 b)\n{{
    .reg .b32 %v, %w, %i, %o, %s, %x, %t, %g, %n, %c;\n    .reg .b16 %h;\n    .reg .b64 %a, %b, %y, %d;\n    .reg .pred %p;
    ld.param.u64 %a, [a];\n    ld.param.u64 %b, [b];\n    mov.u32 %s, tile;\n    mov.u32 %t, %tid.x;\n    mov.u32 %c, %ctaid.x;
    mov.u32 %n, %ntid.x;\n    mad.lo.u32 %g, %c, %n, %t;\n    mov.u32 %v, %g;\n    mov.u32 %w, %t;\n    cvt.u16.u32 %h, %g;
    cvt.u64.u32 %d, %g;\n    setp.lt.u32 %p, %t, {};\n",
        [1, 7, 16, 32, 48][random.usize(..5)]
    );
    // Shared memory has values before it is read.
    text.push_str(
        "    mov.u32 %i, %t;\nFILL:\n    shl.b32 %o, %i, 2;\n    add.u32 %x, %s, %o;\n    st.shared.u32 [%x], %i;\n",
    );
    writeln!(
        text,
        "    add.u32 %i, %i, %n;\n    setp.lt.u32 %p, %i, {};\n    @%p bra FILL;\n    bar.sync 0;",
        BYTES / 4
    )
    .expect("lines");
    writeln!(text, "    setp.lt.u32 %p, %t, {};", [1, 7, 16, 32, 48][random.usize(..5)]).expect("a line");
    for _ in 0..random.usize(2..9) {
        match random.u32(..8) {
            0 | 1 => text.push_str("    bar.sync 0;\n"),
            2 => text.push_str("    bar.warp.sync 0xffffffff;\n"),
            3 if random.u32(..4) == 0 => text.push_str("    @%p exit;\n"),
            _ => access(random, &mut text),
        }
    }
    text.push_str("    ret;\n}\n");
    text
}

#[test]
fn summaries_change_nothing_that_is_reported() {
    let kernels = if support::full() { 100_000 } else { 1_500 };
    let mut random = Rng::with_seed(7);
    let (mut clean, mut racing) = (0, 0);
    for number in 0..kernels {
        let text = kernel(&mut random);
        let (ctas, threads) = (random.u32(1..4), [32, 64, 48, 96, 1][random.usize(..5)]);
        let arguments = [format!("a=u32[{}]=iota", BYTES / 4), format!("b=u32[{}]=iota", BYTES / 4)];
        let wanted = sized("kernel", ctas, threads, &[&arguments[0], &arguments[1]]);
        let launch = CheckedModule::new(&text).launch(&wanted);
        let seed = random.u64(..);
        let (summarized, watched) = launch.run_and_watched(seed);
        assert!(
            summarized == watched,
            "kernel {number}, {ctas} CTAs of {threads} threads: {:?}, {:?}\n{text}",
            (summarized.is_racing(), summarized.problems()),
            (watched.is_racing(), watched.problems())
        );
        if !summarized.is_racing() { clean += 1 } else { racing += 1 }
    }
    assert!(clean * 5 > kernels && racing * 5 > kernels, "{clean} without races, {racing} with");
}
