//! Rules follow values, not register names: bugs after registers that are updated in place are found in compiler-made modules, their
//! correct twins are not reported, and debug information changes nothing.

use diagnostics::{Diagnostic, Preset, Settings, Snapshot};
use lints::Check;
use std::collections::BTreeMap;
use std::fs;
use syntax::SourceFile;

/// What is put before an atomic. A line that ends with `// here` has the diagnostic; with none of them there is none.
struct Case {
    code: &'static str,
    /// The oldest target that takes it.
    target: u32,
    lines: &'static str,
}

const fn case(code: &'static str, target: u32, lines: &'static str) -> Case {
    Case { code, target, lines }
}

const HEAD: &str = ".global .align 16 .b8 seeded[16];
.shared .align 16 .b8 seeded_s[16];
.global .align 8 .b8 seeded_t[4096];
";

const NAMES: &str = ".reg .b64 seeded_x, seeded_y; .reg .b32 seeded_r, seeded_n, seeded_o; .reg .pred seeded_p, seeded_q; .reg .f32 seeded_f;";

const CASES: &[Case] = &[
    case(
        "offset-outside",
        20,
        "mov.u64 seeded_x, seeded;\nadd.u64 seeded_x, seeded_x, 8;\nadd.u64 seeded_x, seeded_x, 8;\nred.global.add.u32 [seeded_x], 1; // here",
    ),
    case(
        "offset-outside",
        20,
        "mov.u64 seeded_x, seeded;\nadd.u64 seeded_x, seeded_x, 16;\nsub.u64 seeded_x, seeded_x, 4;\nred.global.add.u32 [seeded_x], 1;",
    ),
    case(
        "offset-outside",
        20,
        "mov.u64 seeded_x, seeded;\nadd.u64 seeded_x, seeded_x, 64;\nmov.u64 seeded_x, seeded_t;\nred.global.add.u32 [seeded_x], 1;",
    ),
    case(
        "offset-outside",
        20,
        "mov.u64 seeded_x, seeded_t;\n@seeded_p add.u64 seeded_x, seeded_x, 4096;\nred.global.add.u32 [seeded_x], 1;",
    ),
    case(
        "offset-outside",
        20,
        "mov.u64 seeded_x, seeded_t;\n@seeded_p add.u64 seeded_x, seeded_x, 4096;\n@seeded_p red.global.add.u32 [seeded_x], 1; // here",
    ),
    case(
        "offset-outside",
        20,
        "mov.u64 seeded_x, seeded_t;\n@seeded_p add.u64 seeded_x, seeded_x, 4096;\n@!seeded_p red.global.add.u32 [seeded_x], 1;",
    ),
    case(
        "misaligned-offset",
        20,
        "mov.u64 seeded_x, seeded_t;\nseeded_l: add.u64 seeded_x, seeded_x, 4;\nred.global.add.u32 [seeded_x+2], 1; // here\nsetp.ne.u64 seeded_p, seeded_x, seeded_y;\n@seeded_p bra seeded_l;",
    ),
    case(
        "misaligned-offset",
        20,
        "mov.u64 seeded_x, seeded_t;\nseeded_l: add.u64 seeded_x, seeded_x, 2;\nred.global.add.u32 [seeded_x+2], 1;\nsetp.ne.u64 seeded_p, seeded_x, seeded_y;\n@seeded_p bra seeded_l;",
    ),
    case(
        "misaligned-offset",
        20,
        "mov.u64 seeded_x, seeded_t;\nmad.wide.u32 seeded_x, seeded_r, 8, seeded_x;\nred.global.add.u32 [seeded_x+1], 1; // here",
    ),
    case(
        "misaligned-offset",
        20,
        "mov.u64 seeded_x, seeded_t;\nmad.wide.u32 seeded_x, seeded_r, 4, seeded_x;\nred.global.add.u64 [seeded_x+4], 1;",
    ),
    case(
        "address-space",
        20,
        "mov.u64 seeded_x, seeded_s;\nadd.u64 seeded_x, seeded_x, 4;\nred.global.add.u32 [seeded_x], 1; // here",
    ),
    case(
        "address-space",
        20,
        "mov.u64 seeded_x, seeded_s;\nmov.u64 seeded_x, seeded;\nred.global.add.u32 [seeded_x], 1;",
    ),
    case(
        "address-space",
        20,
        "mov.u64 seeded_x, seeded_s;\n@seeded_p mov.u64 seeded_x, seeded_y;\nred.global.add.u32 [seeded_x], 1;",
    ),
    case(
        "narrow-scope",
        60,
        "mov.u64 seeded_x, seeded;\nadd.u64 seeded_x, seeded_x, 4;\nred.cta.global.add.u32 [seeded_x], 1; // here",
    ),
    case(
        "generic-red",
        20,
        "mov.u64 seeded_x, seeded;\ncvta.global.u64 seeded_x, seeded_x;\nadd.u64 seeded_x, seeded_x, 4;\nred.add.u32 [seeded_x], 1; // here",
    ),
    case(
        "unused-result",
        20,
        "atom.global.add.u32 seeded_r, [seeded], 1; // here\natom.global.add.u32 seeded_r, [seeded], 1;\nst.global.u32 [seeded], seeded_r;",
    ),
    case(
        "unused-result",
        20,
        "atom.global.add.u32 seeded_r, [seeded], 1;\n@seeded_p mov.u32 seeded_r, 1;\nst.global.u32 [seeded], seeded_r;",
    ),
    case(
        "dead-atomic",
        20,
        "mov.u32 seeded_r, 1;\nadd.u32 seeded_r, seeded_r, 1;\nsetp.eq.u32 seeded_p, seeded_r, 1;\n@seeded_p red.global.add.u32 [seeded], 1; // here",
    ),
    case(
        "dead-atomic",
        20,
        "mov.u32 seeded_r, 1;\nsetp.eq.u32 seeded_p, seeded_r, 2;\nsetp.eq.u32 seeded_p, seeded_r, seeded_n;\n@seeded_p red.global.add.u32 [seeded], 1;",
    ),
    case(
        "dead-atomic",
        20,
        "mov.u32 seeded_r, 0;\nseeded_l: setp.eq.u32 seeded_p, seeded_r, 3;\n@seeded_p red.global.add.u32 [seeded], 1;\nadd.u32 seeded_r, seeded_r, 1;\nsetp.lt.u32 seeded_q, seeded_r, seeded_n;\n@seeded_q bra seeded_l;",
    ),
    case(
        "torn-access",
        60,
        "atom.global.add.noftz.f16x2 seeded_r, [seeded], seeded_r; // here\nmov.b32 seeded_n, seeded_r;\nsetp.eq.u32 seeded_p, seeded_n, 0;\nmov.b32 seeded_r, 1;",
    ),
    case(
        "torn-access",
        60,
        "atom.global.add.noftz.f16x2 seeded_r, [seeded], seeded_r;\nst.global.u32 [seeded], seeded_r;\nmov.u32 seeded_r, seeded_o;\nsetp.eq.u32 seeded_p, seeded_r, 0;",
    ),
    case(
        "flushed-subnormals",
        20,
        "mov.f32 seeded_f, 0f3F800000;\nld.global.f32 seeded_f, [seeded];\nred.global.add.f32 [seeded], seeded_f; // here",
    ),
    case(
        "flushed-subnormals",
        20,
        "ld.global.f32 seeded_f, [seeded];\nmov.f32 seeded_f, 0f3F800000;\nred.global.add.f32 [seeded], seeded_f;",
    ),
    case(
        "doubled-fence",
        70,
        "@seeded_p red.release.gpu.global.add.u32 [seeded], 1;\nsetp.eq.u32 seeded_p, seeded_r, 1;\n@seeded_p atom.acquire.gpu.global.add.u32 seeded_r, [seeded], 1;\n@seeded_p fence.acq_rel.gpu; // here\nst.global.u32 [seeded], seeded_r;",
    ),
    case(
        "doubled-fence",
        70,
        "@seeded_p atom.acquire.gpu.global.add.u32 seeded_r, [seeded], 1;\nsetp.eq.u32 seeded_p, seeded_r, 1;\n@seeded_p fence.acq_rel.gpu;\nst.global.u32 [seeded], seeded_r;",
    ),
    case(
        "doubled-fence",
        70,
        "@seeded_p atom.acquire.gpu.global.add.u32 seeded_r, [seeded], 1;\n@!seeded_p fence.acq_rel.gpu;\nst.global.u32 [seeded], seeded_r;",
    ),
    case(
        "doubled-fence",
        70,
        "@seeded_p atom.acquire.gpu.global.add.u32 seeded_r, [seeded], 1;\nfence.acq_rel.gpu;\nst.global.u32 [seeded], seeded_r;",
    ),
    case(
        "mixed-scopes",
        70,
        "mov.u64 seeded_x, seeded;\nadd.u64 seeded_x, seeded_x, 4;\nred.gpu.global.add.u32 [seeded_x], 1; // here\nadd.u64 seeded_x, seeded_x, -4;\nld.relaxed.sys.global.u32 seeded_r, [seeded_x+4];",
    ),
    case(
        "mixed-scopes",
        70,
        "mov.u64 seeded_x, seeded_t;\nmad.wide.u32 seeded_x, seeded_r, 4, seeded_x;\nred.gpu.global.add.u32 [seeded_x], 1;\nmad.wide.u32 seeded_x, seeded_n, 4, seeded_x;\nld.relaxed.sys.global.u32 seeded_r, [seeded_x];",
    ),
    case(
        "unordered-lock",
        20,
        "mov.u64 seeded_x, seeded;\nseeded_l: atom.global.cas.b32 seeded_r, [seeded_x], 0, 1; // here\nsetp.ne.u32 seeded_p, seeded_r, 0;\n@seeded_p bra seeded_l;\nld.global.u32 seeded_r, [seeded_x+4];\nadd.u32 seeded_r, seeded_r, 1;\nst.global.u32 [seeded_x+4], seeded_r;\nmov.u32 seeded_r, 0;\nst.global.u32 [seeded_x], seeded_r; // here\nadd.u64 seeded_x, seeded_x, 8;",
    ),
    case(
        "unordered-lock",
        70,
        "mov.u64 seeded_x, seeded;\nseeded_l: atom.acquire.gpu.global.cas.b32 seeded_r, [seeded_x], 0, 1;\nsetp.ne.u32 seeded_p, seeded_r, 0;\n@seeded_p bra seeded_l;\nadd.u64 seeded_x, seeded_x, 4;\nst.global.u32 [seeded_x], 3;\nst.global.u32 [seeded_x], 0;\nst.release.gpu.global.u32 [seeded_x+-4], 0;",
    ),
    case(
        "handmade-atomic",
        20,
        "ld.global.u32 seeded_o, [seeded];\nseeded_l: add.u32 seeded_n, seeded_o, 5;\nmov.u32 seeded_r, seeded_o;\natom.global.cas.b32 seeded_o, [seeded], seeded_r, seeded_n; // here\nsetp.ne.u32 seeded_p, seeded_o, seeded_r;\n@seeded_p bra seeded_l;",
    ),
    case(
        "handmade-atomic",
        20,
        "ld.global.u32 seeded_o, [seeded];\nseeded_l: add.u32 seeded_n, seeded_o, 5;\nadd.u32 seeded_o, seeded_o, 1;\natom.global.cas.b32 seeded_r, [seeded], seeded_o, seeded_n;\nsetp.ne.u32 seeded_p, seeded_o, seeded_r;\n@seeded_p bra seeded_l;",
    ),
    case(
        "multimem-address",
        90,
        "mov.u64 seeded_x, seeded;\nadd.u64 seeded_x, seeded_x, 4;\nmultimem.red.relaxed.sys.global.add.u32 [seeded_x], 1;\nadd.u64 seeded_x, seeded_x, 4;\nst.global.u32 [seeded_x], 1; // here",
    ),
    case(
        "multimem-address",
        90,
        "mov.u64 seeded_x, seeded;\nmultimem.red.relaxed.sys.global.add.u32 [seeded_x], 1;\nmov.u64 seeded_x, seeded_t;\nst.global.u32 [seeded_x], 1;",
    ),
];

fn diagnostics(text: &str) -> Vec<(usize, Diagnostic)> {
    let settings = Settings { preset: Some(Preset::All), ..Settings::default() };
    let snapshot = Snapshot::new(SourceFile::parse(text), settings);
    let line = |diagnostic: Diagnostic| (text[..diagnostic.range.start].matches('\n').count() + 1, diagnostic);
    snapshot.diagnostics().into_iter().map(line).collect()
}

/// The modules of the corpus that have a target, with it, the smaller ones.
fn modules() -> Vec<(u32, String)> {
    let folder = support::root().join("tests/.tools/corpus");
    let entries =
        fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}: run tests/corpus/generate.py", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| {
        path.extension().is_some_and(|e| e == "ptx") && fs::metadata(path).is_ok_and(|about| about.len() < 30_000)
    });
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let text = fs::read_to_string(path).ok()?;
        let target = text.lines().find_map(|line| line.strip_prefix(".target sm_"))?;
        let digits: String = target.chars().take_while(char::is_ascii_digit).collect();
        let kernel = text.lines().any(|line| line.contains(".entry"));
        kernel.then(|| (digits.parse().expect("a number"), text))
    };
    paths.iter().filter_map(read).collect()
}

/// A module with a case at the beginning of its first kernel's instructions, and the number of the case's first line.
fn with(text: &str, case: &Case) -> Option<(String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let head = lines.iter().position(|line| line.starts_with(".address_size"))?;
    let kernel = lines.iter().position(|line| line.contains(".entry"))?;
    let body = kernel + lines[kernel..].iter().position(|line| line.starts_with('{'))?;
    let first = body + 1 + lines[body + 1..].iter().position(|line| line.starts_with("\tld.param"))?;
    let mut out = lines[..=head].join("\n") + "\n" + HEAD + &lines[head + 1..first].join("\n") + "\n" + NAMES + "\n";
    let at = out.lines().count() + 1;
    out += case.lines;
    out += "\n";
    out += &lines[first..].join("\n");
    Some((out + "\n", at))
}

#[test]
fn values_are_followed_through_registers_updated_in_place() {
    let modules = modules();
    let mut wrong = BTreeMap::new();
    for (number, case) in CASES.iter().enumerate() {
        let fits = modules.iter().filter(|(target, text)| {
            *target >= case.target && (case.target < 70 || text.contains(".version 8") || text.contains(".version 9"))
        });
        let placed: Vec<_> = fits.filter_map(|(_, text)| with(text, case)).step_by(13).take(6).collect();
        assert!(placed.len() >= 3, "case {number} has {} modules", placed.len());
        let wanted: Vec<usize> =
            case.lines.lines().enumerate().filter(|(_, line)| line.ends_with("// here")).map(|(at, _)| at).collect();
        for (text, at) in placed {
            let all = diagnostics(&text);
            let bad = all.iter().find(|(_, diagnostic)| diagnostic.severity == diagnostics::Severity::Error);
            assert!(bad.is_none(), "case {number}: {bad:?}");
            let here = at..at + case.lines.lines().count();
            let found = all.iter().filter(|(line, diagnostic)| diagnostic.code() == case.code && here.contains(line));
            let found: Vec<usize> = found.map(|(line, _)| line - at).collect();
            if found != wanted {
                wrong.insert(number, format!("{}: found in {found:?}\n{}", case.code, case.lines));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.into_values().collect::<Vec<_>>().join("\n\n"));
}

/// A module as the compiler writes it for a debugger: a place and a label before every instruction.
fn with_debug_information(text: &str) -> String {
    let (mut out, mut depth, mut whole, mut number) = (String::new(), 0, true, 0);
    for line in text.lines() {
        let code = line.trim();
        let instruction = code.starts_with(|c: char| c.is_ascii_lowercase() || c == '@');
        if depth > 0 && whole && instruction {
            out += &format!("\t.loc\t7 {number} 3\n$L__seeded{number}:\n");
            number += 1;
        }
        if depth > 0 && !code.is_empty() {
            whole = code.ends_with([';', ':', '{', '}']) || code.starts_with("//") || code.starts_with(".loc");
        }
        depth += line.matches('{').count() as i32 - line.matches('}').count() as i32;
        out += line;
        out += "\n";
    }
    out + "\t.file\t7 \"seeded.cu\"\n\t.section\t.debug_loc\n\t{\n.b8 0\n\t}\n"
}

#[test]
fn debug_information_changes_no_finding() {
    let loops = ["sm_60", "sm_90"].map(|target| {
        fs::read_to_string(support::root().join(format!("tests/fixtures/loops/{target}.ptx"))).expect("a fixture")
    });
    let compiled: Vec<String> = modules().into_iter().step_by(7).take(60).map(|(_, text)| text).collect();
    let mut counted = 0;
    for text in loops.into_iter().chain(compiled) {
        let count = |text: &str, diagnostics: Vec<(usize, Diagnostic)>| {
            let reported =
                diagnostics.into_iter().map(|(_, diagnostic)| (diagnostic.code(), text[diagnostic.range].to_owned()));
            reported.collect::<Vec<_>>()
        };
        let plain = count(&text, diagnostics(&text));
        let debug = with_debug_information(&text);
        assert_eq!(count(&debug, diagnostics(&debug)), plain, "{debug}");
        counted += plain.len();
    }
    assert!(counted > 100, "{counted} diagnostics");
}
