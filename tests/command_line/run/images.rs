//! Textures and surfaces in `run`, `check` and launches in comments.

use crate::run::tensors::decoded;
use crate::{Run, run_in};
use serde_json::Value;

/// What an H100 has read from textures and surfaces, and left in surfaces, bit for bit; what it refused is a problem.
#[test]
fn textures_and_surfaces_are_accessed_as_a_gpu_does() {
    let folder = support::evidence("images");
    let recorded = support::gunzip(&folder.join("recorded.jsonl.gz"));
    assert!(recorded.lines().count() >= 300);
    for line in recorded.lines() {
        let launch: Value = serde_json::from_str(line).expect("JSON");
        let options = launch["options"].as_array().expect("a list").iter().map(|one| one.as_str().expect("a text"));
        let options: Vec<&str> = options.collect();
        let given = ["run", "images.ptx", "--format", "json"].into_iter().chain(options.iter().copied());
        let run = run_in(&folder, &given.collect::<Vec<_>>(), b"");
        let name = format!("{} {}", options[1], options[3].split(")=").next().unwrap_or_default());
        let result: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{name}: {}", run.stderr));
        // An H100 reads zeros from an array of one dimension at integer coordinates, which PTX does not define.
        let is_undefined = options[1].starts_with("tex_1d") && options[1].ends_with("s32") && !name.contains("of=");
        if launch["error"].is_string() || is_undefined {
            assert_eq!(result["problems"][0]["code"], "texture-misuse", "{name}");
            continue;
        }
        assert_eq!(run.code, 0, "{name}: {}", result["problems"]);
        for buffer in ["out", "image"] {
            let Some(expected) = launch[buffer].as_str() else { continue };
            let expected = decoded(expected);
            let values = result["memory"][buffer].as_array().expect("a list");
            let width = expected.len() / values.len();
            let bytes = |value: &Value| value.as_u64().expect("a number").to_le_bytes()[..width].to_vec();
            let found: Vec<u8> = values.iter().flat_map(bytes).collect();
            assert!(found == expected, "{name}: `{buffer}` is another one");
        }
    }
}

const KERNEL: &str = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 img, .param .u64 out)
{
	.reg .b64 %rd<4>;
	.reg .b32 %r<8>;
	ld.param.u64 %rd1, [img];
	ld.param.u64 %rd2, [out];
	mov.u32 %r1, %tid.x;
	shl.b32 %r2, %r1, 2;
	mov.u32 %r3, 1;
	mul.wide.u32 %rd3, %r1, 4;
	add.u64 %rd3, %rd3, %rd2;
BODY
	ret;
}
";

fn run(command: &str, body: &str, arguments: &[&str]) -> Run {
    let text = KERNEL.replace("BODY", body);
    let mut options = vec![command, "-", "--block", "2"];
    options.extend(arguments);
    run_in(&support::root(), &options, text.as_bytes())
}

const SURFACE: [&str; 4] = ["--arg", "img=surface(u32[4x3])=iota", "--arg", "out=u32[4]"];
const VIEW: [&str; 4] = ["--arg", "out=u32[4]=5,6,7,8", "--arg", "img=texture(u32[4],of=out)"];

/// Which accesses see a store: those of its CTA through the proxy of surfaces, if a barrier orders them, and no others of the kernel.
#[test]
fn proxies_of_textures_and_surfaces_are_checked() {
    let store = "\tsust.b.2d.b32.trap [%rd1, {%r2, %r3}], {%r1};\n";
    let other =
        "\txor.b32 %r2, %r2, 4;\n\tsuld.b.2d.b32.trap {%r5}, [%rd1, {%r2, %r3}];\n\tst.global.u32 [%rd3], %r5;\n";
    let own = "\tsuld.b.2d.b32.trap {%r5}, [%rd1, {%r2, %r3}];\n\tst.global.u32 [%rd3], %r5;\n";
    let read = "\ttex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%rd1, {%r1}];\n";
    let write = "\tst.global.u32 [%rd3], %r1;\n";
    let barrier = "\tbar.sync 0;\n";
    let race = "error[data-race]";
    for (body, arguments, found) in [
        (format!("{store}{own}"), &SURFACE, "proved"),
        (format!("{store}{barrier}{other}"), &SURFACE, "proved"),
        (format!("{store}{other}"), &SURFACE, race),
        (format!("{own}{store}"), &SURFACE, "proved"),
        (format!("{read}\tst.global.u32 [%rd3], %r4;\n"), &VIEW, "proved"),
        (format!("{write}{read}"), &VIEW, "may not see a write that the kernel has made before"),
        (format!("{write}\tfence.proxy.alias;\n\tfence.proxy.async;\n{barrier}{read}"), &VIEW, "may not see a write"),
    ] {
        let checked = run("check", &body, arguments);
        assert!(checked.stdout.contains(found), "{body}: {}{}", checked.stdout, checked.stderr);
        assert_eq!(checked.stdout.starts_with("proved"), found == "proved", "{body}: {}", checked.stdout);
    }
}

/// A store to a surface that another CTA reads after a release and an acquire: ordered, and still not seen through the proxy of that CTA.
#[test]
fn surfaces_are_not_handed_to_other_ctas() {
    let text = |write: &str, read: &str| {
        format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n\
             .visible .entry k(.param .u64 img, .param .u64 data, .param .u64 flag)\n{{\n\
             .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %rd<4>;\n\
             ld.param.u64 %rd1, [img]; ld.param.u64 %rd2, [data]; ld.param.u64 %rd3, [flag];\n\
             mov.u32 %r1, %ctaid.x; mov.u32 %r2, 0; setp.ne.u32 %p, %r1, 0; @%p bra READ;\n\
             {write}\nst.release.gpu.global.u32 [%rd3], 1;\nret;\nREAD:\n\
             ld.acquire.gpu.global.u32 %r3, [%rd3]; setp.eq.u32 %p, %r3, 0; @%p bra READ;\n{read}\nret;\n}}\n"
        )
    };
    let (store, load) = ("sust.b.1d.b32.trap [%rd1, {%r2}], {%r1};", "suld.b.1d.b32.trap {%r4}, [%rd1, {%r2}];");
    let (plain_store, plain_load) = ("st.global.u32 [%rd2], 5;", "ld.global.u32 %r4, [%rd2];");
    for (write, read, is_proved) in [(store, load, false), (plain_store, plain_load, true), (store, plain_load, true)] {
        let options = ["check", "-", "--grid", "2", "--arg", "img=surface(u32[4])", "--arg", "data=u32[1]"];
        let options = options.into_iter().chain(["--arg", "flag=u32[1]"]).collect::<Vec<_>>();
        let run = run_in(&support::root(), &options, text(write, read).as_bytes());
        assert_eq!(run.stdout.starts_with("proved"), is_proved, "{write} {read}: {}{}", run.stdout, run.stderr);
        assert!(is_proved || run.stdout.contains("this read may not see a write"), "{}", run.stdout);
    }
}

/// What a kernel has stored in a surface, the next one reads: by name, and where none is written by that of the parameter.
#[test]
fn surfaces_are_passed_on_to_the_next_kernel() {
    let second = KERNEL.replace(".version 8.0\n.target sm_90\n.address_size 64\n", "").replace(" k(", " next(");
    let store = "sust.b.2d.b32.trap [%rd1, {%r2, %r3}], {%r3};";
    let load = "suld.b.2d.b32.trap {%r5}, [%rd1, {%r2, %r3}];\nst.global.u32 [%rd3], %r5;";
    let text = KERNEL.replace("BODY", store) + &second.replace("BODY", load);
    for next in ["next block 2 img=img out=out", "next block 2"] {
        for command in ["run", "check"] {
            let options = [command, "-", "--kernel", "k", "--block", "2"].into_iter().chain(SURFACE);
            let options = options.chain(["--then", next, "--expect", "out=1,1,0,0"]).collect::<Vec<_>>();
            let run = run_in(&support::root(), &options, text.as_bytes());
            assert_eq!(run.code, 0, "{command} {next}: {}{}", run.stdout, run.stderr);
        }
    }
}

#[test]
fn mistakes_with_textures_and_surfaces_are_problems() {
    let text = |body: &str| format!("\t{body}\n");
    for (body, message) in [
        ("suld.b.2d.b32.trap {%r5}, [%rd1, {16, %r3}];", "byte 16 of a row is outside of the surface"),
        ("suld.b.2d.b32.trap {%r5}, [%rd1, {%r2, 3}];", "coordinate 1 is 3: outside of the surface"),
        ("suld.b.2d.b32.clamp {%r5}, [%rd1, {2, %r3}];", "2 is no multiple of 4"),
        ("suld.b.1d.b32.trap {%r5}, [%rd1, {%r2}];", "the instruction is `.1d`, the image is `.2d`"),
        ("suld.b.2d.b32.trap {%r5}, [%rd2, {%r2, %r3}];", "no texture or surface has this handle"),
        ("tex.2d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%rd1, {%r1, %r3}];", "the handle is that of a surface"),
    ] {
        let found = run("run", &text(body), &SURFACE);
        assert!(found.stdout.contains("error[texture-misuse]"), "{body}: {}{}", found.stdout, found.stderr);
        assert!(found.stdout.contains(message), "{body}: {}", found.stdout);
    }
    let narrow = ["--arg", "img=surface(u8[2x4])", "--arg", "out=u32[4]"];
    let wide = run("run", &text("suld.b.2d.b32.clamp {%r5}, [%rd1, {0, 0}];"), &narrow);
    assert!(wide.stdout.contains("byte 0 of a row is outside of the surface"), "{}{}", wide.stdout, wide.stderr);
    let filtered = run("run", "", &["--arg", "img=texture(u32[4],filter=linear)", "--arg", "out=u32[4]"]);
    assert!(filtered.code == 2 && filtered.stderr.contains("filtered reads"), "{}", filtered.stderr);
    let reference =
        ".version 8.0\n.target sm_90\n.address_size 64\n.global .surfref s;\n.visible .entry k()\n{\nret;\n}\n";
    let reference = run_in(&support::root(), &["check", "-"], reference.as_bytes());
    let message = "`.surfref` variables are not supported: pass a surface to a parameter";
    assert!(reference.code == 2 && reference.stderr.contains(message), "{}", reference.stderr);
    let narrow = run("run", "", &["--arg", "img=surface(u32[4x4x4x4])", "--arg", "out=u32[4]"]);
    assert!(narrow.code == 2 && narrow.stderr.contains("write the type"), "{}", narrow.stderr);
}

#[test]
fn surfaces_are_arguments_of_launches_in_comments() {
    let body = "\tsuld.b.2d.b32.trap {%r5}, [%rd1, {%r2, %r3}];\n\tst.global.u32 [%rd3], %r5;\n";
    let launch = "//! run k block 2 img=surface(u32[4x3])=iota out=u32[4]\n//! expect out == 4, 6\n";
    let text = launch.to_owned() + &KERNEL.replace("BODY", body);
    let run = run_in(&support::root(), &["lint", "--stdin-filename", "k.ptx", "-"], text.as_bytes());
    assert!(run.stdout.contains("error[run-mismatch]"), "{}{}", run.stdout, run.stderr);
    let run =
        run_in(&support::root(), &["lint", "--stdin-filename", "k.ptx", "-"], text.replace("4, 6", "4, 5").as_bytes());
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
}
