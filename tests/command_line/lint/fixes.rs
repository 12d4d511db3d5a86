//! `--fix`: applies all safe fixes in one run, and changes nothing else.

use crate::{run_in, scratch};
use std::fs;

const WRONG: &str = "\u{feff}.version 8.0\r\n.target sm_90\r\n// é is kept\r\n.visible .entry k() {\r\n.reg .b64 a; .reg .b32 r; .reg .f16 h;\r\n\
    red.global.or.u32 [a], r; atom.global.and.s32 r, [a], r;\r\nred.global.add.f16 [a], h;\r\nred.acquire.gpu.global.add.u32 [a], r;\r\nret;\r\n}\r\n";

/// The text after all safe fixes.
fn fixed() -> String {
    WRONG
        .replace('\u{feff}', "")
        .replace(".or.u32", ".or.b32")
        .replace(".and.s32", ".and.b32")
        .replace(".add.f16", ".add.noftz.f16")
}

#[test]
fn a_diff_has_the_bytes_of_its_lines() {
    let folder = scratch("fix-payload");
    let text = WRONG.replace("red.global.or", "/*\r\n::notice::kept */\r\nred.global.or");
    fs::write(folder.join("a.ptx"), &text).expect("written");
    let diff = run_in(&folder, &["lint", "--fix", "--dry-run", "a.ptx"], b"").stdout;
    assert!(diff.contains("\n ::notice::kept */\r\n"), "{diff:?}");
    fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn safe_fixes_are_applied_and_the_rest_of_the_file_is_kept() {
    let folder = scratch("fix");
    fs::write(folder.join("a.ptx"), WRONG).expect("written");
    let read = || fs::read_to_string(folder.join("a.ptx")).expect("is there");
    let dry = run_in(&folder, &["lint", "--fix", "--dry-run", "a.ptx"], b"");
    assert_eq!(read(), WRONG, "a dry run changes nothing");
    assert_eq!(dry.code, 1);
    assert!(dry.stdout.starts_with("--- a/a.ptx\n+++ b/a.ptx\n@@ "), "{}", dry.stdout);
    assert!(dry.stdout.contains("\n+red.global.or.b32 [a], r; atom.global.and.b32 r, [a], r;"), "{}", dry.stdout);

    let run = run_in(&folder, &["lint", "--fix", "a.ptx"], b"");
    assert!(run.stderr.contains("4 findings fixed"), "{}", run.stderr);
    let fixed = fixed();
    assert_eq!(read(), fixed);
    assert_eq!(run.code, 1, "unsafe fixes are not applied");
    assert!(run.stdout.contains("1 file checked: 1 error"), "{}", run.stdout);
    let again = run_in(&folder, &["lint", "--fix", "a.ptx"], b"");
    assert_eq!((read(), again.stderr.as_str()), (fixed, ""), "once is enough");

    assert_eq!(run_in(&folder, &["lint", "--fix", "--unsafe-fixes", "a.ptx"], b"").code, 0);
    assert!(!read().contains(".acquire"));
    let files: Vec<_> = fs::read_dir(&folder).expect("a folder").collect();
    assert_eq!(files.len(), 1, "nothing is left over: {files:?}");
}

#[test]
fn a_byte_order_mark_is_an_error_of_ptx_and_no_other_language_minds_it() {
    let folder = scratch("mark");
    let (ptx, cpp) = (
        "\u{feff}.version 8.0\n.target sm_90\n",
        "\u{feff}#if 1\n__device__ void f(unsigned* a) {\n    asm volatile(\"red.global.or.u32 [%0], 1;\" :: \"l\"(a) : \"memory\");\n}\n#endif\n",
    );
    fs::write(folder.join("a.ptx"), ptx).expect("written");
    fs::write(folder.join("a.cu"), cpp).expect("written");
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("is there");
    for run in [run_in(&folder, &["lint", "a.ptx"], b""), run_in(&folder, &["lint", "-"], ptx.as_bytes())] {
        assert_eq!(run.code, 1);
        assert!(run.stdout.contains("unexpected byte order mark") && run.stdout.contains(":1:1\n"), "{}", run.stdout);
    }
    let fixed = run_in(&folder, &["lint", "--fix", "-"], ptx.as_bytes());
    assert_eq!((fixed.code, fixed.stdout.as_str()), (0, &ptx['\u{feff}'.len_utf8()..]));
    assert_eq!(run_in(&folder, &["lint", "--fix", "a.ptx"], b"").code, 0);
    assert_eq!(read("a.ptx"), ptx['\u{feff}'.len_utf8()..]);
    let linted = run_in(&folder, &["lint", "a.cu"], b"").stdout;
    assert!(linted.contains("illegal-type") && !linted.contains("byte order mark"), "{linted}");
    run_in(&folder, &["lint", "--fix", "a.cu"], b"");
    assert_eq!(read("a.cu"), cpp.replace("or.u32", "or.b32"));
}

#[test]
fn what_means_the_same_is_written_better_and_what_does_not_is_left() {
    let folder = scratch("fix-style");
    let text = ".version 9.5\n.target sm_90\n.visible .entry k(.param .u64 q) {\n.reg .b64 a, b; .reg .b32 r; .reg .f32 f;\n\
        ld.param.u64 b, [q];\ncvta.to.global.u64 a, b;\natom.global.add.u32 r, [a], 1;\nred.cta.global.add.f32 [a], f;\n\
        membar.gl;\nred.global.add.u32 [a], 0x1ffffffff;\nret;\n}\n";
    fs::write(folder.join("a.ptx"), text).expect("written");
    run_in(&folder, &["lint", "--preset", "all", "--fix", "a.ptx"], b"");
    let fixed = text
        .replace("atom.global.add.u32 r, [a]", "red.gpu.global.add.u32 [a]")
        .replace("membar.gl", "fence.sc.gpu")
        .replace("red.global", "red.gpu.global");
    assert_eq!(fs::read_to_string(folder.join("a.ptx")).expect("is there"), fixed);
    // What remains would change what is computed.
    let left = run_in(&folder, &["lint", "--preset", "strict", "--format", "jsonl", "a.ptx"], b"").stdout;
    for code in ["flushed-subnormals", "narrow-scope", "truncated-immediate"] {
        assert!(left.contains(code), "{left}");
    }
}

#[test]
fn invalid_utf_8_is_not_fixed_and_standard_input_is_written_to_standard_output() {
    let folder = scratch("fix-bytes");
    let mut bytes = WRONG.as_bytes().to_vec();
    bytes.extend(b"// \xe9\n");
    fs::write(folder.join("a.ptx"), &bytes).expect("written");
    let run = run_in(&folder, &["lint", "--fix", "a.ptx"], b"");
    assert!(run.code == 2 && run.stderr.contains("invalid UTF-8"), "{}", run.stderr);
    assert_eq!(fs::read(folder.join("a.ptx")).expect("is there"), bytes);
    let run = run_in(&folder, &["lint", "--fix", "-"], WRONG.as_bytes());
    assert_eq!((run.code, run.stdout.as_str()), (1, fixed().as_str()));
    assert!(run.stderr.contains("error[") && run.stderr.contains("1 file checked: 1 error"), "{}", run.stderr);
    assert_eq!(run.stderr.matches("4 findings fixed").count(), 1, "{}", run.stderr);
    let clean = run_in(&folder, &["lint", "--fix", "--quiet", "-"], b".version 8.0\n.target sm_90\n");
    assert_eq!((clean.code, clean.stdout.as_str(), clean.stderr.as_str()), (0, ".version 8.0\n.target sm_90\n", ""));
    assert!(
        run_in(&folder, &["lint", "--fix", "--dry-run", "-"], WRONG.as_bytes()).stdout.contains("+red.global.or.b32")
    );
}

#[test]
fn every_fixture_is_better_afterwards_and_none_loses_text() {
    let folder = scratch("fix-all");
    for name in ["realistic", "reference"] {
        for entry in fs::read_dir(support::root().join("tests/fixtures").join(name)).expect("fixtures") {
            let path = entry.expect("an entry").path();
            if path.extension().is_none_or(|ending| ending != "ptx") {
                continue;
            }
            let before = fs::read_to_string(&path).expect("UTF-8");
            fs::write(folder.join("a.ptx"), &before).expect("written");
            let count = || run_in(&folder, &["lint", "--format", "jsonl", "a.ptx"], b"").stdout.lines().count();
            let found = count();
            run_in(&folder, &["lint", "--fix", "a.ptx"], b"");
            let after = fs::read_to_string(folder.join("a.ptx")).expect("is there");
            assert!(count() <= found, "{}", path.display());
            assert_eq!(before.lines().count(), after.lines().count(), "{}", path.display());
            for (old, new) in before.lines().zip(after.lines()) {
                let comment = |line: &str| line.split_once("//").map(|(_, comment)| comment.to_owned());
                assert_eq!(comment(old), comment(new), "{}: comments are kept", path.display());
                let name = |line: &str| line.trim().split(['.', ' ']).next().map(str::to_owned);
                assert_eq!(name(old), name(new), "{}: instructions are kept", path.display());
            }
        }
    }
}

#[test]
fn the_clobber_is_added_to_statements_of_several_lines() {
    let folder = scratch("clobber");
    let before = "__device__ void f(int* lock, int one, int* data) {
    data[0] = 1;
    asm volatile(
        \"fence.acq_rel.gpu;\\n\"
    );
    data[1] = 1;
    asm volatile(\"{\\n\"
                 \"  st.release.gpu.global.b32 [%0], %1;\\n\"
                 \"}\\n\"
                 :
                 : \"l\"(lock),
                   \"r\"(one)
    );
    data[2] = 1;
    int state;
    asm volatile(\"ld.acquire.gpu.global.b32 %0, [%1];\\n\"
                 : \"=r\"(state)
                 : \"l\"(lock));
    data[3] = state;
    asm volatile(\"bar.sync 1;\"  // a remark
                 :
                 :
                 :
    );
    data[4] = state;
    asm volatile(\"bar.sync 2;\"
                 ::  // text after a comment would be lost
    );
    data[5] = state;
}
";
    let after = before
        .replace("gpu;\\n\"\n    );", "gpu;\\n\" ::: \"memory\"\n    );")
        .replace("\"r\"(one)\n", "\"r\"(one) : \"memory\"\n")
        .replace("\"l\"(lock));", "\"l\"(lock) : \"memory\");")
        .replace("                 :\n    );", "                 : \"memory\"\n    );");
    fs::write(folder.join("a.cu"), before).expect("written");
    let run = run_in(&folder, &["lint", "--fix", "--enable", "asm-hidden-order", "a.cu"], b"");
    assert_eq!(fs::read_to_string(folder.join("a.cu")).expect("is there"), after, "{}", run.stderr);
    assert!(run.stderr.contains("4 findings fixed"), "{}", run.stderr);
    assert!(run.stdout.contains("1 file checked: 1 warning"), "{}", run.stdout);
}

#[test]
fn a_missing_vector_size_and_the_ordering_of_a_volatile_access_with_a_scope_are_written() {
    let folder = scratch("written");
    let text = ".version 8.1\n.target sm_90\n.address_size 64\n.visible .entry k() {\n.reg .b64 a; .reg .f32 f<4>; .reg .b32 r;\n\
                red.global.add.f32 [a], {f0, f1};\natom.add.global.f32 {f0,f1,f2,f3}, [a], {f0,f1,f2,f3};\nld.volatile.sys.global.b32 r, [a];\n\
                st.gpu.volatile.b32 [a], r;\nret;\n}\n";
    fs::write(folder.join("a.ptx"), text).expect("written");
    let run = run_in(&folder, &["lint", "--fix", "--unsafe-fixes", "a.ptx"], b"");
    assert_eq!(run.code, 0, "{}", run.stdout);
    let expected = text
        .replace("red.global.add.f32", "red.global.add.v2.f32")
        .replace("atom.add.global.f32", "atom.add.global.v4.f32")
        .replace("volatile", "relaxed");
    assert_eq!(fs::read_to_string(folder.join("a.ptx")).expect("is there"), expected);
}
