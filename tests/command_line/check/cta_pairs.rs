//! Copies of pairs of CTAs, `.cta_group::2`: which mbarrier is notified.

use crate::{Run, run_in};

/// A kernel of clusters whose CTAs with even ranks wait for the tiles of their pair. `e` is true there, `z` in the first CTA.
fn check(load: &str, ctas: &str) -> Run {
    let text = format!(
        ".version 8.7\n.target sm_100a\n.address_size 64\n\
         .visible .entry k(.param .align 64 .b8 in[128], .param .u64 out)\n{{\n\
         .reg .pred e, q, z; .reg .b32 r, at, bar, first, v; .reg .b64 m, o, a;\n\
         .shared .align 128 .b8 tile[128]; .shared .align 8 .b64 full;\n\
         ld.param.u64 o, [out]; mov.u32 r, %cluster_ctarank; mul.wide.u32 a, r, 4; add.u64 o, o, a;\n\
         setp.eq.u32 z, r, 0; and.b32 v, r, 1; setp.eq.u32 e, v, 0;\n\
         mov.b64 m, in; cvta.param.u64 m, m; mov.b32 bar, full; mov.b32 at, tile; mov.b32 v, 0;\n\
         mbarrier.init.shared::cta.b64 [full], 1; fence.mbarrier_init.release.cluster;\n\
         barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n\
         @e mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 256;\n{load}\n@!e bra READY;\n\
         WAIT: mbarrier.try_wait.parity.shared::cta.b64 q, [full], 0; @!q bra WAIT;\n\
         READY: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n\
         ld.shared.b32 v, [tile+4]; st.global.b32 [o], v;\nret;\n}}\n"
    );
    let options = ["check", "-", "--block", "1", "--grid", ctas, "--cluster", ctas, "--require", "out[1] == 6"];
    let arguments = ["--arg", "in=tensor(u32[32],box=32)=5,6,7", "--arg", "out=u32[4]"];
    run_in(&support::root(), &[&options[..], &arguments[..]].concat(), text.as_bytes())
}

/// A copy with these modifiers, which notifies the mbarrier at an address.
fn copy(words: &str, barrier: &str) -> String {
    let opcode = "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes";
    format!("{opcode}{words} [at], [m, {{v}}], [{barrier}]")
}

#[track_caller]
fn proves(load: &str, ctas: &str) {
    let run = check(load, ctas);
    assert!(run.code == 0 && run.stdout.starts_with("proved"), "{load}: {}{}", run.stdout, run.stderr);
}

#[track_caller]
fn refutes(load: &str, ctas: &str) {
    let run = check(load, ctas);
    assert!(run.code == 1 && run.stdout.contains("error["), "{load}: {}{}", run.stdout, run.stderr);
}

/// For each CTA that gets a tile, the mbarrier of the CTA of its pair is notified whose rank is even or odd as that of the named one.
#[test]
fn one_mbarrier_of_a_pair_is_notified_of_a_multicast() {
    let load = |group: &str| format!("@z {}", copy(&format!(".multicast::cluster.{group}"), "bar"));
    proves(&format!("{}, 3;", load("cta_group::2")), "2");
    proves(&format!("{}, 15;", load("cta_group::2")), "4");
    refutes(&format!("{}, 3;", load("cta_group::1")), "2");
    refutes(&format!("{}, 1;", load("cta_group::2")), "2");
    let second = format!(
        "mapa.shared::cluster.u32 first, bar, 1;\n@z {}, 3;",
        copy(".multicast::cluster.cta_group::2", "first")
    );
    refutes(&second, "2");
}

/// CUTLASS clears the lowest bit of the rank in the address of an mbarrier, so that both CTAs of a pair notify that of the first one.
#[test]
fn a_mask_makes_the_address_in_the_first_cta_of_a_pair() {
    // What compilers write where the mbarrier is aligned to 8 or 16 bytes, and what is written in C++.
    for mask in ["-16777224", "-16777232", "0xFEFFFFFF"] {
        proves(&format!("and.b32 first, bar, {mask};\n{};", copy(".cta_group::2", "first")), "2");
    }
    // The mask may be in a register, and the address moved to another one, or of 64 bits.
    for mask in [
        "mov.b32 v, -16777217; and.b32 first, bar, v; mov.b32 v, 0;",
        ".reg .b32 c; mov.u32 c, 0xFEFFFFFF; and.b32 first, c, bar;",
        ".reg .b32 c; and.b32 c, bar, 0xFEFFFFFF; mov.u32 first, c;",
    ] {
        // In the first one the register has another value later, so what it has at the mask is not known.
        let text = format!("{mask}\n{};", copy(".cta_group::2", "first"));
        if mask.contains("mov.b32 v, 0") { refutes(&text, "2") } else { proves(&text, "2") }
    }
    let wide = ".reg .b64 c, d, f; cvt.u64.u32 c, bar; mov.b64 d, 0xFFFFFFFFFEFFFFFF; and.b64 f, c, d;";
    proves(&format!("{wide}\n{};", copy(".cta_group::2", "f")), "2");
    let mask = "and.b32 first, bar, -16777217;\n";
    let both = |barrier: &str| format!("{mask}{};", copy(".cta_group::2", barrier));
    proves(&both("first"), "2");
    proves(&both("first"), "4");
    refutes(&both("bar"), "2");
    let second = |barrier: &str| format!("{mask}@!z {}, 3;", copy(".multicast::cluster.cta_group::2", barrier));
    proves(&second("first"), "2");
    refutes(&second("bar"), "2");
}
