//! Kernels with flags, counters and locks.

use crate::{MISTAKE, Variant};
use support::{Rng, pick};

fn mark(wrong: bool) -> String {
    if wrong { format!(" {MISTAKE}") } else { String::new() }
}

/// A loop that polls a flag in global memory: without order if the mark says so, else with acquire ordering or a fence after it.
fn poll(rng: &mut Rng, flag: &str, wrong: bool) -> String {
    let mark = mark(wrong);
    let (load, fence) = match (wrong, rng.usize(..4)) {
        (true, 0) => ("ld.volatile.global.b32", ""),
        (true, 1) => ("ld.relaxed.sys.global.b32", ""),
        (true, _) => ("ld.relaxed.gpu.global.b32", ""),
        (false, 0) => ("ld.acquire.sys.global.b32", ""),
        (false, 1) => ("ld.relaxed.gpu.global.b32", "fence.acq_rel.gpu;\n"),
        (false, 2) => ("ld.volatile.global.b32", "membar.gl;\n"),
        (false, _) => ("ld.acquire.gpu.global.b32", ""),
    };
    let sleep = *pick(rng, &["", "nanosleep.u32 64;\n"]);
    let load = format!("{load} %r40, [{flag}];{mark}\n");
    let test = *pick(
        rng,
        &[
            "setp.eq.s32 %p20, %r40, 0;\n@%p20 bra poll;\n",
            "setp.lt.s32 %p20, %r40, %r1;\n@%p20 bra poll;\n",
            "and.b32 %r41, %r40, 1;\nsetp.ne.s32 %p20, %r41, 1;\n@%p20 bra poll;\n",
            "setp.ne.s32 %p20, %r40, 0;\n@%p20 bra polled;\nbra.uni poll;\npolled:\n",
        ],
    );
    format!("poll:\n{load}{sleep}{test}{fence}")
}

/// A read of data that another kernel writes, after a poll.
pub fn waits(rng: &mut Rng, variant: Variant) -> String {
    let flag = *pick(rng, &["%rd2+128", "%rd2"]);
    let poll = poll(rng, flag, variant == Variant::Wrong);
    let data = *pick(
        rng,
        &[
            "ld.global.b32 %r50, [%rd1];\nst.global.b32 [%rd2+4], %r50;\n",
            "mul.wide.u32 %rd20, %r2, 4;\nadd.s64 %rd21, %rd1, %rd20;\nld.global.b32 %r50, [%rd21];\nst.global.b32 [%rd2+4], %r50;\n",
            "ld.global.v2.f32 {%f0, %f1}, [%rd1+8];\nst.global.v2.f32 [%rd2+8], {%f0, %f1};\n",
        ],
    );
    match rng.bool() {
        true => poll + data,
        false => format!("setp.ne.s32 %p21, %r2, 0;\n@%p21 bra all;\n{poll}all:\nbar.sync 0;\n{data}"),
    }
}

/// A read of data beside the flag.
pub fn flags(rng: &mut Rng, variant: Variant) -> String {
    let poll = poll(rng, "%rd1", variant == Variant::Wrong);
    let data = *pick(rng, &["ld.global.b32 %r50, [%rd1+16];\n", "ld.global.cg.b32 %r50, [%rd1+4];\n"]);
    format!("{poll}{data}st.global.b32 [%rd2+4], %r50;\n")
}

/// A store that signals, with or without release ordering, and what orders it.
fn signal(rng: &mut Rng, flag: &str, wrong: bool) -> String {
    let mark = mark(wrong);
    match (wrong, rng.usize(..3)) {
        (true, 0) => format!("st.volatile.global.b32 [{flag}], 1;{mark}\n"),
        (true, 1) => format!("st.relaxed.sys.global.b32 [{flag}], 1;{mark}\n"),
        (true, _) => format!("st.relaxed.gpu.global.b32 [{flag}], 1;{mark}\n"),
        (false, 0) => format!("st.release.gpu.global.b32 [{flag}], 1;\n"),
        (false, 1) => format!("fence.acq_rel.gpu;\nst.relaxed.gpu.global.b32 [{flag}], 1;\n"),
        (false, _) => format!("membar.gl;\nst.volatile.global.b32 [{flag}], 1;\n"),
    }
}

/// Data for another kernel, and its signal.
pub fn signals(rng: &mut Rng, variant: Variant) -> String {
    let wrong = variant == Variant::Wrong;
    let data = *pick(
        rng,
        &[
            "st.global.b32 [%rd1], %r2;\n",
            "mul.wide.u32 %rd20, %r2, 4;\nadd.s64 %rd21, %rd1, %rd20;\nst.global.b32 [%rd21], %r2;\n",
            "st.global.v4.b32 [%rd1+16], {%r2, %r2, %r1, %r1};\n",
            "mov.b32 %r50, 0;\nfill:\nmul.wide.u32 %rd20, %r50, 4;\nadd.s64 %rd21, %rd1, %rd20;\nst.global.b32 [%rd21], %r50;\n\
             add.s32 %r50, %r50, 1;\nsetp.lt.s32 %p22, %r50, %r1;\n@%p22 bra fill;\n",
        ],
    );
    let mark = mark(wrong);
    let order = if wrong { "relaxed" } else { "release" };
    let signal = match rng.usize(..3) {
        0 => format!("red.{order}.gpu.global.add.u32 [%rd2], 1;{mark}\n"),
        1 => format!("red.{order}.sys.global.add.u32 [%rd2+4], 1;{mark}\n"),
        _ => signal(rng, "%rd2+8", wrong),
    };
    format!("{data}bar.sync 0;\nsetp.ne.s32 %p21, %r2, 0;\n@%p21 bra rest;\n{signal}rest:\nbar.sync 0;\n")
}

/// Two CTAs, of which one signals the other.
pub fn messages(rng: &mut Rng, variant: Variant) -> String {
    let signal = signal(rng, "%rd1", variant == Variant::Wrong);
    let poll = poll(rng, "%rd1", false);
    let store = *pick(rng, &["st.global.b32 [%rd1+16], %r2;\n", "st.global.cg.b32 [%rd1+4], %r1;\n"]);
    let load = store
        .replace("st.", "ld.")
        .replace("[%rd1+16], %r2", "%r50, [%rd1+16]")
        .replace("[%rd1+4], %r1", "%r50, [%rd1+4]");
    format!(
        "mov.u32 %r51, %ctaid.x;\nsetp.ne.s32 %p21, %r51, 0;\n@%p21 bra other;\n{store}{signal}bra.uni rest;\nother:\n{poll}{load}\
         st.global.b32 [%rd2+4], %r50;\nrest:\n"
    )
}

/// A message to another CTA of the cluster.
pub fn clusters(rng: &mut Rng, variant: Variant) -> String {
    let wrong = variant == Variant::Wrong;
    let mark = mark(wrong);
    let store = *pick(
        rng,
        &[
            "st.shared::cluster.b32 [%r11], %r2;\n",
            "st.shared::cluster.v4.b32 [%r11], {%r2, %r2, %r1, %r1};\n",
            "shl.b32 %r12, %r2, 2;\nadd.s32 %r13, %r11, %r12;\nst.shared::cluster.b32 [%r13], %r1;\n",
            "st.shared::cluster.f32 [%r11+64], 0f00000000;\n",
        ],
    );
    let arrive = match (wrong, rng.usize(..5)) {
        (true, 0) => format!("mbarrier.arrive.shared::cluster.b64 _, [%r14];{mark}\n"),
        (true, 1) => format!("mbarrier.arrive.release.cta.shared::cluster.b64 _, [%r14];{mark}\n"),
        (true, 2) => format!("fence.acq_rel.cta;\nmbarrier.arrive.shared::cluster.b64 _, [%r14];{mark}\n"),
        (true, 3) => format!("barrier.cluster.arrive.relaxed;{mark}\nbarrier.cluster.wait;\n"),
        (true, _) => format!("mbarrier.arrive.shared::cluster.b64 _, [%r14], 1;{mark}\n"),
        (false, 0) => "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r14];\n".to_owned(),
        (false, 1) => "fence.acq_rel.cluster;\nmbarrier.arrive.shared::cluster.b64 _, [%r14];\n".to_owned(),
        (false, _) => "barrier.cluster.arrive;\nbarrier.cluster.wait;\n".to_owned(),
    };
    let rank = *pick(rng, &["mov.u32 %r10, 1;\n", "mov.u32 %r15, %cluster_ctarank;\nxor.b32 %r10, %r15, 1;\n"]);
    let body = format!(
        "mapa.shared::cluster.u32 %r11, %r3, %r10;\nmapa.shared::cluster.u32 %r14, %r4, %r10;\n{store}{arrive}"
    );
    format!("{rank}{body}")
}

/// One lane that signals for its warp.
pub fn elected(rng: &mut Rng, variant: Variant) -> String {
    let wrong = variant == Variant::Wrong;
    let mark = mark(wrong);
    let join =
        if wrong { "" } else { *pick(rng, &["bar.warp.sync -1;\n", "bar.sync 0;\n", "bar.warp.sync 0xffffffff;\n"]) };
    let lane = *pick(
        rng,
        &[
            "and.b32 %r30, %r2, 31;\nsetp.ne.s32 %p9, %r30, 0;\n",
            "mov.u32 %r30, %laneid;\nsetp.ne.u32 %p9, %r30, 31;\n",
            "elect.sync _|%p8, -1;\nnot.pred %p9, %p8;\n",
            "rem.u32 %r30, %r2, 32;\nsetp.gt.u32 %p9, %r30, 0;\n",
        ],
    );
    let shared = rng.bool();
    let store = match shared {
        true => *pick(
            rng,
            &[
                "mad.lo.s32 %r31, %r2, 4, %r3;\nst.shared.b32 [%r31], %r2;\n",
                "shl.b32 %r32, %r2, 4;\nadd.s32 %r31, %r32, %r3;\nst.shared.v4.b32 [%r31], {%r2, %r2, %r1, %r1};\n",
            ],
        ),
        false => "mul.wide.u32 %rd30, %r2, 8;\nadd.s64 %rd31, %rd1, %rd30;\nst.global.v2.b32 [%rd31], {%r2, %r1};\n",
    };
    let signal = match (shared, rng.usize(..3)) {
        (true, 0) => format!("mbarrier.arrive.release.cta.shared::cta.b64 _, [%r4];{mark}\n"),
        (true, _) => format!("mbarrier.arrive.shared::cta.b64 _, [%r4+8];{mark}\n"),
        (false, 0) => format!("st.release.gpu.global.b32 [%rd2+4], 1;{mark}\n"),
        (false, 1) => format!("red.release.gpu.global.add.u32 [%rd2+4], 1;{mark}\n"),
        (false, _) => format!("fence.acq_rel.gpu;\nst.relaxed.gpu.global.b32 [%rd2+4], 1;{mark}\n"),
    };
    format!("{store}{join}{lane}@%p9 bra rest;\n{signal}rest:\n")
}

/// A lock around an operation of the warp.
pub fn locks(rng: &mut Rng, variant: Variant) -> String {
    let wrong = variant == Variant::Wrong;
    let operation = *pick(
        rng,
        &[
            "bar.warp.sync -1;",
            "shfl.sync.idx.b32 %r21, %r2, 0, 31, -1;",
            "vote.sync.any.pred %p6, %p5, -1;",
            "redux.sync.add.s32 %r21, %r2, -1;",
            "bar.sync 0;",
        ],
    );
    let operation = format!("{operation}{}\n", mark(wrong));
    let (within, behind) = if wrong { (&*operation, "") } else { ("", &*operation) };
    let acquire = *pick(
        rng,
        &[
            "atom.acquire.gpu.global.cas.b32 %r20, [%rd2], 0, 1;\nsetp.ne.s32 %p5, %r20, 0;\n@%p5 bra spin;\n",
            "atom.acquire.gpu.global.exch.b32 %r20, [%rd2], 1;\nsetp.eq.s32 %p5, %r20, 1;\nsetp.ne.s32 %p4, %r20, 0;\n@%p4 bra spin;\n",
            "atom.global.cas.b32 %r20, [%rd2], 0, 1;\nsetp.ne.s32 %p5, %r20, 0;\n@%p5 bra spin;\nfence.acq_rel.gpu;\n",
        ],
    );
    let release = *pick(
        rng,
        &[
            "fence.acq_rel.gpu;\nst.relaxed.gpu.global.b32 [%rd2], 0;\n",
            "atom.release.gpu.global.exch.b32 %r22, [%rd2], 0;\nst.global.b32 [%rd1+64], %r22;\n",
            "st.release.gpu.global.b32 [%rd2], 0;\n",
        ],
    );
    let data = "ld.global.b32 %r23, [%rd1];\nadd.s32 %r23, %r23, 1;\nst.global.b32 [%rd1], %r23;\n";
    let early = rng.bool();
    let (first, second) = if early { (within, "") } else { ("", within) };
    format!("spin:\n{acquire}{first}{data}{second}{release}{behind}")
}

/// Memory that other GPUs share.
pub fn systems(rng: &mut Rng, variant: Variant) -> String {
    let wrong = variant == Variant::Wrong;
    let scope = if wrong { *pick(rng, &["gpu", "cta", "cluster"]) } else { "sys" };
    let pattern = *pick(rng, &["input", "in*", "other, *put"]);
    let access = *pick(
        rng,
        &[
            "red.release.SCOPE.global.add.u32 [%rd1], 1;",
            "atom.acq_rel.SCOPE.global.add.u32 %r20, [%rd1+8], 1;",
            "st.release.SCOPE.global.b32 [%rd1+4], %r2;",
            "ld.acquire.SCOPE.global.b32 %r20, [%rd1];",
            "fence.acq_rel.SCOPE;",
        ],
    );
    let after = if access.starts_with("fence") { "st.relaxed.sys.global.b32 [%rd1], 1;\n" } else { "" };
    format!("// ptx-atomics: system-memory({pattern})\n{}{}\n{after}", access.replace("SCOPE", scope), mark(wrong))
}
