//! Ways of writing PTX in C++ and Python: each is checked alone, and has the expected statements and diagnostics.
//!
//! A shape begins with `// shape: NAME; N`, in Python with `#`, where N is the number of statements in it; the text before the first shape of a file
//! is put before each. A third part names the target for the compiler (sm_90a by default), or says `unasked`: the compiler
//! has no verdict to compare with.

use diagnostics::Settings;
use hosts::Language;
use hosts::inline_asm::HostLanguage;
use ide::Text;
use std::fs;
use std::process::Command;
use support::markers::{Marked, markers, placed};
use support::root;

/// How many shapes there are at least, in C++ and in Python.
const SHAPES: usize = 254;
const PYTHON_SHAPES: usize = 282;

struct Shape {
    /// The file and the name.
    name: String,
    /// The head of the file and the shape, at the lines that they have in the file.
    text: String,
    statements: usize,
    /// The target to ask the compiler for.
    target: Option<String>,
}

fn shapes(host: HostLanguage) -> Vec<Shape> {
    let folder = root().join(match host {
        HostLanguage::Cpp => "tests/fixtures/cuda",
        HostLanguage::Python => "tests/fixtures/python",
        _ => "tests/fixtures/hosts",
    });
    let comment = host.line_comment().expect("comments");
    let mut files: Vec<_> =
        fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| Language::of_path(&file.to_string_lossy()) == Some(Language::Host(host)));
    files.sort();
    let mut found = Vec::new();
    for file in files {
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(&file).expect("UTF-8");
        let begin = format!("{comment} shape: ");
        let mut pieces = text.split(&begin);
        let head = pieces.next().expect("a first piece");
        let mut line = head.lines().count();
        for piece in pieces {
            let (title, _) = piece.split_once('\n').expect("a shape has lines");
            let parts: Vec<&str> = title.split("; ").collect();
            let blank = "\n".repeat(line - head.lines().count());
            found.push(Shape {
                name: format!("{name}: {}", parts[0]),
                text: format!("{head}{blank}{comment} {piece}"),
                statements: parts[1].parse().expect("how many statements"),
                target: match parts.get(2) {
                    Some(&"unasked") => None,
                    given => Some((*given.unwrap_or(&"sm_90a")).to_owned()),
                },
            });
            line += piece.lines().count();
        }
    }
    found
}

/// What is found in a text, in the form of markers with their columns.
fn findings(language: Language, text: &str) -> Vec<(Marked, usize)> {
    // What compilers keep in order is in no preset of the default.
    let settings = Settings::default().enable("asm-hidden-order").expect("a rule");
    let source = Text::parse(language, text).under(settings);
    let marked = |finding: &diagnostics::Diagnostic| {
        let place = source.position(finding.range.start);
        let token = text[finding.range.clone()].lines().next().unwrap_or_default().to_owned();
        let column = if token.is_empty() { 0 } else { place.column + 1 };
        let (severity, code) = (finding.severity.name().to_owned(), finding.code().to_owned());
        (Marked { line: place.line + 1, severity, code, token }, column)
    };
    source.diagnostics().iter().map(marked).collect()
}

#[test]
fn each_shape_of_cpp_has_the_expected_outcome() {
    check(HostLanguage::Cpp, SHAPES);
}

#[test]
fn each_shape_of_python_has_the_expected_outcome() {
    check(HostLanguage::Python, PYTHON_SHAPES);
}

#[test]
fn each_shape_of_other_hosts_has_the_expected_outcome() {
    check(HostLanguage::LlvmIr, 11);
    check(HostLanguage::Mlir, 13);
    check(HostLanguage::Rust, 17);
    check(HostLanguage::Julia, 7);
    check(HostLanguage::Mojo, 5);
}

fn check(host: HostLanguage, least: usize) {
    let all = shapes(host);
    let mut wrong = String::new();
    for shape in &all {
        let count = |text: &str| host.scan(text).statements.len();
        let (mut expected, mut found) = (placed(&shape.text), findings(Language::Host(host), &shape.text));
        expected.sort();
        found.sort();
        let statements = count(&shape.text);
        if statements != shape.statements {
            wrong += &format!("\n{}: {statements} statements, not {}", shape.name, shape.statements);
        }
        for one in expected.iter().filter(|one| !found.contains(one)) {
            wrong += &format!("\n{}: not found: {one:?}", shape.name);
        }
        for one in found.iter().filter(|one| !expected.contains(one)) {
            wrong += &format!("\n{}: found: {one:?}", shape.name);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    let mut names: Vec<&str> = all.iter().map(|shape| shape.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all.len(), "two shapes have one name");
    assert!(all.len() >= least, "{} shapes", all.len());
}

#[test]
fn the_compiler_accepts_and_rejects_the_same_shapes() {
    let nvcc = root().join("tests/.tools/bin/nvcc");
    if !support::full() || !nvcc.is_file() {
        return;
    }
    let scratch = std::env::temp_dir().join(format!("ptx-atomics-shapes-{}", std::process::id()));
    fs::create_dir_all(&scratch).expect("can be made");
    let mut wrong = String::new();
    for (number, shape) in shapes(HostLanguage::Cpp).iter().enumerate() {
        let Some(target) = &shape.target else { continue };
        let source = scratch.join(format!("{number}.cu"));
        fs::write(&source, &shape.text).expect("can be written");
        let output = Command::new(&nvcc)
            .args(["-w", "-std=c++20", "-rdc=true", "-cubin", "-arch", target, "-o"])
            .arg(scratch.join("out.cubin"))
            .arg(&source)
            .output()
            .expect("the compiler runs");
        let errors = markers(&shape.text).iter().any(|one| one.severity == "error");
        if output.status.success() == errors {
            let messages = String::from_utf8_lossy(&output.stderr).lines().take(3).collect::<Vec<_>>().join(" | ");
            wrong += &format!("\n{}: expected {}: {messages}", shape.name, if errors { "errors" } else { "none" });
        }
    }
    let _ = fs::remove_dir_all(&scratch);
    assert!(wrong.is_empty(), "{wrong}");
}
