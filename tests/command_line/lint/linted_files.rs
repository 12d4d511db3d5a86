//! `lint`: paths, order, formats, overrides, exit codes.

use crate::{lint_text, run, run_in, scratch};
use serde_json::Value;
use std::fs;

const CLEAN: &str = ".version 8.0\n.target sm_90\n.visible .entry k() { ret; }\n";
const WRONG: &str = ".version 8.0\n.target sm_90\n.visible .entry k(.param .u64 p) {\n\t.reg .b64 a; .reg .b32 r; /* é𝄞 */ red.global.or.u32 [a], r; ret;\n}\n";

fn findings(jsonl: &str) -> Vec<Value> {
    jsonl.lines().map(|line| serde_json::from_str(line).expect("one object a line")).collect()
}

#[test]
fn a_finding_has_all_keys_and_counts_scalar_values_from_one() {
    let run = lint_text(WRONG.as_bytes());
    let [finding] = findings(&run.stdout).try_into().expect("one finding");
    let line = WRONG.lines().nth(3).unwrap();
    let column = line[..line.find(".u32").unwrap()].chars().count() + 1;
    assert_eq!(finding["path"], "<stdin>");
    assert_eq!(finding["line"], 4);
    assert_eq!(finding["column"], column);
    assert_eq!(finding["end_line"], 4);
    assert_eq!(finding["end_column"], column + 4);
    assert_eq!(finding["severity"], "error");
    assert_eq!(finding["code"], "illegal-type");
    assert!(finding["message"].as_str().unwrap().contains("`.or`"), "{finding}");
    assert!(finding["help"].as_str().unwrap().contains("`.b32`"), "{finding}");
    assert_eq!(finding["schema"], 1);
    assert_eq!(run.code, 1);
    assert_eq!(run.stderr, "");
}

#[test]
fn folders_hold_ptx_files_with_a_version_or_target_and_ignore_files_count() {
    let folder = scratch("folders");
    fs::create_dir_all(folder.join("b/deep")).unwrap();
    fs::write(folder.join("b/deep/wrong.ptx"), WRONG).unwrap();
    fs::write(folder.join("b/pretext.ptx"), "<pretext><article/></pretext>").unwrap();
    fs::write(folder.join("b/wrong.txt"), WRONG).unwrap();
    fs::write(folder.join("ignored.ptx"), WRONG).unwrap();
    fs::write(folder.join(".gitignore"), "ignored.ptx\n").unwrap();
    fs::write(folder.join("a.ptx"), WRONG).unwrap();
    for arguments in [&["lint", "--format", "jsonl"][..], &["lint", "--format", "jsonl", "."]] {
        let run = run_in(&folder, arguments, b"");
        let paths: Vec<_> = findings(&run.stdout).iter().map(|f| f["path"].as_str().unwrap().to_owned()).collect();
        assert_eq!(paths, ["./a.ptx", "./b/deep/wrong.ptx"]);
        assert_eq!(run.code, 1);
    }
    let run = run_in(&folder, &["lint", "--format", "jsonl", "b/pretext.ptx", "ignored.ptx", "b"], b"");
    let paths: Vec<_> = findings(&run.stdout).iter().map(|f| f["path"].as_str().unwrap().to_owned()).collect();
    assert!(
        paths.contains(&"b/pretext.ptx".into()) && paths.contains(&"ignored.ptx".into()),
        "what is named is linted: {paths:?}"
    );
    assert!(paths.is_sorted(), "{paths:?}");
}

#[test]
fn two_beats_one_beats_zero() {
    let folder = scratch("exit");
    fs::write(folder.join("clean.ptx"), CLEAN).unwrap();
    fs::write(folder.join("wrong.ptx"), WRONG).unwrap();
    let code = |arguments: &[&str]| run_in(&folder, arguments, b"").code;
    assert_eq!(code(&["lint", "clean.ptx"]), 0);
    assert_eq!(code(&["lint", "clean.ptx", "wrong.ptx"]), 1);
    let run = run_in(&folder, &["lint", "absent.ptx", "wrong.ptx"], b"");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("absent.ptx"), "{}", run.stderr);
    assert!(run.stdout.contains("illegal-type"), "the other files are still checked: {}", run.stdout);
    assert_eq!(code(&["lint", "--no-such-option"]), 2);
    assert_eq!(code(&["lint", "--target", "sm_91", "clean.ptx"]), 2);
    assert_eq!(code(&["lint", "--ptx-version", "9.9", "clean.ptx"]), 2);
    let empty = scratch("empty");
    let run = run_in(&empty, &["lint"], b"");
    assert_eq!((run.code, run.stdout.as_str()), (0, "0 files checked, no findings\n"), "not given as an argument");
    assert!(run.stderr.contains("nothing to lint in .") && run.stderr.contains("*.cuh"), "{}", run.stderr);
    let run = run_in(&empty, &["lint", "."], b"");
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "it was named");
    assert!(run.stderr.contains("nothing to lint in ."), "{}", run.stderr);
}

#[test]
fn target_and_version_override_the_module() {
    let text = CLEAN.replace("ret;", ".reg .b64 a; .reg .f32 f; red.global.add.v2.f32 [a], {f, f}; ret;");
    let codes = |options: &[&str]| {
        let arguments: Vec<_> = ["lint", "--format", "jsonl"].iter().chain(options).chain(&["-"]).copied().collect();
        let run = run_in(&support::root(), &arguments, text.as_bytes());
        findings(&run.stdout).iter().map(|f| f["code"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(codes(&[]), ["requires-ptx-version"]);
    assert_eq!(codes(&["--ptx-version", "8.1"]), [""; 0]);
    assert_eq!(codes(&["--ptx-version", "8.1", "--target", "sm_80"]), ["requires-target"]);
    assert_eq!(codes(&["--ptx-version", "9.5", "--target", "sm_100a"]), [""; 0]);
}

#[test]
fn address_sizes_are_32_or_64_and_came_with_ptx_2_3() {
    for (version, size, expected) in [
        ("2.2", "64", "requires-ptx-version"),
        ("2.3", "64", ""),
        ("9.5", "0x20", ""),
        ("9.5", "16", "illegal-address-size"),
    ] {
        let run = lint_text(format!(".version {version}\n.target sm_20\n.address_size {size}\n").as_bytes());
        let codes: Vec<_> = findings(&run.stdout).iter().map(|f| f["code"].as_str().unwrap().to_owned()).collect();
        assert_eq!(codes.join(" "), expected, "{version} {size}");
    }
}

#[test]
fn the_nearest_settings_file_counts_and_the_command_line_beats_it() {
    let folder = scratch("settings");
    fs::create_dir(folder.join("inner")).unwrap();
    fs::write(folder.join("ptx-atomics.toml"), "target = \"sm_80\"\nptx-version = \"8.1\"\n").unwrap();
    let text = CLEAN.replace("ret;", ".reg .b64 a; .reg .f32 f; red.global.add.v2.f32 [a], {f, f}; ret;");
    fs::write(folder.join("a.ptx"), &text).unwrap();
    fs::write(folder.join("inner/b.ptx"), &text).unwrap();
    fs::write(folder.join("inner/ptx-atomics.toml"), "disable = [\"requires-ptx-version\"]\n").unwrap();
    let codes = |arguments: &[&str]| {
        let run = run_in(&folder, &[&["lint", "--format", "jsonl"], arguments].concat(), b"");
        findings(&run.stdout).iter().map(|f| f["code"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(codes(&["a.ptx"]), ["requires-target"]);
    assert_eq!(codes(&["--target", "sm_90", "a.ptx"]), [""; 0]);
    assert_eq!(codes(&["inner/b.ptx"]), [""; 0], "the nearest file alone counts");
    fs::write(folder.join("ptx-atomics.toml"), "taget = \"sm_80\"\n").unwrap();
    fs::write(folder.join("c.ptx"), &text).unwrap();
    let run = run_in(&folder, &["lint", "a.ptx", "c.ptx"], b"");
    assert_eq!(run.code, 2);
    assert_eq!(run.stderr.matches("did you mean `target`?").count(), 1, "named once: {}", run.stderr);
}

#[test]
fn text_output_shows_the_line_the_token_and_what_to_write() {
    let run = run_in(&support::root(), &["lint", "-"], WRONG.as_bytes());
    for part in ["error[illegal-type]", "<stdin>:4:", "red.global.or.u32", "^^^^", "`.b32`", "1 file checked: 1 error"]
    {
        assert!(run.stdout.contains(part), "{part} is missing in\n{}", run.stdout);
    }
    assert!(!run.stdout.contains('\u{1b}'), "no colours without a terminal");
}

#[test]
fn explain_prints_the_page_of_every_code() {
    let index = run(&["explain"]);
    assert_eq!(index.code, 0);
    let codes: Vec<_> =
        index.stdout.lines().filter_map(|l| l.strip_prefix("- `")?.split_once('`')).map(|(code, _)| code).collect();
    assert!(codes.contains(&"requires-target") && codes.len() > 60, "{codes:?}");
    for code in codes {
        let page = run(&["explain", code]);
        assert_eq!(page.code, 0, "{code}: {}", page.stderr);
        assert!(page.stdout.lines().count() > 5, "{code}");
    }
    let groups: Vec<_> = index.stdout.lines().filter(|line| line.starts_with("# ")).collect();
    assert_eq!(
        groups,
        [
            "# Instructions",
            "# Directives",
            "# Special registers",
            "# Modifiers",
            "# Words of GPUs",
            "# Functions of CUDA C++",
            "# Rules"
        ]
    );
    let unknown = run(&["explain", "no-such-thing"]);
    assert_eq!((unknown.code, unknown.stdout.as_str()), (2, ""));
}

#[test]
fn explain_has_a_page_of_every_listed_topic() {
    let index = ide::explain::index();
    let lists = index.lines().filter(|line| line.starts_with('`') && !line.starts_with("`ptx-atomics"));
    let topics: Vec<_> = lists.flat_map(|line| line.split(", ")).map(|topic| topic.trim_matches('`')).collect();
    assert!(topics.len() > 700, "{}", topics.len());
    for topic in topics {
        let page = ide::explain::page(topic).unwrap_or_else(|error| panic!("{topic}: {error}"));
        assert!(page.starts_with("# ") && page.lines().count() > 4, "{topic}: {page}");
    }
    for (topic, parts) in [
        (
            "mad",
            &["# mad.lo", "## Operands", "- `d`: register that takes the result, the instruction's type", "](https://"]
                [..],
        ),
        (
            "maxntid",
            &["# .maxntid", ".maxntid x{, y{, z}}", "#performance-tuning-directives-maxntid", "Requires PTX 1.3"],
        ),
        ("%tid", &["# %tid", "`.x`, `.y`, `.z`", "#special-registers-tid"]),
        ("laneid", &["# %laneid", "0 to 31", "Requires PTX 1.3"]),
        (".relaxed", &["# .relaxed", "memory ordering", "- on `atom`: requires PTX 6.0, sm_70 or newer"]),
        (".global", &["# .global", "32-bit", "\n---\n", "- on `ld`"][..1]),
        ("debug", &["# debug", "in `.target`"]),
    ] {
        let page = run(&["explain", topic]).stdout;
        assert!(parts.iter().all(|part| page.contains(part)), "{topic}: {page}");
    }
}

#[test]
fn only_instructions_that_access_memory_are_explained_by_what_memory_becomes() {
    let add = run(&["explain", "add.u32"]).stdout;
    assert!(add.contains("`d` the result (`.u32`), `a` (`.u32`), `b` (`.u32`)") && !add.contains("*a ="), "{add}");
    let atom = run(&["explain", "atom.global.add.u32"]).stdout;
    assert!(atom.contains("d = *a; *a = d + b") && atom.contains("`d` the old value"), "{atom}");
    assert!(run(&["explain", "st.global.u32"]).stdout.contains("*a = b"));
}

#[test]
fn explain_narrows_a_page_to_the_modifiers_given() {
    let page = run(&["explain", "atom.add"]);
    assert_eq!((page.code, page.stderr.as_str()), (0, ""));
    assert!(
        page.stdout.starts_with("# atom\n") && page.stdout.contains("\nOnly the forms with `.add`.\n"),
        "{}",
        page.stdout
    );
    for part in [
        "\n- `<op>`: `.add`; `<type>`: `.f64` — PTX 5.0, sm_60 or newer\n",
        "\n- `.add`: ",
        "\n**`<scope>`: Scope** (default: `.gpu`)\n",
    ] {
        assert!(page.stdout.contains(part), "{part}: {}", page.stdout);
    }
    for other in ["`.exch`", "`.min`", ".cas", "- `c`: "] {
        assert!(!page.stdout.contains(other), "{other}: {}", page.stdout);
    }
    let first_lines = |topic: &str| {
        let page = run(&["explain", topic]).stdout;
        page.lines().filter(|line| line.starts_with("# ")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(first_lines("red.global.add"), ["# red"]);
    assert_eq!(first_lines("multimem.red.add"), ["# multimem.red"]);
    assert_eq!(first_lines("mad.s32"), ["# mad.hi", "# mad.lo", "# mad.wide"]);
    // Integers come first.
    assert_eq!(first_lines("mad"), ["# mad.hi", "# mad.lo", "# mad.wide", "# mad"]);
    assert_eq!(first_lines("mul"), ["# mul.hi", "# mul.lo", "# mul.wide", "# mul"]);
}

#[test]
fn explain_of_what_no_instruction_has_is_an_error() {
    for (topic, error) in [
        ("atm.add", "no page on `atm.add`; `ptx-atomics explain` lists all pages"),
        ("atom.or.f32", "invalid type `.f32` for `.or`; `.or` requires a bit type: `.b32`, `.b64`"),
        ("atom.add.add", "duplicate `.add`; remove one `.add`"),
        (
            "atom.bogus",
            "unknown modifier `.bogus`; expected one of `.cas`, `.or`, `.xor`, `.and`, `.exch`; `ptx-atomics explain atom` lists all",
        ),
    ] {
        let run = run(&["explain", topic]);
        assert_eq!((run.code, run.stdout, run.stderr), (2, String::new(), format!("ptx-atomics: {error}\n")));
    }
}

#[test]
fn operands_of_shfl_are_named_by_what_they_do() {
    let page = run(&["explain", "shfl"]).stdout;
    for part in [
        "\nshfl.sync.<lane>{.<overlap>}.b32  d, value, lane_or_offset, clamp_and_mask, membermask;\n",
        "\n- `lane_or_offset`: register or constant, the instruction's type; a lane, or the distance to it, as the mode says\n",
        "\n- `.down`: From the lane whose index is higher by `lane_or_offset`.\n",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let folder = scratch("shfl-operands");
    let kernel = ".version 8.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n.reg .b32 %r<3>;\nmov.u32 %r1, %laneid;\n\
        shfl.sync.down.b32 %r2, %r1, 1, 31;\nret;\n}\n";
    fs::write(folder.join("k.ptx"), kernel).unwrap();
    let linted = run_in(&folder, &["lint", "k.ptx"], b"").stdout;
    let help = "write 5 operands: `d, value, lane_or_offset, clamp_and_mask, membermask`; `membermask` is missing";
    assert!(linted.contains(help), "{linted}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn explain_says_plainly_where_a_form_was_removed() {
    for (topic, line) in [
        // On no target is it left.
        ("mad", "\n- PTX 1.2, sm_13 or newer, removed in PTX 1.4\n"),
        ("sqrt", "\n- `<type>`: `.f32` — PTX 1.0, removed in PTX 1.4\n"),
        ("maxnctapersm", " Requires PTX 1.3, removed in PTX 2.1.\n"),
        ("mad.f64", "\nRequires PTX 1.2, sm_13 or newer, removed in PTX 1.4.\n"),
        // Older targets keep it.
        ("mad", "\n- PTX 1.0, removed on sm_20 or newer in PTX 3.2\n"),
        ("shfl", " — PTX 3.0, sm_30 or newer, removed on sm_70 or newer in PTX 6.4\n"),
    ] {
        let page = run(&["explain", topic]).stdout;
        assert!(page.contains(line), "{topic}: {page}");
    }
}

#[test]
fn explain_coverage_lists_what_is_not_checked() {
    let page = run(&["explain", "coverage"]).stdout;
    assert!(
        page.contains("| directives and types of declarations | ") && page.contains("## Not checked\n\n- "),
        "{page}"
    );
    for instruction in isa::unchecked::instructions() {
        assert!(page.contains(&format!("- `{}`: no rows", instruction.opcode)), "{page}");
    }
    let names: Vec<_> = page.lines().filter(|line| line.starts_with("- Instructions without rows")).collect();
    assert!(names.is_empty(), "{names:?}");
}

#[test]
fn explain_leads_from_ptx_to_machine_code_and_back() {
    let there = run(&["explain", "red.global.add.f32"]);
    assert!(
        there.stdout.contains("- on sm_90, sm_100, sm_120: `REDG.E.ADD.F32.FTZ.RN.STRONG.GPU`, native\n"),
        "{}",
        there.stdout
    );
    let back = run(&["explain", "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU"]);
    assert_eq!(back.code, 0, "{}", back.stderr);
    assert!(back.stdout.contains("- `red.global.add.f32`, on sm_90, sm_100, sm_120\n"), "{}", back.stdout);
    assert_eq!(run(&["explain", "REDG.E.ADD.F32.FTZ.RN.STRONG.NOWHERE"]).code, 2);
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    use std::process::{Command, Stdio};
    let folder = scratch("pipe");
    let many = WRONG.replace("red.global.or.u32 [a], r; ", &"red.global.or.u32 [a], r;\n".repeat(20_000));
    fs::write(folder.join("many.ptx"), many).unwrap();
    let mut child = Command::new(support::binary())
        .args(["lint", "--format", "jsonl", "many.ptx"])
        .current_dir(&folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn what_is_cpp_by_its_text_is_read_and_other_languages_are_named() {
    let folder = scratch("languages");
    let host = "// a licence\ntemplate <class T> __device__ void f(T* p) {\n    asm volatile(\"red.global.max.f32 [%0], 1;\" :: \"l\"(p) : \"memory\");\n}\n";
    for name in ["a.inc", "b.inc_isglobal", "c.impl", "d.cl", "e.pyx", "f.rst", "g.txt"] {
        fs::write(folder.join(name), host).expect("written");
    }
    fs::write(folder.join("h.sass"), "--:-:-:Y:2  RED.E.FOO [R0], R1;\n").expect("written");
    let found = |run: &crate::Run| -> Vec<(String, String)> {
        let text = |value: &Value, key: &str| value[key].as_str().expect("text").to_owned();
        findings(&run.stdout).iter().map(|finding| (text(finding, "path"), text(finding, "code"))).collect()
    };
    let wrong = |names: &[&str]| -> Vec<(String, String)> {
        names.iter().map(|name| ((*name).to_owned(), "illegal-type".to_owned())).collect()
    };
    let run = run_in(&folder, &["lint", "--format", "jsonl", "."], b"");
    assert_eq!(found(&run), wrong(&["./a.inc", "./b.inc_isglobal", "./c.impl", "./d.cl"]), "{}", run.stderr);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""), "the others were not given as arguments");
    let named = ["lint", "--format", "jsonl", "b.inc_isglobal", "e.pyx", "f.rst", "g.txt", "h.sass"];
    let run = run_in(&folder, &named, b"");
    assert_eq!(found(&run), wrong(&["b.inc_isglobal", "g.txt"]));
    for reason in [
        "e.pyx: Cython is not supported",
        "f.rst: reStructuredText is not supported",
        "h.sass: the source of an assembler for SASS is not supported",
    ] {
        assert!(run.stderr.contains(reason), "{}", run.stderr);
    }
    assert_eq!(run.code, 2, "what was asked for could not be done");
    let piped = run_in(&folder, &["lint", "--format", "jsonl", "-"], host.as_bytes());
    assert_eq!(found(&piped), wrong(&["<stdin>"]));
    let run = run_in(&folder, &["fmt", "e.pyx"], b"");
    assert!(run.code == 2 && run.stderr.contains("cannot format e.pyx: Cython is not supported"), "{}", run.stderr);
}

#[test]
fn standard_input_has_the_language_the_settings_and_the_name_of_a_file() {
    let folder = scratch("stdin-filename");
    fs::create_dir(folder.join("old")).expect("creates");
    fs::write(folder.join("old/ptx-atomics.toml"), "target = \"sm_60\"\n").expect("writes");
    let host =
        b"__device__ void f(int *p) { asm(\"red.release.gpu.global.add.s32 [%0], 1;\" :: \"l\"(p) : \"memory\"); }\n";
    let lint = |arguments: &[&str]| run_in(&folder, &[&["lint", "--format", "jsonl"], arguments].concat(), host);
    let run = lint(&["--stdin-filename", "old/k.cu", "-"]);
    let [finding] = findings(&run.stdout).try_into().expect("one finding");
    assert_eq!((finding["path"].as_str(), finding["code"].as_str()), (Some("old/k.cu"), Some("requires-target")));
    assert!(lint(&["--stdin-filename", "new/k.cu", "-"]).stdout.is_empty(), "it has no settings");
    let run = lint(&["--stdin-filename", "k.rst", "-"]);
    assert!(
        run.code == 2 && run.stderr.contains("cannot check k.rst: reStructuredText is not supported"),
        "{}",
        run.stderr
    );
}
