//! Kernels that give the emulator numbers and addresses that no compiler does: a message, no panic, and neither time nor memory without bound.

use crate::{Run, lint_text, run_in};
use serde_json::Value;

const HEADER: &str = ".version 8.6\n.target sm_100a\n.address_size 64\n";
const VPRINTF: &str = ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n";
/// Prints a text with the arguments at an address; both are registers.
const PRINT: &str = "{ .param .b64 p0; .param .b64 p1; .param .b32 r; st.param.b64 [p0], f; st.param.b64 [p1], a; \
    call (r), vprintf, (p0, p1); }";

/// Runs a kernel, `k`, of declarations and a body, in one thread.
fn run_kernel(declarations: &str, parameters: &str, body: &str, options: &[&str]) -> Run {
    let text = format!("{HEADER}{declarations}.visible .entry k({parameters}) {{\n{body}\nret; }}\n");
    let run = run_in(&support::root(), &[&["run", "-"], options].concat(), text.as_bytes());
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    run
}

/// Checks that a run ends with an error that has some text.
fn fails(run: &Run, message: &str) {
    let all = format!("{}{}", run.stdout, run.stderr);
    assert!(run.code != 0 && all.contains(message), "{message}: {}\n{all}", run.code);
}

/// A text in memory, as the values of a variable.
fn variable(text: &str) -> String {
    let bytes: Vec<String> = text.bytes().chain([0]).map(|byte| byte.to_string()).collect();
    format!(".global .align 1 .b8 fmt[{}] = {{{}}};\n", bytes.len(), bytes.join(","))
}

/// Prints with a format, by registers for the addresses of format and arguments.
fn print(format: &str, addresses: &str, options: &[&str]) -> Run {
    let declarations = format!("{VPRINTF}{}", variable(format));
    let body = format!(
        ".local .align 8 .b8 buf[16]; .reg .b64 f, a; mov.b64 f, 7; st.local.b64 [buf], f; mov.b64 a, buf;\n\
         cvta.local.u64 a, a; mov.b64 f, fmt; cvta.global.u64 f, f; {addresses}\n{PRINT}"
    );
    run_kernel(&declarations, "", &body, options)
}

#[test]
fn what_is_printed_from_outside_of_memory_is_out_of_bounds() {
    fails(&print("x", "mov.b64 f, 0xfffffffffffffff0;", &[]), "at 0xfffffffffffffff0 is out of bounds");
    fails(&print("%d", "mov.b64 a, 0xffffffffffffffff;", &[]), "at 0xffffffffffffffff is out of bounds");
    fails(&print("%lld", "mov.b64 a, 0xfffffffffffffff8;", &[]), "at 0xfffffffffffffff8 is out of bounds");
    fails(&print("%s", "st.global.b8 [fmt], 37;\nmov.b64 a, f;", &[]), "out of bounds");
}

#[test]
fn fields_of_any_width_are_printed() {
    for format in ["%70000d", "%-70000d", "%070000d", "%99999999999999999999d", "%.70000f", "%.70000e"] {
        let run = print(format, "", &[]);
        assert_eq!(run.code, 0, "{format}: {}", run.stderr);
        assert!((4096..6000).contains(&run.stdout.len()), "{format}: {}", run.stdout.len());
    }
}

#[test]
fn a_loop_that_prints_ends_and_what_it_has_printed_is_cut() {
    let declarations = format!("{VPRINTF}{}", variable("%65535d"));
    let body = format!(".reg .b64 f, a; mov.b64 f, fmt; cvta.global.u64 f, f; mov.b64 a, f;\nL: {PRINT} bra L;");
    let run = run_kernel(&declarations, "", &body, &["--max-instructions", "2000000"]);
    fails(&run, "did not end within 2000000 instructions");
    let notes = run.stdout.matches("the kernel printed more than 1 MiB; the rest is not kept").count();
    assert!(notes == 1 && run.stdout.len() < 1 << 21, "{notes}, {} bytes", run.stdout.len());
    let text = format!("//! run k\n{HEADER}{declarations}.visible .entry k() {{\n{body}\nret; }}\n");
    let run = lint_text(text.as_bytes());
    assert!(run.stdout.contains("stopped after 2000000 instructions"), "{}", run.stdout);
}

const HANDLE: &str =
    ".reg .b64 a; .reg .f32 f; .reg .b32 r<5>; ld.param.b64 a, [p]; mov.f32 f, 1.0; mov.b32 r4, 0x7ffffffe;\n";
const ACCESSES: [&str; 4] = [
    "tex.2d.v4.u32.f32 {r0,r1,r2,r3}, [a, {f,f}];",
    "tex.3d.v4.u32.s32 {r0,r1,r2,r3}, [a, {r4,r4,r4,r4}];",
    "sust.b.2d.b32.clamp [a, {r4,r4}], r4;",
    "suld.b.2d.b32.clamp r1, [a, {r4,r4}];",
];

/// The description of an image with some sizes, as a kernel would have to guess it.
fn description(usage: u8, sizes: &[u32]) -> String {
    let mut bytes = [0; 64];
    bytes[..4].copy_from_slice(b"img:");
    bytes[4..8].copy_from_slice(&[usage, 4, 1, sizes.len() as u8]);
    for (place, size) in bytes[24..].chunks_exact_mut(4).zip(sizes) {
        place.copy_from_slice(&size.to_le_bytes());
    }
    bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(",")
}

#[test]
fn descriptions_of_images_are_those_of_the_host() {
    for (usage, sizes) in [(0, &[0, 0][..]), (0, &[4, 4]), (0, &[u32::MAX; 3]), (1, &[0, 0]), (1, &[u32::MAX; 2])] {
        let bytes = description(usage, sizes);
        for access in ACCESSES {
            let written = format!("p=u8[64]={bytes}");
            let run = run_kernel("", ".param .b64 p", &format!("{HANDLE}{access}"), &["--arg", &written]);
            fails(&run, "no texture or surface has this handle");
            if sizes == [4, 4] {
                continue;
            }
            // A constant variable is in memory that kernels cannot write, too.
            let constant = format!(".const .align 8 .b8 c[64] = {{{bytes}}};\n");
            let body = format!("{HANDLE}mov.b64 a, c; cvta.const.u64 a, a; {access}");
            fails(&run_kernel(&constant, ".param .u64 p", &body, &["--arg", "p=u64=0"]), "no texture or surface");
        }
    }
}

/// The bytes of a tensor map of elements of a byte at an address, its dimensions with size, stride and box.
fn tensor_map(address: u64, dimensions: &[(u32, u64, u16)], step: u8) -> String {
    let mut bytes = [0; 128];
    bytes[..4].copy_from_slice(b"tmap");
    bytes[5] = dimensions.len() as u8;
    bytes[8..16].copy_from_slice(&address.to_le_bytes());
    for (place, (size, stride, box_size)) in bytes[16..].chunks_exact_mut(15).zip(dimensions) {
        place[..4].copy_from_slice(&size.to_le_bytes());
        place[4..12].copy_from_slice(&stride.to_le_bytes());
        place[12..14].copy_from_slice(&box_size.to_le_bytes());
        place[14] = 1;
    }
    bytes[30] = step;
    bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(",")
}

#[test]
fn tensor_maps_that_wrap_around_are_out_of_bounds() {
    // The second row would be at the first address of `q` but for the sum's overflow.
    let first_buffer = 0x7000_0000_0000_u64;
    let stride = (1_u64 << 40) - 256;
    let body = ".shared .align 128 .b8 s[128]; .reg .b64 a; .reg .b32 z, c; ld.param.b64 a, [m]; mov.b32 z, 0;\n\
        mov.b32 c, 33554431; st.shared.b64 [s], a; st.shared.b64 [s+8], a; fence.proxy.async;\n\
        cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [a, {z, c}], [s];\n\
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;";
    let distance = stride.wrapping_mul(33_554_431);
    let address = (first_buffer + 0x2_0000).wrapping_sub(distance);
    for address in [address, address & !15, u64::MAX - 15] {
        let map = tensor_map(address, &[(16, 1, 16), (u32::MAX, stride, 1)], 1);
        let (q, m) = ("q=u8[262144]", format!("m=u8[128]={map}"));
        let run = run_kernel("", ".param .b64 q, .param .b64 m", body, &["--arg", q, "--arg", &m]);
        fails(&run, "error[");
    }
}

#[test]
fn a_step_in_the_innermost_dimension_makes_no_box_smaller() {
    let body = ".shared .align 128 .b8 s[128]; .reg .b64 a; .reg .b32 z; ld.param.b64 a, [m]; mov.b32 z, 0;\n\
        cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [a, {z}], [s];\n\
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;";
    let map = tensor_map(0x7000_0000_0000, &[(256, 1, 256)], 8);
    let m = format!("m=u8[128]={map}");
    let run = run_kernel("", ".param .b64 q, .param .b64 m", body, &["--arg", "q=u8[256]", "--arg", &m]);
    fails(&run, "read of 256 bytes");
}

#[test]
fn sizes_and_addresses_near_the_end_of_the_address_space_are_refused() {
    let argument = |value: u64| format!("n=u64={value:#x}");
    let run =
        |body: &str, value: u64| run_kernel("", ".param .b64 n", body, &["--arg", &argument(value), "--block", "32"]);
    let fill = ".shared .align 8 .b8 s[64]; .reg .b64 a; .reg .b32 b; ld.param.b64 a, [n]; mov.b32 b, s; st.bulk.weak.shared::cta [b+8], a, 0;";
    fails(&run(fill, u64::MAX - 7), "out of bounds");
    let stack = ".local .align 8 .b8 l[64]; .reg .b64 a, b; ld.param.b64 a, [n]; alloca.u64 b, a; st.local.b64 [l], b;";
    fails(&run(stack, u64::MAX - 7), "stack overflow");
    let map = ".shared .align 128 .b8 s[128]; .reg .b64 a; ld.param.b64 a, [n];\n\
        tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [a], [s], 128;";
    fails(&run(map, u64::MAX - 63), "out of bounds");
    let local = ".local .align 8 .b8 l[2000000000]; .reg .b64 a; mov.b64 a, 1; st.local.b64 [l+1999999992], a;";
    fails(&run(local, 0), "at most 524288");
}

#[test]
fn a_loop_that_allocates_ends() {
    let malloc = ".extern .func (.param .b64 r) malloc (.param .b64 s);\n";
    for bytes in [1_u64 << 30, 1] {
        let body = format!(
            ".reg .b64 a; mov.b64 a, {bytes};\nL: {{ .param .b64 s; .param .b64 r; st.param.b64 [s], a; call (r), malloc, (s); }} bra L;"
        );
        fails(&run_kernel(malloc, "", &body, &[]), "malloc");
    }
}

/// The registers that an instruction of thread 0 has written, by its opcode.
fn traced(result: &Value, lines: &[&str], opcode: &str) -> Vec<String> {
    let is_line = |event: &&Value| {
        let line = event["line"].as_u64().expect("a line") as usize;
        event["registers"].is_object() && lines[line - 1].contains(opcode)
    };
    let event = result["trace"].as_array().expect("a list").iter().find(is_line).expect(opcode);
    event["registers"].as_object().expect("an object").iter().map(|(name, value)| format!("{name}={value}")).collect()
}

#[test]
fn traces_show_what_textures_and_matrices_give() {
    let text = format!(
        "{HEADER}.visible .entry k(.param .b64 p) {{\n.reg .b64 a;\n.reg .b32 r<9>;\n.shared .align 16 .b32 s[128];\n\
         ld.param.b64 a, [p];\nmov.b32 r7, 1;\ntex.2d.v4.u32.s32 {{r0,r1,r2,r3}}, [a, {{r7,r7}}];\nmov.b32 r5, %tid.x;\n\
         shl.b32 r5, r5, 2;\nmov.b32 r4, s;\nadd.u32 r4, r4, r5;\nst.shared.b32 [r4], 0x30002;\nbar.sync 0;\nand.b32 r4, r4, 0x70;\n\
         ldmatrix.sync.aligned.m8n8.x1.shared.b16 {{r6}}, [r4];\nadd.cc.u32 r8, r6, r7;\nret;\n}}\n"
    );
    let options = ["--block", "32", "--arg", "p=texture(u32[2x2])=5,6,7,8", "--trace", "thread=0", "--format", "json"];
    let run = run_in(&support::root(), &[&["run", "-"], &options[..]].concat(), text.as_bytes());
    let result: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
    assert_eq!(run.code, 0, "{}", result["problems"]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(traced(&result, &lines, "tex.2d"), ["r0=8", "r1=0", "r2=0", "r3=0"]);
    assert_eq!(traced(&result, &lines, "ldmatrix"), ["r6=196610"]);
    assert_eq!(traced(&result, &lines, "add.cc"), ["r8=196611"]);
}
