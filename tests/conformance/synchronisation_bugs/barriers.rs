//! Kernels with barriers under conditions.

use crate::{MISTAKE, Variant};
use support::{Rng, pick};

/// A barrier under conditions that are the same in all lanes of a warp; the mistake is one that differs between lanes.
pub fn divergent(rng: &mut Rng, variant: Variant) -> String {
    let barrier = barrier(rng);
    let condition = lane_condition(rng);
    let inner = match variant {
        Variant::Right => format!("{barrier}\n"),
        Variant::Wrong => under(&condition, &format!("{barrier} {MISTAKE}\n")),
    };
    nested(rng, inner)
}

/// A loop over elements with a barrier; the mistake is a bound of each thread instead of one for all.
pub fn bounded(rng: &mut Rng, variant: Variant) -> String {
    let barrier = barrier(rng);
    let (first, step) = (*pick(rng, &["0", "64"]), *pick(rng, &["%ntid.x", "%nctaid.x"]));
    let (start, mark) = match variant {
        Variant::Right => (format!("mov.u32 %r20, {first};\n"), String::new()),
        Variant::Wrong => (format!("add.s32 %r20, %r2, {first};\n"), format!(" {MISTAKE}")),
    };
    let filler = filler(rng);
    let body = format!(
        "{start}mov.u32 %r21, {step};\nnext:\nsetp.ge.u32 %p20, %r20, %r1;\n@%p20 bra leave;\n{filler}{barrier}{mark}\n\
         add.s32 %r20, %r20, %r21;\nbra.uni next;\nleave:\n"
    );
    nested(rng, body)
}

fn barrier(rng: &mut Rng) -> &'static str {
    let barriers: [&str; 6] = [
        "bar.sync 0;",
        "barrier.sync.aligned 1, 128;",
        "bar.red.popc.u32 %r60, 0, %p60;",
        "barrier.cluster.arrive.aligned;",
        "bar.arrive 2, 64;",
        "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;",
    ];
    barriers[rng.usize(..barriers.len())]
}

/// Instructions without effect on the condition.
fn filler(rng: &mut Rng) -> String {
    let lines: [&str; 4] =
        ["add.s32 %r10, %r2, 3;\n", "ld.global.b32 %r11, [%rd1+4];\n", "st.global.b32 [%rd2+8], %r2;\n", ""];
    let mut text = String::new();
    (0..rng.usize(..3)).for_each(|_| text += lines[rng.usize(..lines.len())]);
    text
}

/// Instructions that compute `%p10`, which differs between the lanes of a warp.
fn lane_condition(rng: &mut Rng) -> String {
    let odd = 1 + rng.u32(..31);
    match rng.usize(..8) {
        0 => format!("setp.eq.s32 %p10, %r2, {odd};\n"),
        1 => format!("mov.u32 %r12, %laneid;\nsetp.lt.u32 %p10, %r12, {odd};\n"),
        2 => "elect.sync _|%p10, -1;\n".to_owned(),
        3 => format!("and.b32 %r12, %r2, {odd};\nsetp.eq.s32 %p10, %r12, 0;\n"),
        4 => format!("setp.gt.u32 %p10, %r2, {};\n", 32 * rng.u32(..4) + odd - 1),
        5 => "shr.u32 %r12, %r2, 3;\nsetp.ne.s32 %p10, %r12, 9;\n".to_owned(),
        6 => "mov.u32 %r13, %ctaid.x;\nsetp.eq.s32 %p11, %r13, 0;\nsetp.eq.and.s32 %p10, %r2, 0, %p11;\n".to_owned(),
        _ => format!("setp.ne.s32 %p11, %r2, {odd};\nselp.b32 %r12, 1, 0, %p11;\nsetp.eq.s32 %p10, %r12, 0;\n"),
    }
}

/// Instructions that compute `%p` with a number, the same in all lanes of a warp.
fn warp_condition(rng: &mut Rng, number: usize) -> String {
    let text = match rng.usize(..8) {
        0 => "setp.gt.s32 %pN, %r1, 4;\n",
        1 => "shr.u32 %r3N, %r2, 5;\nsetp.eq.s32 %pN, %r3N, 2;\n",
        2 => "setp.lt.u32 %pN, %r2, 64;\n",
        3 => "ld.global.b32 %r3N, [%rd1];\nsetp.ne.s32 %pN, %r3N, 0;\n",
        4 => "setp.eq.s32 %p40, %r2, 7;\nvote.sync.ballot.b32 %r3N, %p40, -1;\nsetp.ne.s32 %pN, %r3N, 0;\n",
        5 => "and.b32 %r3N, %r2, 96;\nsetp.eq.s32 %pN, %r3N, 32;\n",
        6 => "shr.u32 %r3N, %r2, 5;\nshfl.sync.idx.b32 %r3N, %r3N, 0, 31, -1;\nsetp.lt.s32 %pN, %r3N, 3;\n",
        _ => {
            "mul.wide.u32 %rd10, %r2, 4;\nadd.s64 %rd10, %rd1, %rd10;\nld.global.b32 %r3N, [%rd10];\nsetp.ne.s32 %pN, %r3N, 0;\n"
        }
    };
    text.replace('N', &number.to_string())
}

/// A body that the lanes with `%p10` execute.
fn under(condition: &str, body: &str) -> String {
    format!("{condition}@!%p10 bra inner;\n{body}inner:\n")
}

/// The body under conditions that are the same in all lanes of a warp.
fn nested(rng: &mut Rng, body: String) -> String {
    let mut text = body;
    for level in 0..rng.usize(..3) {
        let condition = warp_condition(rng, level);
        let (before, after) = (filler(rng), filler(rng));
        text = format!("{condition}@!%p{level} bra level{level};\n{before}{text}{after}level{level}:\n");
    }
    text
}
