//! Kernels with asynchronous copies and matrix operations.

use crate::{MISTAKE, Variant};
use support::{Rng, pick};

/// A copy or a matrix operation with its commit and its wait; the mistake is that one of them is missing or too late.
pub fn unfinished(rng: &mut Rng, variant: Variant) -> String {
    let wrong = variant == Variant::Wrong;
    match rng.usize(..6) {
        0 => elements(rng, wrong),
        1 => stages(rng, wrong),
        2 => bulk_stores(rng, wrong),
        3 => reused_source(rng, wrong),
        4 => warpgroup(rng, wrong),
        _ => tensor_memory(rng, wrong),
    }
}

/// The text if it is in the kernel.
fn unless(missing: bool, text: &str) -> &str {
    if missing { "" } else { text }
}

fn mark(wrong: bool) -> String {
    if wrong { format!(" {MISTAKE}") } else { String::new() }
}

/// Copies of a thread that are read after a barrier.
fn elements(rng: &mut Rng, wrong: bool) -> String {
    let copies = 1 + rng.usize(..4);
    let mistake = rng.usize(..4);
    let starts: String = (0..copies)
        .map(|copy| {
            let mark = mark(wrong && copy == 0 && mistake != 3);
            format!("cp.async.cg.shared.global [%r3+{}], [%rd1+{}], 16;{mark}\n", copy * 16, copy * 16)
        })
        .collect();
    let missing = |one: usize| wrong && mistake == one;
    let mbarrier = "cp.async.mbarrier.arrive.noinc.shared.b64 [%r4];\nwait:\n\
        mbarrier.try_wait.parity.shared.b64 %p1, [%r4], 0;\n@!%p1 bra wait;\n";
    let wait = match rng.usize(..3) {
        _ if missing(0) || missing(2) => "cp.async.wait_group 1;\n",
        0 => "cp.async.wait_all;\n",
        1 if !missing(3) => mbarrier,
        _ => "cp.async.wait_group 0;\n",
    };
    let commit = unless(missing(0), "cp.async.commit_group;\n");
    let wait = unless(missing(1), wait);
    let load = |mark: &str| format!("ld.shared.b32 %r10, [%r3];{mark}\nst.global.b32 [%rd2+4], %r10;\n");
    let early = if missing(3) { load(&mark(true)) } else { String::new() };
    let init = "mbarrier.init.shared.b64 [%r4], 128;\nbar.sync 0;\n";
    format!("{init}{starts}{commit}{early}{wait}bar.sync 0;\n{}", load(""))
}

/// A loop that copies the data of a later iteration.
fn stages(rng: &mut Rng, wrong: bool) -> String {
    let stages = 2 + rng.usize(..3);
    let mistake = rng.usize(..2);
    let commit = unless(wrong && mistake == 0, "cp.async.commit_group;\n");
    let wait = match wrong && mistake == 1 {
        true => String::new(),
        false => format!("cp.async.wait_group {};\n", stages - 2),
    };
    let mut text = "mul.lo.s32 %r20, %r2, 16;\nadd.s32 %r21, %r3, %r20;\n".to_owned();
    for stage in 0..stages - 1 {
        let mark = mark(wrong && stage == 0);
        text +=
            &format!("cp.async.ca.shared.global [%r21+{}], [%rd1+{}], 16;{mark}\n{commit}", stage * 1024, stage * 1024);
    }
    text + &format!(
        "mov.b32 %r22, 0;\nmov.b32 %r23, {};\nnext:\n{wait}bar.sync 0;\nshl.b32 %r24, %r22, 10;\nadd.s32 %r25, %r3, %r24;\n\
         ld.shared.b32 %r26, [%r25];\nst.global.b32 [%rd2+8], %r26;\nsetp.ge.s32 %p1, %r23, %r1;\n@%p1 bra skip;\n\
         rem.s32 %r27, %r23, {stages};\nshl.b32 %r28, %r27, 10;\nadd.s32 %r29, %r21, %r28;\n\
         cp.async.ca.shared.global [%r29], [%rd1+64], 16;\nskip:\n{commit}add.s32 %r23, %r23, 1;\nadd.s32 %r22, %r22, 1;\n\
         setp.lt.s32 %p2, %r22, %r1;\n@%p2 bra next;\n",
        stages - 1
    )
}

/// Bulk copies to global memory by one thread, before the kernel ends.
fn bulk_stores(rng: &mut Rng, wrong: bool) -> String {
    let mistake = rng.usize(..3);
    let missing = |one: usize| wrong && mistake == one;
    let copy = pick(
        rng,
        &[
            "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r3], 256;",
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd2], [%r3], 256;",
            "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd5, {%r1, %r2}], [%r3];",
        ],
    );
    let commit = unless(missing(0), "cp.async.bulk.commit_group;\n");
    let wait = match rng.usize(..2) {
        _ if missing(2) => "cp.async.bulk.wait_group 1;\n",
        0 => "cp.async.bulk.wait_group.read 0;\n",
        _ => "cp.async.bulk.wait_group 0;\n",
    };
    let (wait, mark) = (unless(missing(1), wait), mark(wrong));
    format!(
        "bar.sync 0;\nsetp.ne.s32 %p1, %r2, 0;\n@%p1 bra rest;\nfence.proxy.async.shared::cta;\n{copy}{mark}\n{commit}{wait}rest:\n"
    )
}

/// A loop that copies from one buffer.
fn reused_source(rng: &mut Rng, wrong: bool) -> String {
    let store = *pick(rng, &["st.shared.b32 [%r3], %r2;", "st.shared.v4.b32 [%r3], {%r2, %r2, %r2, %r2};"]);
    let wait = unless(wrong, "cp.async.bulk.wait_group.read 0;\n");
    let (steps, mark) = (2 + rng.usize(..3), mark(wrong));
    let mut text = format!("{store}\n");
    for step in 0..steps {
        let mark = if step == 0 { &mark } else { "" };
        text += &format!(
            "fence.proxy.async.shared::cta;\ncp.async.bulk.global.shared::cta.bulk_group [%rd2+{}], [%r3], 256;\n\
             cp.async.bulk.commit_group;\n{wait}{store}{mark}\n",
            step * 256
        );
    }
    text + "cp.async.bulk.wait_group 0;\n"
}

/// Matrix operations of a warp group.
fn warpgroup(rng: &mut Rng, wrong: bool) -> String {
    let mistake = rng.usize(..4);
    let missing = |one: usize| wrong && mistake == one;
    let mut text = "mov.b64 %rd10, 0;\n".to_owned();
    text += unless(missing(0), "wgmma.fence.sync.aligned;\n");
    for operation in 0..1 + rng.usize(..3) {
        let mark = mark(missing(0) && operation == 0);
        text += &format!(
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%f0, %f1, %f2, %f3}}, %rd10, %rd10, 1, 1, 1, 0, 0;{mark}\n"
        );
    }
    text += unless(missing(1), "wgmma.commit_group.sync.aligned;\n");
    let read = format!("add.f32 %f8, %f1, %f2;{}\n", mark(wrong && !missing(0)));
    let wait = if missing(3) { "wgmma.wait_group.sync.aligned 1;\n" } else { "wgmma.wait_group.sync.aligned 0;\n" };
    text + &if missing(2) { format!("{read}{wait}") } else { format!("{wait}{read}") }
        + "st.global.f32 [%rd2+4], %f8;\n"
}

/// Tensor memory of a kernel.
fn tensor_memory(rng: &mut Rng, wrong: bool) -> String {
    let columns = pick(rng, &[32, 64, 128, 512]);
    let mark = mark(wrong);
    let free = match wrong {
        true => String::new(),
        false => format!("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r10, {columns};\n"),
    };
    format!(
        "shr.u32 %r11, %r2, 5;\nsetp.ne.s32 %p1, %r11, 0;\n@%p1 bra rest;\n\
         tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r3], {columns};{mark}\n\
         tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\nld.shared.b32 %r10, [%r3];\n\
         tcgen05.wait::ld.sync.aligned;\n{free}rest:\n"
    )
}
