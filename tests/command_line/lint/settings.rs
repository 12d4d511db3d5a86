//! `ptx-atomics.toml` and the corresponding options.

use crate::{run_in, scratch};
use diagnostics::config::parse;
use serde_json::Value;
use std::fs;

const OLD_AND_NEW: &str = ".version 8.0\n.target sm_90\n.visible .entry k() {\n.reg .b64 a; .reg .b32 r;\n\
    red.relaxed.cluster.global.add.u32 [a], r;\nred.gpu.global.u32.add [a], r;\nret;\n}\n";

fn codes(jsonl: &str) -> Vec<String> {
    let of = |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["code"].as_str().expect("text").to_owned();
    jsonl.lines().map(of).collect()
}

#[test]
fn a_project_file_configures_files_rules_and_targets() {
    let folder = scratch("project");
    for path in ["kernels", "kernels/old", "generated"] {
        fs::create_dir_all(folder.join(path)).expect("made");
        fs::write(folder.join(path).join("a.ptx"), OLD_AND_NEW).expect("written");
    }
    let lint = |arguments: &[&str]| run_in(&folder, &[&["lint", "--format", "jsonl"], arguments].concat(), b"");
    let settings = |text: &str| fs::write(folder.join("ptx-atomics.toml"), text).expect("written");
    assert_eq!(codes(&lint(&[]).stdout), [""; 0]);
    settings("preset = \"all\"\nexclude = [\"generated/\"]\n[rules]\nmodifier-order = \"warning\"\n");
    let run = lint(&[]);
    assert_eq!(codes(&run.stdout), ["modifier-order"; 2]);
    assert!(run.stdout.contains("\"severity\":\"warning\"") && run.code == 0, "{}", run.stdout);
    assert_eq!(lint(&["--fail-on", "warning"]).code, 1);
    assert_eq!(
        lint(&["--fail-on", "warning", "--rule", "modifier-order=hint"]).code,
        0,
        "the command line beats the file"
    );
    assert_eq!(codes(&lint(&["generated/a.ptx"]).stdout).len(), 1, "what is named is linted");
    assert_eq!(codes(&lint(&["--force-exclude", "generated/a.ptx"]).stdout).len(), 0);
    settings("targets = [\"sm_80\", \"sm_90\"]\n[[overrides]]\npaths = [\"old/\"]\ntarget = \"sm_90\"\n");
    let run = lint(&[]);
    assert_eq!(codes(&run.stdout), ["requires-target"; 2], "{}", run.stdout);
    assert!(run.stdout.contains("(for sm_80)") && !run.stdout.contains("old/"), "{}", run.stdout);
    settings("include = [\"old/\"]\ntarget = \"sm_80\"\n");
    assert_eq!(codes(&lint(&[]).stdout), ["requires-target"]);
    fs::write(folder.join("other.toml"), "target = \"sm_70\"\n").expect("written");
    let shown = run_in(&folder, &["lint", "--config", "other.toml", "--show-settings", "kernels/a.ptx"], b"");
    assert!(shown.stdout.contains("targets = [\"sm_70\"]") && shown.stdout.contains("other.toml"), "{}", shown.stdout);
    assert!(parse(&shown.stdout).is_ok(), "what is shown can be written into a file");
    let absent = lint(&["--config", "absent.toml"]);
    assert!(absent.code == 2 && absent.stderr.contains("absent.toml"), "{}", absent.stderr);
}

#[test]
fn a_target_counts_in_cpp_where_a_build_for_it_compiles_the_statement() {
    let folder = scratch("reach");
    let statement = "asm volatile(\"fence.acq_rel.cluster;\" ::: \"memory\");";
    let text = format!(
        "static __device__ void called() {{ {statement} }}\nstatic __device__ void alone() {{ {statement} }}\n\
         template <int N> __device__ void open() {{ {statement} }}\n\
         __device__ void guarded() {{\n#if FOO || __CUDA_ARCH__ >= 900\n{statement}\n#endif\n}}\n\
         static __device__ void newer() {{ {statement} }}\n\
         __global__ void kernel() {{\n    called();\n    guarded();\n#if __CUDA_ARCH__ >= 900\n    newer();\n#endif\n\
         NV_IF_TARGET(NV_PROVIDES_SM_90, ({statement}))\n}}\n"
    );
    for name in ["a.cu", "a.cuh"] {
        fs::write(folder.join(name), &text).expect("written");
        let lines = |target: &str| -> Vec<u64> {
            let run = run_in(&folder, &["lint", "--format", "jsonl", "--target", target, name], b"");
            let line =
                |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["line"].as_u64().expect("a line");
            run.stdout.lines().map(line).collect()
        };
        assert_eq!((lines("sm_75"), lines("sm_90")), (vec![1], vec![]), "{name}");
    }
}

#[test]
fn a_toolkit_is_compared_with_the_version_of_the_module() {
    let folder = scratch("toolkit");
    fs::write(folder.join("a.ptx"), OLD_AND_NEW).expect("written");
    let lint = |arguments: &[&str]| run_in(&folder, &[&["lint", "--format", "jsonl"], arguments].concat(), b"");
    assert_eq!(codes(&lint(&["--toolkit", "11.8"]).stdout), ["unknown-to-toolkit"]);
    assert_eq!(codes(&lint(&["--toolkit", "12.0"]).stdout), [""; 0]);
    fs::write(folder.join("ptx-atomics.toml"), "toolkit = \"11.8\"\n").expect("written");
    let run = lint(&[]);
    assert!(
        run.stdout.contains("PTX 8.0 is not supported by CUDA 11.8, which supports PTX up to 7.8"),
        "{}",
        run.stdout
    );
    assert_eq!(run.code, 1);
    assert_eq!(codes(&lint(&["--toolkit", "13.5"]).stdout), [""; 0], "the command line beats the file");
    let wrong = lint(&["--toolkit", "8.9"]);
    assert!(wrong.code == 2 && wrong.stderr.contains("unknown CUDA toolkit `8.9`"), "{}", wrong.stderr);
}

#[test]
fn system_memory_is_named_in_the_settings() {
    let folder = scratch("system-memory");
    let text = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry push(.param .u64 push_param_0, .param .u64 push_param_1)
{
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [push_param_0];
    ld.param.u64 %rd2, [push_param_1];
    cvta.to.global.u64 %rd1, %rd1;
    red.release.gpu.global.add.u32 [%rd1], 1;
    red.release.gpu.global.add.u32 [%rd2], 1;
    ret;
}
";
    fs::write(folder.join("a.ptx"), text).expect("written");
    let lint = || run_in(&folder, &["lint", "--format", "jsonl", "a.ptx"], b"");
    assert_eq!(codes(&lint().stdout), [""; 0]);
    fs::write(folder.join("ptx-atomics.toml"), "system-memory = [\"flags\", \"*_param_0\"]\n").expect("written");
    let found = lint().stdout;
    assert_eq!(codes(&found), ["system-scope"]);
    assert!(found.contains("\"line\":10"), "{found}");
    let shown = run_in(&folder, &["lint", "--show-settings", "a.ptx"], b"").stdout;
    assert!(shown.contains("system-memory = [\"flags\", \"*_param_0\"]\n"), "{shown}");
    fs::write(folder.join("ptx-atomics.toml"), "system-memory = \"flags\"\n").expect("written");
    assert!(lint().stderr.contains("expected a list"), "{}", lint().stderr);
}

#[test]
fn the_schema_for_editors_accepts_what_the_parser_accepts() {
    let path = support::root().join("editors/ptx-atomics.schema.json");
    let text = serde_json::to_string_pretty(&diagnostics::config::schema()).expect("JSON") + "\n";
    support::check_or_update(&path, &text);
    let validator = support::schema::Validator::new(&serde_json::from_str(&text).expect("JSON"));
    let good = [
        "",
        "target = \"sm_90a\"\nptx-version = \"8.1\"",
        "targets = [\"sm_80\", \"sm_100f\"]\npreset = \"strict\"",
        "enable = [\"modifier-order\"]\ndisable = [\"narrow-address\"]\ninclude = [\"a/\"]\nexclude = [\"*.b\"]",
        "[rules]\nillegal-type = \"off\"\nnarrow-address = \"error\"",
        "[[overrides]]\npaths = [\"a\"]\ntarget = \"sm_60\"\n[overrides.rules]\nillegal-type = \"hint\"",
    ];
    let bad = [
        "taget = \"sm_90\"",
        "target = 90",
        "target = \"sm_91\"",
        "target = \"sm_90\"\ntargets = [\"sm_90\"]",
        "ptx-version = \"8.9\"",
        "preset = \"strickt\"",
        "enable = \"modifier-order\"",
        "disable = [\"no-such-rule\"]",
        "include = \"a\"",
        "[rules]\nno-such-rule = \"off\"",
        "[rules]\nillegal-type = \"fatal\"",
        "[[overrides]]\ntarget = \"sm_60\"",
        "[[overrides]]\npaths = [\"a\"]\nexclude = [\"b\"]",
        "overrides = 1",
    ];
    for (text, expected) in good.map(|text| (text, true)).into_iter().chain(bad.map(|text| (text, false))) {
        let value: toml::Table = text.parse().expect("TOML");
        let value = serde_json::to_value(value).expect("JSON");
        assert_eq!(parse(text).is_ok(), expected, "the parser on {text}: {:?}", parse(text));
        assert_eq!(validator.is_valid(&value), expected, "the schema on {text}");
    }
}

#[test]
fn what_has_no_end_or_no_sense_is_refused_and_only_close_words_are_suggested() {
    let folder = scratch("bounds");
    fs::write(folder.join("a.ptx"), OLD_AND_NEW).expect("written");
    fs::write(folder.join("large.toml"), "# a comment\n".repeat(100_000)).expect("written");
    for (arguments, message) in [
        (&["--config", "/dev/zero"][..], "cannot use /dev/zero: file is larger than 1 MiB"),
        (&["--config", "large.toml"], "large.toml: file is larger than 1 MiB"),
        (&["--config", "."], "is a directory"),
        (&["--config", "absent.toml"], "absent.toml: no such file"),
        (&["-j", "100000"], "100000 is not in 0..=1024"),
        (&["-j", "-1"], "-1"),
        (&["--max-findings", "99999999999999999999"], "99999999999999999999"),
        (&["--preset", "foo"], "unknown preset `foo`; expected one of recommended, strict, all"),
        (&["--preset", "strcit"], "did you mean `strict`?"),
        (&["--enable", "modifier-ordr"], "did you mean `modifier-order`?"),
        (&["--enable", "nonsense"], "unknown rule `nonsense`; run `ptx-atomics explain` for a list"),
        (&["--target", "sm90a"], "did you mean `sm_90a`?"),
        (&["--target", "sm_91"], "unknown target `sm_91`; expected a target"),
        (&["--output", "jsom=x"], "unknown format `jsom`; expected one of text"),
        (&["--output", "sarf=x"], "did you mean `sarif`?"),
        (&["--rule", "illegal-type=eror"], "did you mean `error`?"),
    ] {
        let run = run_in(&folder, &[&["lint", "a.ptx"], arguments].concat(), b"");
        assert!(run.code == 2 && run.stderr.contains(message), "{arguments:?}: {} {}", run.code, run.stderr);
    }
    for (topic, message) in [("illegal-typ", "`illegal-type`"), ("tom", "`atom`"), ("wiggle", "lists all pages")] {
        let run = run_in(&folder, &["explain", topic], b"");
        assert!(run.code == 2 && run.stderr.contains(message), "{topic}: {}", run.stderr);
    }
    fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn a_message_names_what_sets_the_target() {
    let folder = scratch("target-origin");
    let module = ".version 8.1\n.target sm_90\n.address_size 64\n.visible .entry k() {\n.reg .b64 a; .reg .b32 r;\n\
                  red.relaxed.cluster.global.add.u32 [a], r;\nret;\n}\n";
    let statement = "asm volatile(\"red.relaxed.cluster.global.add.u32 [%0], 1;\" :: \"l\"(p) : \"memory\");";
    fs::write(folder.join("a.ptx"), module).expect("written");
    fs::write(folder.join("a.cu"), format!("__device__ void f(unsigned *p) {{\n{statement}\n}}\n")).expect("written");
    let lint = |file: &str, arguments: &[&str]| run_in(&folder, &[&["lint", file], arguments].concat(), b"").stdout;
    for file in ["a.ptx", "a.cu"] {
        let found = lint(file, &["--target", "sm_80"]);
        assert!(found.contains("`.cluster` requires sm_90, but the command line targets sm_80\n"), "{found}");
        assert!(found.contains("; or pass `--target sm_90`\n"), "{found}");
    }
    let found = lint("a.ptx", &["--ptx-version", "7.0"]);
    assert!(found.contains("requires PTX 7.8, but the command line sets PTX version 7.0\n"), "{found}");
    assert!(found.contains("pass `--ptx-version 7.8`\n"), "{found}");
    let settings = "[[overrides]]\npaths = [\"a.*\"]\ntarget = \"sm_80\"\n";
    fs::write(folder.join("ptx-atomics.toml"), settings).expect("written");
    for file in ["a.ptx", "a.cu"] {
        let found = lint(file, &[]);
        assert!(found.contains("`.cluster` requires sm_90, but `ptx-atomics.toml` targets sm_80\n"), "{found}");
        assert!(found.contains("; or change the target to sm_90 in `ptx-atomics.toml`\n"), "{found}");
        let line = "ptx-atomics.toml:3:10\n  |\n3 | target = \"sm_80\"\n  |          ------- target set here\n";
        assert!(found.contains(line), "{found}");
    }
}

#[test]
fn every_error_of_a_settings_file_is_printed_once() {
    let folder = scratch("settings-errors");
    for name in ["a.ptx", "b.ptx"] {
        fs::write(folder.join(name), OLD_AND_NEW).expect("written");
    }
    fs::write(folder.join("ptx-atomics.toml"), "taget = \"sm_80\"\npreset = \"foo\"\nexclude = [\"a{\"]\n")
        .expect("written");
    for arguments in [&["lint", "a.ptx", "b.ptx"][..], &["lint", "--config", "ptx-atomics.toml", "a.ptx"]] {
        let run = run_in(&folder, arguments, b"");
        let lines: Vec<_> = run.stderr.lines().filter(|line| line.contains("cannot use")).collect();
        let parts = ["line 1: unknown key `taget`", "line 2: unknown preset `foo`", "line 3: invalid pattern `a{`"];
        assert_eq!((run.code, lines.len()), (2, 3), "{}", run.stderr);
        assert!(lines.iter().zip(parts).all(|(line, part)| line.contains(part)), "{}", run.stderr);
    }
}
