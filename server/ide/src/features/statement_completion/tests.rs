//! What is offered where.

use super::*;
use crate::features::names::tests::{marked, snapshot};
use isa::directives::{self, DirectivePlace, directives};
use lints::Check;
use syntax::{SourceFile, syntax_errors};

fn offers(text: &str) -> Vec<StatementCompletion> {
    let (plain, marks) = marked(text);
    snapshot(&plain).complete_statement(marks[0])
}

fn labels(text: &str) -> Vec<String> {
    offers(text).into_iter().map(|offer| offer.label).collect()
}

fn first(text: &str) -> String {
    labels(text).first().cloned().unwrap_or_default()
}

const HEAD: &str = ".version 8.6\n.target sm_90\n.global .b32 counter;\n.shared .b32 tile;\n.func f();\n.entry k(.param .u64 p)\n{\n\
    .reg .pred %p<2>;\n.reg .b32 %r<3>;\n.reg .b64 %rd<3>;\n.reg .f32 x;\nL: ret;\n";

#[test]
fn registers_come_by_width() {
    let of = |statement: &str| labels(&format!("{HEAD}{statement}"));
    let wide = of("add.u64 %rd1, $0");
    assert_eq!(wide[..3], ["%rd0", "%rd1", "%rd2"]);
    let narrow = of("atom.global.add.u32 $0");
    assert_eq!(narrow[..3], ["%r0", "%r1", "%r2"]);
    let float = of("add.f32 x, $0");
    assert_eq!(float[..2], ["x", "%r0"], "bits may be a float");
    assert!(!narrow.contains(&"%p0".to_owned()) && !narrow.contains(&"L".to_owned()), "{narrow:?}");
    assert_eq!(of("@$0"), ["%p0", "%p1"]);
    assert_eq!(of("@!%p$0 bra L;"), ["%p0", "%p1"]);
    assert_eq!(of("setp.eq.u32 $0")[..2], ["%p0", "%p1"]);
    assert_eq!(of("add.u32 %r0, %rd$0"), ["%rd0", "%rd1", "%rd2"]);
}

#[test]
fn symbols_come_by_space() {
    let of = |statement: &str| first(&format!("{HEAD}{statement}"));
    assert_eq!(of("atom.global.add.u32 %r0, [$0"), "counter");
    assert_eq!(of("ld.shared.u32 %r0, [$0"), "tile");
    assert_eq!(of("ld.param.u64 %rd0, [$0"), "p");
    assert_eq!(of("bra $0"), "L");
    assert_eq!(of("call $0"), "f");
    for statement in
        ["call $0;", "call.uni $0\nret;\n}", "call (%r0), $0", "@%p0 call.uni (%r0), $0, (%r1);", "call \n  $0"]
    {
        assert_eq!(labels(&format!("{HEAD}{statement}")), ["f"], "{statement}");
    }
    for statement in ["bra $0;", "bra.uni $0\n}", "@!%p0 bra $0\nret; }"] {
        assert_eq!(labels(&format!("{HEAD}{statement}")), ["L"], "{statement}");
    }
    for statement in ["bra $0\ndone:\nret;\n}", "@%p0 bra $0\n\n  done: ret; }", "bra d$0\ndone:\nret;\n}"] {
        assert!(labels(&format!("{HEAD}{statement}")).contains(&"done".to_owned()), "{statement}");
    }
    assert_eq!(labels(&format!("{HEAD}mov.u32 %r0, %tid.$0")), ["%tid.x", "%tid.y", "%tid.z"]);
    assert!(labels(&format!("{HEAD}mov.u32 %r0, %t$0")).contains(&"%tid".to_owned()));
}

#[test]
fn every_row_has_its_meaning_once() {
    for statement in ["$0", ".$0", "add.u32 %r0, $0", "bra $0", "call $0", "mov.u32 %r0, %tid.$0", ".reg $0"] {
        for item in offers(&format!("{HEAD}{statement}")) {
            assert!(!item.detail.is_empty(), "{statement}: {item:?}");
            assert!(!item.documentation.contains(&item.detail), "{statement}: {item:?}");
        }
    }
}

#[test]
fn directives_of_the_header_have_their_arguments() {
    assert_eq!(labels(".version $0")[..2], ["9.5", "9.4"]);
    assert_eq!(labels(".version 8.$0")[0], "8.8");
    let targets = labels(".version 8.5\n.target $0");
    assert_eq!(targets[..2], ["sm_90", "sm_89"], "newer ones require PTX 8.6");
    assert!(targets.contains(&"sm_90a".to_owned()) && targets.iter().all(|target| target.starts_with("sm_")));
    assert_eq!(labels(".version 8.5\n.target sm_90$0\n.address_size 64\n"), ["sm_90a"]);
    assert_eq!(labels(".version 8.5\n.target sm_90, $0")[0], "debug");
    assert_eq!(labels(".version 8.5\n.target sm_90 // the oldest\n.address_size $0"), ["64", "32"]);
    assert_eq!(labels(".version 8.5\n.tar$0"), [".target"]);
    assert!(labels(".version 8.5\n.target sm_90, debug\n$0").contains(&".entry".to_owned()));
    for text in [".version $0", ".target $0", ".target sm_10, $0", ".address_size $0"] {
        for item in offers(text) {
            assert!(!item.detail.is_empty() && !item.documentation.contains(&item.detail), "{text}: {item:?}");
        }
    }
}

#[test]
fn directives_come_where_they_may_stand() {
    assert!(labels("$0").contains(&".version".to_owned()));
    assert_eq!(labels(".ver$0"), [".version"]);
    let body = labels(&format!("{HEAD}.$0"));
    assert!(body.contains(&".reg".to_owned()) && !body.contains(&".entry".to_owned()), "{body:?}");
    assert!(labels(".entry k() .max$0").contains(&".maxntid".to_owned()));
    assert_eq!(first(&format!("{HEAD}.reg $0")), ".b32");
    assert_eq!(labels(&format!("{HEAD}.reg .pr$0")), [".pred"]);
    assert!(labels(".entry k(.param .u$0").contains(&".u64".to_owned()));
    assert_eq!(labels("// .ver$0"), Vec::<String>::new());
}

#[test]
fn declarations_and_options_come_where_they_may_stand() {
    assert_eq!(labels(".visible .$0"), [".entry", ".func", ".global", ".const", ".shared"]);
    assert_eq!(labels(".extern .sh$0"), [".shared"]);
    assert_eq!(labels(&format!("{HEAD}.pragma \"no$0\";")), ["nounroll"]);
    assert_eq!(labels(".entry k(.param .u64 .ptr $0")[..2], [".global", ".shared"]);
    assert_eq!(labels(".version 8.5\n.target sm_90, texmode_i$0"), ["texmode_independent"]);
    let maxntid = &offers(".entry k() .maxnt$0")[0];
    assert_eq!(maxntid.text, ".maxntid ${1:128}");
    assert!(maxntid.documentation.contains("Requires PTX 1.3"), "{}", maxntid.documentation);
}

/// The text of a snippet with its default values.
fn plain(snippet: &str) -> String {
    let mut parts = snippet.split('$');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| match part.strip_prefix('{').and_then(|body| body.split_once('}')) {
        Some((placeholder, rest)) => text + placeholder.split_once(':').unwrap().1 + rest,
        None => text + &part[1..],
    })
}

#[test]
fn every_snippet_of_a_directive_is_ptx() {
    for directive in directives().iter().filter(|directive| !directive.snippet.is_empty()) {
        let written = format!("{} {}", directive.word, plain(&directive.snippet));
        let text = match directive.place {
            DirectivePlace::Module | DirectivePlace::Both => written,
            DirectivePlace::Body if directive.word.ends_with("targets") || directive.word.ends_with("prototype") => {
                format!(".entry k() {{ L: {written} }}")
            }
            DirectivePlace::Body => format!(".entry k() {{ {written}\n }}"),
            DirectivePlace::Head if directive.word.starts_with(".abi") || directive.word == ".local_maxnreg" => {
                format!(".func k() {written} {{ }}")
            }
            DirectivePlace::Head => format!(".entry k() {written} {{ }}"),
            _ => panic!("{} has no place of its own", directive.word),
        };
        assert_eq!(syntax_errors(&SourceFile::parse(&text)), [], "{text}");
    }
}

#[test]
fn every_type_can_be_declared() {
    for ty in directives::at(DirectivePlace::Type) {
        assert_eq!(syntax_errors(&SourceFile::parse(&format!(".entry k() {{ .reg {} x; }}", ty.word))), []);
    }
}

#[test]
fn whole_instructions_are_legal_once_filled_in() {
    let all: Vec<StatementCompletion> = offers(&format!("{HEAD}$0"))
        .into_iter()
        .filter(|offer| offer.kind == StatementCompletionKind::Instruction)
        .collect();
    assert!(all.len() >= 25, "{}", all.len());
    for offer in &all {
        let text = format!(
            "{HEAD}{} }}",
            offer.text.replace("${1:", "").replace("${2:", "").replace("${3:", "").replace("${4:", "").replace('}', "")
        );
        // The names are left to the user.
        let findings = snapshot(&text).diagnostics();
        assert!(findings.iter().all(|finding| finding.code() == "unknown-name"), "{}: {findings:?}", offer.text);
    }
    let cas = all.iter().find(|offer| offer.label == "atom.global.cas.b32").unwrap();
    assert_eq!(cas.text, "atom.global.cas.b32 ${1:d}, [${2:a}], ${3:b}, ${4:c};");
    let guarded = labels(&format!("{HEAD}@!%p1 re$0"));
    let snippets = guarded.iter().filter(|label| label.starts_with("red.global"));
    assert!(snippets.count() >= 5, "{guarded:?}");
    assert_eq!(labels(&format!("{HEAD}atom.gl$0")), Vec::<String>::new(), "no snippets inside an opcode");
    let old = HEAD.replace("sm_90", "sm_60");
    assert!(labels(&format!("{old}$0")).iter().all(|label| !label.starts_with("multimem")));
}

#[test]
fn hidden_and_later_names_are_not_offered() {
    let text = ".entry k() { .reg .b32 a; { .reg .b64 a; add.u32 $0; } .reg .b32 b; }";
    let of: Vec<_> = offers(text)
        .into_iter()
        .filter(|offer| offer.kind == StatementCompletionKind::Register)
        .map(|offer| offer.label + &offer.detail)
        .collect();
    assert_eq!(of, ["a.reg .b64"]);
}

#[test]
fn any_place_of_any_text_is_answered() {
    for text in [HEAD, ".entry k( { .reg", "é \u{1F600} @", "{{{{ }", "\"", "mov a.b.c, "] {
        for offset in 0..=text.len() + 1 {
            let file = snapshot(text);
            for offer in file.complete_statement(offset) {
                assert!(offer.range.start <= offer.range.end && offer.range.end <= text.len());
            }
        }
    }
}

#[test]
fn registers_that_are_written_come_before_others_where_they_are_read() {
    let body = format!("{HEAD}mov.u32 %r2, 1;\nld.param.u64 %rd1, [p];\n");
    let of = |statement: &str| labels(&format!("{body}{statement}"));
    assert_eq!(of("add.u32 %r0, $0")[..2], ["%r2", "%r0"]);
    assert_eq!(of("atom.global.add.u32 %r0, [%$0")[0], "%rd1");
    assert_eq!(of("mov.u32 $0")[..2], ["%r0", "%r1"], "written anew");
}
