//! Fences that hand over tensor maps, as `check --repair` proposes them.

use crate::run_in;

/// The changes that `check --repair` proposes: what it inserts.
fn repair(text: &str, options: &[&str]) -> Vec<String> {
    let options = ["check", "-", "--repair"].into_iter().chain(options.iter().copied());
    let run = run_in(&support::root(), &options.collect::<Vec<_>>(), text.as_bytes());
    let repair = run.stdout.lines().filter(|line| line.starts_with("repair: "));
    repair.map(|line| line.split('`').nth(3).unwrap_or_else(|| panic!("{}", run.stdout)).to_owned()).collect()
}

/// Two maps, the second after the first in one buffer or in buffers of their own: each needs its acquire.
#[test]
fn an_acquire_is_of_one_tensor_map() {
    let kernel = |acquires: &str| {
        format!(
            ".version 8.6\n.target sm_90a\n.address_size 64\n\
             .visible .entry k(.param .u64 a, .param .u64 b, .param .u64 flag)\n{{\n\
             .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<4>;\n\
             .shared .align 128 .b8 tile[256]; .shared .align 8 .b64 full;\n\
             ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [flag];\n\
             mov.u32 %r1, %ctaid.x; setp.ne.u32 %p, %r1, 0; @%p bra READ;\n\
             tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], 1, 1;\n\
             tensormap.replace.tile.box_dim.global.b1024.b32 [%rd2], 1, 1;\n\
             fence.proxy.tensormap::generic.release.gpu;\nst.relaxed.gpu.global.u32 [%rd3], 1;\nret;\nREAD:\n\
             ld.relaxed.gpu.global.u32 %r2, [%rd3]; setp.eq.u32 %p, %r2, 0; @%p bra READ;\n\
             mbarrier.init.shared::cta.b64 [full], 1; fence.proxy.async; {acquires}\n\
             mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 32; mov.u32 %r3, 0;\n\
             cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], [%rd1, {{%r3, %r3}}], [full];\n\
             cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile+128], [%rd2, {{%r3, %r3}}], [full];\n\
             TEST: mbarrier.try_wait.parity.shared::cta.b64 %p, [full], 0; @!%p bra TEST;\nret;\n}}\n"
        )
    };
    let map = |name: &str| format!("{name}=tensor(u32[8x4],box=4x1)");
    let (a, b) = (map("a"), map("b"));
    let options = ["--grid", "2", "--arg", &a, "--arg", &b, "--arg", "flag=u32[1]"];
    let fence = |name: &str| format!("fence.proxy.tensormap::generic.acquire.gpu [{name}], 128");
    let (first, second) = (fence("%rd1"), fence("%rd2"));
    let all = ["check", "-"].into_iter().chain(options).collect::<Vec<_>>();
    let both = kernel(&format!("{first}; {second};"));
    let proved = run_in(&support::root(), &all, both.as_bytes());
    assert!(proved.stdout.starts_with("proved"), "{}{}", proved.stdout, proved.stderr);
    for (acquires, missing) in [
        (format!("{first};"), vec![&second]),
        (format!("{second};"), vec![&first]),
        // A part of a map that is not all of it.
        (format!("{first}; {};", fence("%rd2+32")), vec![&second]),
        (String::new(), vec![&first, &second]),
    ] {
        let wrong = kernel(&acquires);
        let refuted = run_in(&support::root(), &all, wrong.as_bytes());
        assert!(refuted.stdout.contains("error[data-race]"), "{acquires}: {}{}", refuted.stdout, refuted.stderr);
        assert_eq!(repair(&wrong, &options).iter().collect::<Vec<_>>(), missing, "{acquires}");
    }
}

/// A map that ordinary stores change, and a race of a map beside another missing fence.
#[test]
fn missing_fences_of_tensor_maps_are_repaired_with_others() {
    let kernel = |change: &str, release: &str, tile: &str| {
        format!(
            ".version 8.6\n.target sm_90a\n.address_size 64\n\
             .visible .entry k(.param .u64 map, .param .u64 flag)\n{{\n\
             .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<4>;\n\
             .shared .align 128 .b8 tile[128]; .shared .align 8 .b64 full;\n\
             ld.param.u64 %rd1, [map]; ld.param.u64 %rd2, [flag]; mov.u32 %r1, %ctaid.x;\n\
             setp.ne.u32 %p, %r1, 0; @%p bra READ;\n{change}\n{release}\nst.relaxed.gpu.global.u32 [%rd2], 1;\nret;\nREAD:\n\
             ld.relaxed.gpu.global.u32 %r2, [%rd2]; setp.eq.u32 %p, %r2, 0; @%p bra READ;\n\
             mbarrier.init.shared::cta.b64 [full], 1; fence.mbarrier_init.release.cluster; {tile}\n\
             mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 16; mov.u32 %r3, 0;\n\
             cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], [%rd1, {{%r3, %r3}}], [full];\n\
             TEST: mbarrier.try_wait.parity.shared::cta.b64 %p, [full], 0; @!%p bra TEST;\nret;\n}}\n"
        )
    };
    const STORE: &str = "ld.global.u64 %rd3, [%rd1+8]; st.global.u64 [%rd1+8], %rd3;";
    const REPLACE: &str = "tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], 1, 1;";
    const RELEASE: &str = "fence.proxy.tensormap::generic.release.gpu";
    const ACQUIRE: &str = "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128";
    let options = ["--grid", "2", "--arg", "map=tensor(u32[8x4],box=4x1)", "--arg", "flag=u32[1]"];
    let stored = kernel(STORE, "", "fence.proxy.async;");
    assert_eq!(repair(&stored, &options), [RELEASE, ACQUIRE]);
    let tile = kernel(REPLACE, &format!("{RELEASE};"), "st.shared.u32 [tile], %r1;");
    assert_eq!(repair(&tile, &options), ["fence.proxy.async.shared::cta", ACQUIRE]);
}
