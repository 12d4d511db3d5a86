//! Tensor maps that a kernel changes: fences, and who may use them then.

use crate::run_in;
use std::fs;

const REPLACED: [&str; 12] = [
    "--block",
    "32",
    "--arg",
    "map=tensor(u32[8x4],box=4x1,of=small)",
    "--arg",
    "small=u32[32]",
    "--arg",
    "large=u32[64]=iota",
    "--arg",
    "maps=u8[128]",
    "--arg",
    "out=u32[4]",
];

#[test]
fn fences_of_replaced_tensor_maps_are_checked() {
    let path = support::root().join("tests/fixtures/kernels/tensor_map_replaced.ptx");
    let text = fs::read_to_string(path).expect("a fixture");
    let check = |text: &str| {
        let options = ["check", "-"].into_iter().chain(REPLACED);
        run_in(&support::root(), &options.collect::<Vec<_>>(), text.as_bytes())
    };
    let proved = check(&text);
    assert!(proved.stdout.starts_with("proved"), "{}{}", proved.stdout, proved.stderr);
    for (line, problem) in [
        ("\tfence.proxy.tensormap::generic.acquire.gpu [%rd2], 128;\n", "no `fence.proxy.tensormap::generic.acquire`"),
        ("\tbar.warp.sync -1;\n\t@%p1 bra MADE;\n", "error["),
        ("\tbar.warp.sync -1;\n\ttensormap.cp_fenceproxy", "error[data-race]"),
        (", 0, %r5", "error[tensor-map-misuse]"),
    ] {
        let right = match line {
            ", 0, %r5" => ", 1, 0",
            line if line.ends_with("cp_fenceproxy") => "\ttensormap.cp_fenceproxy",
            _ => "",
        };
        assert!(text.contains(line), "{line}");
        let wrong = check(&text.replacen(line, right, 1));
        assert!(wrong.stdout.contains(problem), "{line}: {}{}", wrong.stdout, wrong.stderr);
    }
    // Twelve threads store 48 bytes of the 128.
    let few = ["check", "-", "--block", "12"].into_iter().chain(REPLACED[2..].iter().copied());
    let few = run_in(&support::root(), &few.collect::<Vec<_>>(), text.as_bytes());
    assert!(few.stdout.contains("error[uninitialized-read]"), "{}{}", few.stdout, few.stderr);
}

/// A map that a bulk copy has written needs the fence of its proxy, and that suffices.
#[test]
fn tensor_maps_may_be_written_by_copies() {
    let path = support::root().join("tests/fixtures/kernels/tensor_map_replaced.ptx");
    let text = fs::read_to_string(path).expect("a fixture");
    let from = "\ttensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd2], [made], 128;\n\t@%p1 bra WAIT;\n";
    assert!(text.contains(from));
    let to = "\t@%p1 bra WAIT;\n\tfence.proxy.async;\n\tcp.async.bulk.global.shared::cta.bulk_group [%rd2], [made], 128;\n\
        \tcp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;\n\tfence.proxy.async;\n\
        \tfence.proxy.tensormap::generic.release.gpu;\n";
    let options = ["check", "-"].into_iter().chain(REPLACED).collect::<Vec<_>>();
    let right = text.replace(from, to);
    let run = run_in(&support::root(), &options, right.as_bytes());
    assert!(run.stdout.starts_with("proved"), "{}{}", run.stdout, run.stderr);
    let wrong = right.replace("fence.proxy.tensormap::generic.acquire.gpu [%rd2], 128;", "");
    let run = run_in(&support::root(), &options, wrong.as_bytes());
    let problem = "no `fence.proxy.tensormap::generic.acquire`";
    assert!(run.stdout.contains(problem), "{}{}", run.stdout, run.stderr);
}

/// A thread stores the parts of a map and copies it: what it leaves out has no value, also where the destination had one.
#[test]
fn tensor_maps_of_undefined_bytes_are_errors() {
    let kernel = |parts: std::ops::Range<usize>| {
        let part = |at: usize| {
            format!("ld.param.v2.u64 {{%rd4, %rd5}}, [map+{at}];\nst.shared.v2.u64 [made+{at}], {{%rd4, %rd5}};\n")
        };
        let parts: String = parts.step_by(16).map(part).collect();
        format!(
            ".version 8.6\n.target sm_90a\n.address_size 64\n\
             .visible .entry k(.param .align 64 .b8 map[128], .param .u64 maps)\n{{\n\
             .reg .pred %p; .reg .b32 %r; .reg .b64 %rd<6>;\n.shared .align 128 .b8 made[128];\n\
             .shared .align 128 .b8 tile[128];\n.shared .align 8 .b64 full;\nld.param.u64 %rd2, [maps];\n{parts}\
             mbarrier.init.shared::cta.b64 [full], 1; fence.proxy.async;\n\
             cp.async.bulk.global.shared::cta.bulk_group [%rd2], [made], 128;\n\
             cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n\
             fence.proxy.tensormap::generic.acquire.gpu [%rd2], 128;\n\
             mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 16; mov.u32 %r, 0;\n\
             cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], [%rd2, {{%r, %r}}], [full];\n\
             TEST: mbarrier.try_wait.parity.shared::cta.b64 %p, [full], 0; @!%p bra TEST;\nret;\n}}\n"
        )
    };
    let options = ["check", "-", "--arg", "map=tensor(u32[8x4],box=4x1)", "--arg", "maps=u8[128]"];
    let proved = run_in(&support::root(), &options, kernel(0..128).as_bytes());
    assert!(proved.stdout.starts_with("proved"), "{}{}", proved.stdout, proved.stderr);
    let refuted = run_in(&support::root(), &options, kernel(0..112).as_bytes());
    assert!(refuted.stdout.contains("error[uninitialized-read]"), "{}{}", refuted.stdout, refuted.stderr);
}

/// What changes or copies a tensor map is not taken for a fence or barrier that can be left out.
#[test]
fn changes_of_tensor_maps_are_not_redundant() {
    let options =
        ["check", "tests/fixtures/kernels/tensor_map_replaced.ptx", "--redundant"].into_iter().chain(REPLACED);
    let run = run_in(&support::root(), &options.collect::<Vec<_>>(), b"");
    assert!(run.stdout.starts_with("proved"), "{}{}", run.stdout, run.stderr);
    assert!(!run.stdout.contains("cp_fenceproxy"), "{}", run.stdout);
    let needed = "fence.proxy.tensormap::generic.acquire.gpu [%rd2], 128;` is needed: data-race";
    assert!(run.stdout.contains(needed), "{}", run.stdout);
}

/// A map that another CTA has changed: the release and the acquire of its proxy are needed.
#[test]
fn tensor_maps_are_handed_over_by_fences_of_their_proxy() {
    let kernel = |release: &str, acquire: &str| {
        format!(
            ".version 8.6\n.target sm_90a\n.address_size 64\n\
             .visible .entry k(.param .u64 map, .param .u64 flag)\n{{\n\
             .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<4>;\n\
             .shared .align 128 .b8 tile[128];\n.shared .align 8 .b64 full;\n\
             ld.param.u64 %rd1, [map]; ld.param.u64 %rd2, [flag]; mov.u32 %r1, %ctaid.x;\n\
             setp.ne.u32 %p, %r1, 0; @%p bra READ;\n\
             tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], 1, 2;\n{release}\n\
             st.relaxed.gpu.global.u32 [%rd2], 1;\nret;\nREAD:\n\
             mbarrier.init.shared::cta.b64 [full], 1; fence.proxy.async;\nPOLL:\n\
             ld.relaxed.gpu.global.u32 %r2, [%rd2]; setp.eq.u32 %p, %r2, 0; @%p bra POLL;\n{acquire}\n\
             mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 32; mov.u32 %r3, 0;\n\
             cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], [%rd1, {{%r3, %r3}}], [full];\n\
             TEST: mbarrier.try_wait.parity.shared::cta.b64 %p, [full], 0; @!%p bra TEST;\nret;\n}}\n"
        )
    };
    const RELEASE: &str = "fence.proxy.tensormap::generic.release.gpu";
    const ACQUIRE: &str = "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128";
    let (release, acquire) = (&*format!("{RELEASE};"), &*format!("{ACQUIRE};"));
    for (release, acquire, found) in [
        (release, acquire, "proved"),
        ("", acquire, "error[data-race]"),
        ("fence.acq_rel.gpu;", acquire, "no `fence.proxy.tensormap::generic.release`"),
        (release, "fence.acq_rel.gpu;", "no `fence.proxy.tensormap::generic.acquire`"),
        (release, "", "error[data-race]"),
        ("", "", "error[data-race]"),
        // One that the other CTA executes is of no use.
        (&format!("{release} {acquire}"), "fence.acq_rel.gpu;", "no `fence.proxy.tensormap::generic.acquire`"),
    ] {
        let options =
            ["check", "-", "--grid", "2", "--arg", "map=tensor(u32[4x4],box=4x1)=iota", "--arg", "flag=u32[1]"];
        let run = run_in(&support::root(), &options, kernel(release, acquire).as_bytes());
        assert!(run.stdout.contains(found), "{release} {acquire}: {}{}", run.stdout, run.stderr);
        if found == "proved" {
            continue;
        }
        let options = options.into_iter().chain(["--repair"]).collect::<Vec<_>>();
        let run = run_in(&support::root(), &options, kernel(release, acquire).as_bytes());
        let repair: Vec<&str> = run
            .stdout
            .lines()
            .filter(|line| line.starts_with("repair: "))
            .filter_map(|line| line.split('`').nth(3))
            .collect();
        // No order of an ordinary access is one of the proxy.
        let missing: Vec<&str> = [(release, RELEASE), (acquire, ACQUIRE)]
            .into_iter()
            .filter(|(written, needed)| !written.contains(needed))
            .map(|(_, needed)| needed)
            .collect();
        assert_eq!(repair, missing, "{release} {acquire}: {}{}", run.stdout, run.stderr);
    }
    // Comments in the copy are no operands.
    let commented = kernel(release, "").replace("[tile], [%rd1", "/* [x { */ [tile], // {\n [%rd1");
    let options =
        ["check", "-", "--repair", "--grid", "2", "--arg", "map=tensor(u32[4x4],box=4x1)", "--arg", "flag=u32[1]"];
    let run = run_in(&support::root(), &options, commented.as_bytes());
    assert!(run.stdout.contains(&format!("insert `{ACQUIRE}` before it")), "{}{}", run.stdout, run.stderr);
}

/// What kernels before have changed is acquired after them, also if another one has changed it back.
#[test]
fn tensor_maps_that_earlier_kernels_have_changed_are_acquired_after_them() {
    let change = |name: &str, size: u32| {
        format!(
            ".visible .entry {name}(.param .u64 map)\n{{\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [map];\n\
             tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], 1, {size};\n\
             fence.proxy.tensormap::generic.release.gpu;\nret;\n}}\n"
        )
    };
    let module = |begin: &str| {
        format!(
            ".version 8.6\n.target sm_90a\n.address_size 64\n{}{}\
             .visible .entry use(.param .u64 map)\n{{\n.reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<2>;\n\
             .shared .align 128 .b8 tile[128];\n.shared .align 8 .b64 full;\nld.param.u64 %rd1, [map];\n\
             mbarrier.init.shared::cta.b64 [full], 1; fence.proxy.async;\n{begin}\n\
             mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 16; mov.u32 %r3, 0;\n\
             cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], [%rd1, {{%r3, %r3}}], [full];\n\
             TEST: mbarrier.try_wait.parity.shared::cta.b64 %p, [full], 0; @!%p bra TEST;\nret;\n}}\n",
            change("make", 2),
            change("back", 1)
        )
    };
    const ACQUIRE: &str = "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;";
    const WAIT: &str = "griddepcontrol.wait;";
    let race = "no `fence.proxy.tensormap::generic.acquire` in this kernel between a write by the kernel before";
    for (last, begin, found) in [
        ("use map=map", ACQUIRE.to_owned(), ""),
        ("use map=map", String::new(), race),
        ("use programmatic map=map", format!("{WAIT} {ACQUIRE}"), ""),
        ("use programmatic map=map", format!("{ACQUIRE} {WAIT}"), race),
    ] {
        for command in ["check", "run"] {
            let map = "map=tensor(u32[4x4],box=4x1)=iota";
            let options = [command, "-", "--kernel", "make", "--arg", map, "--then", "back map=map", "--then", last];
            let run = run_in(&support::root(), &options, module(&begin).as_bytes());
            assert_eq!(run.code, i32::from(!found.is_empty()), "{last} {begin}: {}{}", run.stdout, run.stderr);
            assert!(run.stdout.contains(found), "{last} {begin}: {}{}", run.stdout, run.stderr);
        }
    }
}
