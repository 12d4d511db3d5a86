//! Kernels whose memory is accessed through other proxies, too early, or through a cache that writes do not update.

use crate::{MISTAKE, Variant};
use support::{Rng, pick};

fn mark(wrong: bool) -> String {
    if wrong { format!(" {MISTAKE}") } else { String::new() }
}

/// All threads write to the tile.
fn stores(rng: &mut Rng) -> String {
    let address = *pick(
        rng,
        &[
            "mad.lo.s32 %r10, %r2, 16, %r3;\n",
            "shl.b32 %r11, %r2, 4;\nadd.s32 %r10, %r3, %r11;\n",
            "xor.b32 %r11, %r2, 5;\nmul.lo.s32 %r12, %r11, 16;\nadd.s32 %r10, %r12, %r3;\n",
        ],
    );
    let store = *pick(
        rng,
        &[
            "st.shared.b32 [%r10], %r2;\n",
            "st.shared.v4.b32 [%r10], {%r2, %r2, %r1, %r1};\n",
            "cvt.u64.u32 %rd10, %r10;\ncvta.shared.u64 %rd11, %rd10;\nst.b32 [%rd11], %r2;\n",
            "atom.shared.add.u32 %r13, [%r10], %r2;\n",
            "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r10], {%r2, %r1};\n",
            "mov.b32 %r14, 0;\nfill:\nst.shared.b32 [%r10], %r14;\nadd.s32 %r10, %r10, 2048;\nadd.s32 %r14, %r14, 1;\n\
             setp.lt.s32 %p10, %r14, 3;\n@%p10 bra fill;\n",
        ],
    );
    format!("{address}{store}")
}

/// A tile that all threads write and one thread copies.
pub fn proxies(rng: &mut Rng, variant: Variant) -> String {
    let wrong = variant == Variant::Wrong;
    let stores = stores(rng);
    let fence = *pick(rng, &["fence.proxy.async;\n", "fence.proxy.async.shared::cta;\n"]);
    let barrier = *pick(rng, &["bar.sync 0;\n", "barrier.sync 0;\n", "bar.sync 1, 128;\n"]);
    let (early, before, behind) = match (wrong, rng.usize(..3)) {
        (true, 0) => (fence.to_owned(), String::new(), ""),
        (true, 1) => (String::new(), format!("@%p1 bra over;\n{fence}over:\n"), ""),
        (true, _) => (String::new(), String::new(), ""),
        (false, 0) => (String::new(), String::new(), fence),
        (false, _) => (String::new(), fence.to_owned(), ""),
    };
    let chosen = *pick(rng, &["setp.ne.s32 %p1, %r2, 0;\n", "elect.sync _|%p2, -1;\nnot.pred %p1, %p2;\n"]);
    let copy = *pick(
        rng,
        &[
            "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r3], 2048;",
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd2], [%r3], 2048;",
            "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd5, {%r1, %r2}], [%r3];",
            "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group [%rd5, {%r1}], [%r3];",
        ],
    );
    format!(
        "{chosen}{early}{stores}{before}{barrier}@%p1 bra rest;\n{behind}{copy}{}\ncp.async.bulk.commit_group;\n\
         cp.async.bulk.wait_group 0;\nrest:\n",
        mark(wrong)
    )
}

/// An mbarrier that an asynchronous operation arrives at.
pub fn initialization(rng: &mut Rng, variant: Variant) -> String {
    let wrong = variant == Variant::Wrong;
    let barrier = 8 * rng.usize(..8);
    let fence = match wrong {
        true => "",
        false => *pick(
            rng,
            &["fence.mbarrier_init.release.cluster;\n", "fence.proxy.async;\n", "fence.proxy.async.shared::cta;\n"],
        ),
    };
    let copy = *pick(
        rng,
        &[
            "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 512, [%r20];",
            "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%r3], [%rd5, {%r1, %r2}], [%r20];",
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 512, [%r20];",
        ],
    );
    let mark = mark(wrong);
    let one = rng.bool();
    let (ready, again) = match one {
        true => ("", ""),
        false => ("ready:\nbar.sync 0;\n", "@%p1 bra wait;\n"),
    };
    let target = if one { "all" } else { "ready" };
    let all = if one { "all:\nbar.sync 0;\n" } else { "" };
    format!(
        "add.s32 %r20, %r4, {barrier};\nsetp.ne.s32 %p1, %r2, 0;\n@%p1 bra {target};\n\
         mbarrier.init.shared::cta.b64 [%r20], 1;\n{fence}{ready}{again}\
         mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r20], 512;\n{copy}{mark}\n{all}wait:\n\
         mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r20], 0;\n@!%p2 bra wait;\n"
    )
}

/// An array that is written and read again.
pub fn caches(rng: &mut Rng, variant: Variant) -> String {
    let wrong = variant == Variant::Wrong;
    let size = *pick(rng, &[4, 8, 16]);
    let index = |register: usize, value: &str| {
        format!(
            "mul.wide.u32 %rd{}, {value}, {size};\nadd.s64 %rd{register}, %rd1, %rd{};\n",
            register + 1,
            register + 1
        )
    };
    let write = index(10, "%r2")
        + *pick(
            rng,
            &[
                "st.global.b32 [%rd10], %r2;\n",
                "red.global.add.u32 [%rd10], %r2;\n",
                "st.global.cg.b32 [%rd10], %r2;\n",
                "st.relaxed.gpu.global.b32 [%rd10], %r2;\n",
            ],
        );
    let order = *pick(rng, &["bar.sync 0;\n", "fence.acq_rel.gpu;\nbar.sync 0;\n", "bar.warp.sync -1;\n"]);
    let other = *pick(
        rng,
        &[
            "xor.b32 %r20, %r2, 1;\n",
            "sub.s32 %r20, 127, %r2;\n",
            "and.b32 %r20, %r2, 31;\n",
            "mov.u32 %r21, %ctaid.x;\nmad.lo.s32 %r20, %r21, 0, %r2;\n",
        ],
    );
    let (nc, cache) = (if wrong { ".nc" } else { "" }, *pick(rng, &["", ".L1::no_allocate", ".L2::128B"]));
    let load = format!("{other}{}ld.global{nc}{cache}.b32 %r22, [%rd14];{}\n", index(14, "%r20"), mark(wrong));
    let body = format!("{write}{order}{load}st.global.b32 [%rd2+4], %r22;\n");
    match rng.bool() {
        true => body,
        false => format!(
            "mov.b32 %r30, 0;\nagain:\n{body}bar.sync 0;\nadd.s32 %r30, %r30, 1;\nsetp.lt.s32 %p3, %r30, %r1;\n@%p3 bra again;\n"
        ),
    }
}

/// A kernel that waits for the previous one.
pub fn dependencies(rng: &mut Rng, variant: Variant) -> String {
    let wrong = variant == Variant::Wrong;
    let mark = mark(wrong);
    let (address, at) = *pick(
        rng,
        &[
            ("", "%rd1"),
            ("mul.wide.u32 %rd10, %r2, 4;\nadd.s64 %rd11, %rd1, %rd10;\n", "%rd11"),
            ("mov.u32 %r10, %ctaid.x;\nmul.wide.s32 %rd10, %r10, 512;\nadd.s64 %rd11, %rd1, %rd10;\n", "%rd11+16"),
        ],
    );
    let access = match rng.usize(..6) {
        0 => format!("ld.global.b32 %r20, [{at}];{mark}\n"),
        1 => format!("ld.global.v4.f32 {{%f0, %f1, %f2, %f3}}, [{at}];{mark}\n"),
        2 => format!("st.global.b32 [{at}], %r2;{mark}\n"),
        3 => format!("atom.global.add.u32 %r20, [{at}], 1;{mark}\n"),
        4 => format!(
            "cp.async.cg.shared.global [%r3], [{at}], 16;{mark}\ncp.async.commit_group;\ncp.async.wait_group 0;\n"
        ),
        _ => format!("ld.global.nc.b32 %r20, [{at}];{mark}\n"),
    };
    let access = match rng.bool() {
        true => access,
        false => format!("setp.lt.s32 %p5, %r2, %r1;\n@!%p5 bra over;\n{access}over:\n"),
    };
    let wait = "griddepcontrol.wait;\n";
    let (before, behind) = if wrong { (access, String::new()) } else { (String::new(), access) };
    let launch = *pick(rng, &["", "griddepcontrol.launch_dependents;\n"]);
    format!("{address}{before}{wait}{behind}ld.global.b32 %r21, [%rd1+4];\nst.global.b32 [%rd2+4], %r21;\n{launch}")
}
