//! The lint parse gives the same diagnostics as the full parse: in fixtures, in compiler output, and in both after one token is mutated.

use diagnostics::{Diagnostic, Preset, Settings, Snapshot};
use lints::Check;
use std::fs;
use std::path::{Path, PathBuf};
use support::Rng;
use syntax::{LintFile, SourceFile};

fn modules(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            modules(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "ptx") {
            found.push(path);
        }
    }
}

fn diagnostics(file: LintFile) -> Vec<Diagnostic> {
    let settings = Settings { preset: Some(Preset::All), ..Settings::default() };
    Snapshot::new(file, settings).diagnostics()
}

/// Replacements of a token.
const REPLACEMENTS: [&str; 24] = [
    "",
    ";",
    "}",
    "{",
    "/*",
    "*/",
    "//",
    "\"",
    ",",
    ".",
    ":",
    "::",
    "(",
    "[",
    "]",
    "@",
    "%",
    "-",
    "_",
    "call",
    ".reg",
    "0x",
    "é",
    ".branchtargets",
];

/// Compares, and says how many instructions the shortcut spared.
fn compare(name: &str, text: &str) -> usize {
    let lint_parsed = LintFile::parse(text);
    let spared = lint_parsed.scanned_elements();
    let parsed = SourceFile::parse(text);
    assert!(walked(&lint_parsed) == walked(&parsed), "{name} differs after the lint parse");
    assert!(items(&lint_parsed) == items(&parsed), "{name} has other items after the shortcut");
    let (fast, full) = (diagnostics(lint_parsed), diagnostics(parsed.into()));
    let at = fast.iter().zip(&full).take_while(|(a, b)| a == b).count();
    assert!(fast == full, "{name}: {:#?} after the shortcut, {:#?} after the full parse", fast.get(at), full.get(at));
    spared
}

#[test]
fn the_shortcut_finds_what_the_full_parse_finds() {
    let root = support::root().join("tests");
    let (mut fixtures, mut generated) = (Vec::new(), Vec::new());
    modules(&root.join("fixtures"), &mut fixtures);
    modules(&root.join("../grammar/test"), &mut fixtures);
    modules(&root.join(".tools/corpus"), &mut generated);
    generated.sort();
    // The large ones say the same of the shortcut, slowly.
    generated.retain(|path| fs::metadata(path).is_ok_and(|about| about.len() < 400_000));
    fixtures.sort();
    let share = if support::full() { 1 } else { 12 };
    let chosen: Vec<_> = fixtures.into_iter().chain(generated.into_iter().step_by(share)).collect();
    assert!(chosen.len() > 40, "{} modules", chosen.len());
    let mut rng = Rng::with_seed(11);
    let (mut spared, mut with_errors) = (0, 0);
    for path in chosen {
        let name = path.display().to_string();
        let text = fs::read_to_string(&path).expect("UTF-8");
        spared += compare(&name, &text);
        for round in 0..6 {
            let mut start = rng.usize(..text.len());
            while !text.is_char_boundary(start) {
                start -= 1;
            }
            let is_word = |c: char| c.is_ascii_alphanumeric() || "_$%".contains(c);
            let length = text[start..].find(|c| !is_word(c)).unwrap_or(text.len() - start);
            let length = if length == 0 { text[start..].chars().next().map_or(0, char::len_utf8) } else { length };
            let replacement = REPLACEMENTS[rng.usize(..REPLACEMENTS.len())];
            let end = start + if rng.usize(..2) == 0 { length } else { 0 };
            let text = format!("{}{replacement}{}", &text[..start], &text[end..]);
            with_errors += usize::from(SourceFile::parse(&text).has_syntax_error());
            compare(&format!("{name}, round {round}: `{replacement}` at {start}"), &text);
        }
    }
    assert!(spared > 20_000, "{spared} instructions were spared");
    assert!(with_errors > 100, "{with_errors} mutated modules had a syntax error");
}

/// The events of a walk over a file.
fn walked(file: &LintFile) -> Vec<String> {
    let mut walked = Vec::new();
    syntax::walk(file, |event| {
        walked.push(match event {
            syntax::WalkEvent::Instruction(i) => {
                format!("{:?} {:?} {:?} {:?}", i.range(), i.guard(), i.opcode(), i.operands())
            }
            other => format!("{other:?}"),
        });
    });
    walked
}

/// The items that declare something.
fn items(file: &LintFile) -> Vec<String> {
    let items = file.module_items();
    let declaring = items.iter().filter(|item| !item.declarations().is_empty());
    let walked = declaring.map(|item| {
        let mut events = Vec::new();
        item.walk(|event| events.push(format!("{:?}", std::mem::discriminant(&event))));
        format!("{:?} {:?} {events:?}", item.range(), item.declarations())
    });
    walked.collect()
}

#[test]
fn instructions_in_plain_spelling_have_the_same_parts() {
    let body = "@!%p1 atom.global.cas.b32 %r1, [ %rd1+-4], 0x1fU, -3;\n\tsetp.lt.u32 %p1|%p2, %r1, 7;\n@p\tbra L;\nL:\n\
        red.global.add.v2.f32 [%rd1], {%f1, %f2};\nmov.b64 {%r1, _}, %rd1;\n.loc 1 2 3\nret;\nmov.f32 %f1, 0f3F800000;\nmov.u32 %r1, %tid.x;\n\
        and.pred p, !q, p;\nst.shared::cta.u32 [s],\n\t%r1 ;\n{ bar.sync 0; }\natom.add.u32 _, [a], 1;";
    let text = format!(".version 8.0\n.target sm_90\n.entry k()\n{{\n{body}\n}}\n");
    let (fast, full) = (LintFile::parse(&text), SourceFile::parse(&text));
    assert_eq!(fast.scanned_elements(), 19, "what the body holds, and of the function its head and its braces");
    assert_eq!(walked(&fast), walked(&full));
}

/// Items that need no parser, each with what it takes to be read as such.
const PLAIN: &[&str] = &[
    ".visible .global .align 4 .b8 a[2][0x10] = {1, 2, -3,\n 0f3F800000};",
    ".extern .shared .align 16 .b8 dynamic[];",
    ".const .v2 .f32 pair;",
    ".weak .global .u64 number = 0;",
    ".file 1 \"/usr/include/a b.h\", 1234, 56\n",
    ".extern .func (.param .b32 result) vprintf (.param .b64 format, .param .b64 values) ;",
    ".func stop() .noreturn\n{\n\texit;\n}",
    ".visible .entry kernel(\n\t.param .u64 .ptr .global .align 4 p,\n\t.param .align 8 .b8 q[16]\n)\n.maxntid 128, 1, 1\n.minnctapersm 2\n{\n// empty\n}",
    ".entry bare { ret; }",
    ".func (.param .align 16 .b8 r[16]) f(.param .f64 x) // a comment\n{ // another\n\t.reg .pred %p<3>;\n\t.reg .b32 %r<4>, one;\n\
        \t.local .align 8 .b8 __local_depot0[24];\n\t.pragma \"nounroll\";\n{ // callseq\n\t.reg .b32 temp;\n\t.param .b64 param0;\n\
        \tst.param.b64 [param0+0], %rd1;\n\tcall.uni (retval0),\n\tvprintf,\n\t(\n\tparam0\n\t);\n\tcall other, (param0), prototype;\n\tcall (a, b), other, ();\n}\n\tcall plain;\n}",
    ".section .debug_info\n{\n.b8 1 // one\n.b8 2, 3\n.b64 $L__here\n.b32 .debug_abbrev+12\n.b32 $L__end-$L__begin\n$L__here:\n.b8 0x7f\n}",
];

#[test]
fn whole_items_in_canonical_form_are_scanned_as_the_tree_is() {
    for item in PLAIN {
        let text = format!(".version 8.0\n.target sm_90\n.global .b32 first;\n{item}\n.global .b32 last;\n");
        let (fast, full) = (LintFile::parse(&text), SourceFile::parse(&text));
        assert!(!full.has_syntax_error(), "{item}");
        assert_eq!(walked(&fast), walked(&full), "{item}");
        assert_eq!(items(&fast), items(&full), "{item}");
        // The parser sees two directives.
        assert_eq!(fast.parsed_items(), 2, "{item}");
    }
    // A word to us ends what is passed over, and words of the head are errors after it.
    for item in
        ["//! litmus t\n", ".version 8.0\n", ".target sm_80\n", ".address_size 64\n", "}\n", "ret;\n", ".weak\n"]
    {
        let text = format!(".version 8.0\n.target sm_90\n.global .b32 first;\n.const .b32 c;\n{item}.func last();\n");
        let (fast, full) = (LintFile::parse(&text), SourceFile::parse(&text));
        assert_eq!(walked(&fast), walked(&full), "{item}");
        assert_eq!(syntax::syntax_errors(&fast), syntax::syntax_errors(&full), "{item}");
        assert_eq!(diagnostics(fast), diagnostics(full.into()), "{item}");
    }
}

/// Handwritten statements that the scanner recognizes.
const RESPELT: &[&str] = &[
    "add . u32 a, b, 1;",
    "mov.u32 a ,\n\t\tb ; mov.u32 a,b; mov.u32 b,\x0ca;",
    "/* load */ ld /* how */ .global // where\n .u32 a, /* from */ [ p /* base */ + /* , */ 4 * ( 2 + 1 ) ] /* end */ ; // why",
    "@ p bra L;\n@ ! q /* not */ ret;\n@/**/p/**/ret;",
    "# 7 \"kernel.cu\" 2\n#line 8 \"kernel.cu\"\nadd.u32 a,\n# 9 \"kernel.cu\"\nb, 1;",
    "{ .reg .u32 t; { add.u32 t, a, b; } }",
    ".reg.u32 t , u<0x4>, v < 3 > ; .reg .v2 /* two */ .f32 w;",
    ".local .align 8 .b8 depot [ 4 ] [ 010 ]; .param.b32 q;",
    "mov.u32 a, 017; mov.u32 a, 0b101U; mov.f32 f, 1.5e-3; mov.f32 f, .5; mov.f32 f, 0F3f800000; mov.u32 a, 1U;",
    "mov.u32 a, -(1 + 2) * ~3 / 4 << 1 | 5 && 6 != 7; mov.u32 a, ! 1; mov.u32 a, WARP_SZ - 1; mov.b32 a, -b;",
    "tex.a2d.v4.f32.f32 {f, f, f, f}, [t, s, {f, f}]; tex.a1d.v4.s32.f32 {a, _, a, a}, [t, {f}];",
    "setp.eq.u32 p | q, a, b; setp.eq.u32 _|q, a, b; setp.eq.u32 p|_, a, b; shfl.sync.idx.b32 a | p, b, 0, 31, -1;",
    "mov.u32 a, %tid . x; mov.f32 f, w . r; mov.u32 a, table [ 2 + 1 ]; mov.u64 p, table + 4 * 2; st.v2.u32 [p], {1, a};",
    "call (a), f, (1, _, b); call f, (a), targets; call g, targets; call.uni f; call\n.uni (a) , f , ( b ) ;",
    "L : M:\nN/* here */: ret;",
    "P: .callprototype (.param .b32 _) _ (.param .b32 _);\nT: .branchtargets L, M;\nbrx.idx a, T;",
    ".loc 1 2 3 mov.u32 a, b; .loc\t1 /* file */ 2\n3\n.pragma \"nounroll\" , \"unroll\" ;",
    "[a]; add.u32 ;; ret",
    "mov.u32 a, 08; mov.u32 a, 1 2;",
    "ret .reg .u32 t;",
    "//= 3\nred.global.add.u32 [p], 1; /*! note */ ret;",
];

#[test]
fn handwritten_statements_are_scanned_as_the_tree_is() {
    for (number, body) in RESPELT.iter().enumerate() {
        let head = ".version 8.0 // first\n/* then */ .target sm_90, debug\n.address_size 64\n";
        let text = format!(
            "{head}.visible.entry k(.param.u64 /* p */ .ptr.global.align 4 q)\n{{\n{body}\n}}\n.func(.reg .u32 r)f(.reg .u32 a, .reg .b64 b)\n{{ ret; }}\n"
        );
        let (fast, full) = (LintFile::parse(&text), SourceFile::parse(&text));
        assert_eq!(walked(&fast), walked(&full), "{body}");
        compare(body, &text);
        // The parser sees three directives and two comments.
        let by_hand = !full.has_syntax_error() && number < 15;
        assert!(!by_hand || fast.parsed_items() == 5, "{body}");
    }
}

/// White space and comments between tokens, and numbers, as in handwritten code.
const BETWEEN: [&str; 8] = [" ", "\n", "\t", "\x0c", "/* c, [ */", "// c; }\n", "\n# 7 \"f\"\n", "/**/"];
const NUMBERS: [&str; 8] = ["0x1F", "017", "(1 + 2)", "~1 * 2", "1.5", ".5e1", "0b11U", "- 1"];

/// Spells some tokens of a text in another way; the result may be broken.
fn respell(text: &str, share: usize, rng: &mut Rng) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "_$%".contains(c);
    let (mut respelt, mut rest) = (String::with_capacity(text.len() * 2), text);
    while let Some(first) = rest.chars().next() {
        let length = match first {
            _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            _ => first.len_utf8(),
        };
        let (token, behind) = rest.split_at(length);
        let chosen = rng.usize(..share) == 0;
        respelt += if first.is_ascii_digit() && chosen { NUMBERS[rng.usize(..NUMBERS.len())] } else { token };
        if chosen {
            respelt += BETWEEN[rng.usize(..BETWEEN.len())];
        }
        rest = behind;
    }
    respelt
}

#[test]
fn handwritten_modules_are_scanned_as_the_tree_is() {
    let mut fixtures = Vec::new();
    modules(&support::root().join("tests/fixtures"), &mut fixtures);
    fixtures.sort();
    let mut rng = Rng::with_seed(19);
    let mut well_formed = 0;
    for path in fixtures {
        let text = fs::read_to_string(&path).expect("UTF-8");
        for share in [300, 40, 8] {
            let text = respell(&text, share, &mut rng);
            well_formed += usize::from(!SourceFile::parse(&text).has_syntax_error());
            compare(&format!("{} with one token of {share} respelt", path.display()), &text);
        }
    }
    assert!(well_formed > 20, "{well_formed} modules without a syntax error");
}

#[test]
fn features_on_the_full_tree_work_far_from_the_start() {
    let far = ".visible .entry k()\n{\n\tret;\n}\n".repeat(10_000).replace("k()", "k");
    let far: String =
        far.lines().enumerate().map(|(at, line)| line.replace(" k", &format!(" k{at}()")) + "\n").collect();
    let head = ".version 8.0\n.target sm_90\n.address_size 64\n";
    for (body, expected) in [
        // The comment is read together with its instruction.
        ("red.global.add.u32 [a], r; //= [a]=1, r=2 -> [a]=4", "evaluation-mismatch"),
        // What is declared further down is shown.
        ("red.global.add.u32 [a], late;\n.reg .b32 late;", "unknown-name"),
    ] {
        let text = format!("{head}{far}.visible .entry last()\n{{\n.reg .b64 a; .reg .b32 r;\n{body}\nret;\n}}\n");
        let fast = LintFile::parse(&text);
        assert!(fast.scanned_elements() > 10_000);
        let found = diagnostics(fast);
        assert!(found.iter().any(|diagnostic| diagnostic.code() == expected), "{body}: {found:#?}");
        assert_eq!(found, diagnostics(SourceFile::parse(&text).into()), "{body}");
    }
}
