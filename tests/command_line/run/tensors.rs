//! Tensor copies in `run`, `check` and launches in comments.

use crate::{Run, run_in};
use serde_json::Value;
use std::fs;

/// What an H100 has left in memory after copies and updates in every rank, type and swizzle, bit for bit; what it refused is a problem.
#[test]
fn tensor_copies_leave_in_memory_what_a_gpu_does() {
    compare_with_recording("tensors.ptx", "recorded.jsonl.gz", 150);
}

/// The same of copies of pixels, and with maps whose properties a kernel has replaced.
#[test]
fn pixels_and_replaced_maps_leave_in_memory_what_a_gpu_does() {
    compare_with_recording("modes.ptx", "modes.jsonl.gz", 60);
}

fn compare_with_recording(module: &str, recording: &str, least: usize) {
    let folder = support::evidence("tensors");
    let recorded = support::gunzip(&folder.join(recording));
    assert!(recorded.lines().count() >= least);
    for line in recorded.lines() {
        let launch: Value = serde_json::from_str(line).expect("JSON");
        let options = launch["options"].as_array().expect("a list").iter().map(|one| one.as_str().expect("a text"));
        let options: Vec<&str> = options.collect();
        let given = ["run", module, "--format", "json"].into_iter().chain(options.iter().copied());
        let run = run_in(&folder, &given.collect::<Vec<_>>(), b"");
        let result: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{options:?}: {}", run.stderr));
        if launch["error"].is_string() {
            assert_eq!(result["problems"][0]["code"], "tensor-map-misuse", "{options:?}");
            continue;
        }
        assert_eq!(run.code, 0, "{options:?}: {}", result["problems"]);
        for name in ["data", "out"] {
            let Some(expected) = launch[name].as_str() else { continue };
            let words = result["memory"][name].as_array().expect("a list").iter();
            let bytes: Vec<u8> =
                words.flat_map(|word| (word.as_u64().expect("a number") as u32).to_le_bytes()).collect();
            assert!(bytes == decoded(expected), "{options:?}: {name} is another one");
        }
    }
}

/// The bytes of base64.
pub fn decoded(text: &str) -> Vec<u8> {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let value = |sign: &u8| alphabet.iter().position(|one| one == sign).expect("a sign of base64") as u32;
    let signs: Vec<u32> = text.trim_end_matches('=').as_bytes().iter().map(value).collect();
    let group = |signs: &[u32]| {
        let all = signs.iter().fold(0, |all, sign| all << 6 | sign) << (6 * (4 - signs.len()));
        all.to_be_bytes()[1..signs.len()].to_vec()
    };
    signs.chunks(4).flat_map(group).collect()
}

const LAUNCH: [&str; 8] = [
    "--block",
    "2",
    "--arg",
    "in=tensor(u32[16x4],box=8x4)=iota",
    "--arg",
    "out=tensor(u32[12x3],box=8x4)",
    "--arg",
    "sum=tensor(u32[8x4],box=8x4)=1,2,3",
];

fn module() -> String {
    fs::read_to_string(support::root().join("tests/fixtures/kernels/tensor_copies.ptx")).expect("a fixture")
}

fn check(text: &str) -> Run {
    let options = ["check", "-"].into_iter().chain(LAUNCH);
    run_in(&support::root(), &options.collect::<Vec<_>>(), text.as_bytes())
}

#[test]
fn every_execution_of_tensor_copies_is_checked() {
    let text = module();
    let proved = check(&text);
    assert!(proved.stdout.starts_with("proved") && proved.code == 0, "{}{}", proved.stdout, proved.stderr);
    for (right, wrong, problem) in [
        ("\tfence.proxy.async.shared::cta;\n", "", "error[data-race]"),
        ("_, [full], 128", "_, [full], 64", "64 bytes more to be expected"),
        ("_, [full], 128", "_, [full], 192", "error[deadlock]"),
        ("\t@!%p2 bra WAIT;\n", "", "error[data-race]"),
        ("\tbar.sync 0;\n\t@%p1 bra END;\n", "\t@%p1 bra END;\n", "error[data-race]"),
        ("[%rd6, {%r7, %r7}]", "[%rd6, {%r1, %r6}]", "proved"),
        ("[%rd6, {%r7, %r7}]", "[%rd6, {1, %r7}]", "error[tensor-map-misuse]"),
    ] {
        assert!(text.contains(right), "{right}");
        let run = check(&text.replacen(right, wrong, 1));
        assert!(run.stdout.contains(problem), "{wrong} for {right}: {}{}", run.stdout, run.stderr);
    }
}

#[test]
fn lower_corners_of_pixels_that_are_written_are_not_negative() {
    let options = ["run", "modes.ptx", "--kernel", "pixel_store_3d", "--block", "128"].into_iter();
    let map = "map=tensor(u16[16x10x4],im2col,channels=8,pixels=24,lower=-1,upper=-1)";
    let arguments = [map, "in=u32[2048]", "base=u32=0", "c0=s32=8", "c1=s32=4", "c2=s32=0"];
    let options = options.chain(arguments.into_iter().flat_map(|one| ["--arg", one])).collect::<Vec<_>>();
    let run = run_in(&support::evidence("tensors"), &options, b"");
    assert!(run.stdout.contains("lower corner -1 of the map"), "{}{}", run.stdout, run.stderr);
}

/// The mistake is found before the rows of the box are listed.
#[test]
fn huge_boxes_do_not_fit_into_shared_memory() {
    let text = module()
        .replace(".tensor.2d.", ".tensor.5d.")
        .replace("{8, 0}", "{0, 0, 0, 0, 0}")
        .replace(", {%r", ", {%r7, %r7, %r7, %r");
    let options = ["run", "-", "--arg", "in=tensor(u8[16x1x1x1x1],box=16x256x256x256x256)"];
    let options = options.into_iter().chain(["--arg", "out=tensor(u8[16x1x1x1x1],box=16x256x256x256x256)"]);
    let options = options.chain(["--arg", "sum=tensor(u8[16x1x1x1x1],box=16x256x256x256x256)"]).collect::<Vec<_>>();
    let run = run_in(&support::root(), &options, text.as_bytes());
    assert!(run.code == 1 && run.stdout.contains("error[out-of-bounds]"), "{}{}", run.stdout, run.stderr);
}

/// `.tile::gather4` and `.tile::scatter4` by the text: no GPU that has them was lent.
#[test]
fn chosen_rows_are_copied() {
    let text = ".version 8.6\n.target sm_100a\n.address_size 64\n\
        .visible .entry k(.param .align 64 .b8 in[128], .param .align 64 .b8 out[128])\n{\n\
        .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<4>;\n\
        .shared .align 128 .b8 tile[128];\n.shared .align 8 .b64 full;\n\
        mov.b64 %rd1, in; cvta.param.u64 %rd1, %rd1; mov.b64 %rd2, out; cvta.param.u64 %rd2, %rd2;\n\
        mbarrier.init.shared::cta.b64 [full], 1; fence.proxy.async;\n\
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 64;\n\
        cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes [tile], [%rd1, {4, 5, 0, 9, 2}], [full];\n\
        TEST: mbarrier.try_wait.parity.shared::cta.b64 %p, [full], 0; @!%p bra TEST;\n\
        cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%rd2, {0, 3, 2, 1, 0}], [tile];\n\
        cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nret;\n}\n";
    let options = [
        "run",
        "-",
        "--arg",
        "in=tensor(u32[8x6],box=4x1)=iota",
        "--arg",
        "out=tensor(u32[4x4],box=4x1)",
        "--expect",
        "out=20,21,22,23,0,0,0,0,4,5,6,7,44,45,46,47",
    ];
    let run = run_in(&support::root(), &options, text.as_bytes());
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
}

/// Sums of `cp.reduce.async.bulk.add.f32`: an H100 preserves subnormals, unlike in `red.global.add.f32`.
#[test]
fn bulk_sums_preserve_subnormals() {
    let text = ".version 8.6\n.target sm_90\n.address_size 64\n\
        .visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .b64 %rd<4>; .reg .b32 %r<4>;\n.shared .align 16 .b8 room[32];\n\
        ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];\n\
        ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%rd1]; st.shared.v4.u32 [room], {%r0, %r1, %r2, %r3};\n\
        ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%rd1+16]; st.shared.v4.u32 [room+16], {%r0, %r1, %r2, %r3};\n\
        fence.proxy.async;\n\
        cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd2], [room], 32;\n\
        cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nret;\n}\n";
    let options = [
        "run",
        "-",
        "--arg",
        "in=u32[8]=1,0x7fffff,0x80000001,0x800000,1,0x3f800000,0x80800001,0x400000",
        "--arg",
        "out=u32[8]=1,1,3,0x80000001,0x800000,5,0x800000,0x400000",
        "--expect",
        "out=2,0x800000,2,0x7fffff,0x800001,0x3f800000,0x80000001,0x800000",
    ];
    let run = run_in(&support::root(), &options, text.as_bytes());
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
}

/// The kernels with tensor copies and `wgmma` of which an H100 has shown nothing but what is proved.
#[test]
fn kernels_that_ran_on_a_gpu_are_proved() {
    let folder = support::evidence("verification");
    let text = fs::read_to_string(folder.join("tensor_pipelines.ptx")).expect("kernels");
    let launches: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("// check ")).collect();
    assert_eq!(launches.len(), 4);
    for launch in launches {
        let (name, options) = launch.split_once(": ").expect("options");
        let given = ["check", "tensor_pipelines.ptx", "--kernel", name].into_iter().chain(options.split(' '));
        let run = run_in(&folder, &given.collect::<Vec<_>>(), b"");
        assert!(run.stdout.starts_with("proved"), "{launch}: {}{}", run.stdout, run.stderr);
    }
}

#[test]
fn tensor_maps_are_arguments_of_launches_in_comments() {
    let launch = "//! run tiles block 32 in=tensor(u32[16x4],box=8x4)=iota out=tensor(u32[12x3],box=8x4)\n\
                  //! arg sum=tensor(u32[8x4], box=8x4)\n//! expect out[8] == 9\n//! expect sum[1] == 11\n";
    let run = run_in(
        &support::root(),
        &["lint", "--stdin-filename", "k.ptx", "-"],
        (launch.to_owned() + &module()).as_bytes(),
    );
    assert!(
        run.stdout.contains("error[run-mismatch]") && run.stdout.contains("sum[1]"),
        "{}{}",
        run.stdout,
        run.stderr
    );
    assert_eq!(run.stdout.matches("error[").count(), 1, "{}", run.stdout);
}

/// A tensor with strides is as large as its bytes, not as its elements.
#[test]
fn tensors_of_launches_in_comments_are_small() {
    let launch = "//! run tiles block 32 in=tensor(u32[16x2],box=8x2,strides=1048576000)\n";
    let text = launch.to_owned() + &module();
    let run = run_in(&support::root(), &["lint", "--stdin-filename", "k.ptx", "-"], text.as_bytes());
    assert!(run.stdout.contains("a launch in a comment has at most 1048576"), "{}{}", run.stdout, run.stderr);
}

#[test]
fn mistakes_in_tensor_maps_are_errors() {
    for (argument, message) in [
        ("in=tensor(u32[16x4])", "missing size of the box"),
        ("in=tensor(u32[16x4],box=8x4,of=x)", "no buffer `x` among the arguments"),
        ("in=u32[4]", "the parameter has 128 bytes"),
        ("", "--arg 'in=tensor(f16[64x64],box=64x8)'"),
    ] {
        let options: Vec<&str> = match argument {
            "" => vec!["run", "-"],
            argument => vec!["run", "-", "--arg", argument],
        };
        let run = run_in(&support::root(), &options, module().as_bytes());
        assert!(run.code == 2 && run.stderr.contains(message), "{argument}: {}{}", run.stdout, run.stderr);
    }
}

/// A map in global memory, whose address is passed, and one within a structure.
#[test]
fn tensor_maps_may_be_anywhere() {
    let text = module().replace(".param .align 64 .b8 out[128]", ".param .u64 out");
    let text = text.replace("mov.b64 %rd3, out;\n\tcvta.param.u64 %rd4, %rd3;", "ld.param.u64 %rd4, [out];");
    let text = text.replace(".param .align 64 .b8 in[128]", ".param .align 64 .b8 in[256]");
    let text =
        text.replace("[in]", "[in+64]").replace("mov.b64 %rd1, in;", "mov.b64 %rd1, in;\n\tadd.u64 %rd1, %rd1, 64;");
    let options = [
        "run",
        "-",
        "--block",
        "32",
        "--arg",
        "in+64=tensor(u32[16x4],box=8x4)=iota",
        LAUNCH[4],
        LAUNCH[5],
        LAUNCH[6],
        LAUNCH[7],
    ];
    let run = run_in(&support::root(), &options, text.as_bytes());
    assert!(
        run.code == 0 && run.stdout.contains("out: u32[36] = 0 0 0 0 0 0 0 0 9 10 11 12"),
        "{}{}",
        run.stdout,
        run.stderr
    );
}
