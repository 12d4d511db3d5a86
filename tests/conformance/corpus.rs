//! Compiler output: each module of `tests/.tools/corpus` that the assembler accepts has a tree without ERROR or
//! MISSING nodes, and no errors. `tests/corpus/generate.py` makes the modules. A missing corpus is a failure.

use diagnostics::{Settings, Severity, Snapshot};
use lints::Check;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, thread};
use syntax::SourceFile;
use tree_sitter::{Node, Parser};

/// The modules that generators wrote.
fn modules() -> Vec<PathBuf> {
    let folder = support::root().join("tests/.tools/corpus");
    let mut modules: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}: run tests/install and tests/corpus/generate.py", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ptx"))
        .collect();
    modules.sort();
    assert!(
        modules.len() >= 1000,
        "{} holds {} modules: run tests/corpus/generate.py",
        folder.display(),
        modules.len()
    );
    for generator in ["nvrtc11.8-", "nvrtc12.9-", "nvrtc13.5-", "cub"] {
        assert!(modules.iter().any(|path| name(path).starts_with(generator)), "no module of {generator}");
    }

    modules
}

#[test]
fn modules_of_real_generators_parse() {
    each(&modules(), "did not parse", syntax_error);
}

/// What a compiler writes for its own target, the assembler takes: an error of ours would be a false one. And what it wrote was meant: so would
/// be a warning of the preset `recommended`. That an atomic is emulated is reported for everybody, and a kernel of `own/memory.cu` exchanges values of lanes
/// without a barrier.
#[test]
fn modules_of_real_generators_have_no_error_and_no_warning() {
    each(&modules(), "were found fault with", |_, path| {
        let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
        let diagnostics = Snapshot::new(SourceFile::parse(&text), Settings::default()).diagnostics();
        let is_true = |code| code == "hidden-loop" || code == "missing-warp-barrier" && name(path).contains("-memory-");
        let error = diagnostics
            .iter()
            .find(|diagnostic| diagnostic.severity <= Severity::Warning && !is_true(diagnostic.code()))?;
        let line = text[..error.range.start].matches('\n').count() + 1;
        Some(format!("{}:{line}: {}: {}\n", name(path), error.code(), error.message()))
    });
}

/// Checks each module, in parallel; reports the first twenty.
fn each(modules: &[PathBuf], what: &str, ask: impl Fn(&mut Parser, &std::path::Path) -> Option<String> + Sync) {
    let (next, syntax_errors) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                let mut parser = Parser::new();
                parser.set_language(&grammar::LANGUAGE.into()).expect("the grammar fits the library");
                while let Some(path) = modules.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(syntax_error) = ask(&mut parser, path) {
                        syntax_errors.lock().unwrap().push(syntax_error);
                    }
                }
            });
        }
    });
    let mut syntax_errors = syntax_errors.into_inner().unwrap();
    syntax_errors.sort();
    let count = syntax_errors.len();
    syntax_errors.truncate(20);
    assert!(count == 0, "{}{count} of {} modules {what}", syntax_errors.concat(), modules.len());
}

fn name(path: &std::path::Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The first places where the grammar could not follow a module.
fn syntax_error(parser: &mut Parser, path: &std::path::Path) -> Option<String> {
    let text = String::from_utf8_lossy(&fs::read(path).expect("the corpus is readable")).into_owned();
    let tree = parser.parse(&text, None).expect("parsing is not cancelled");
    if !tree.root_node().has_error() {
        return None;
    }
    let mut report = String::new();
    for node in faults(tree.root_node()).into_iter().take(3) {
        let row = node.start_position().row;
        let line = text.lines().nth(row).unwrap_or_default();
        let line: String = line.chars().take(120).collect();
        let what = if node.is_missing() { format!("MISSING {}", node.kind()) } else { "ERROR".to_owned() };
        writeln!(report, "{}:{}: {what}: {line}", name(path), row + 1).unwrap();
    }
    Some(report)
}

/// Every ERROR and MISSING node that holds no other.
fn faults(node: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut cursor = node.walk();
    for child in node.children(&mut cursor).filter(|child| child.has_error()) {
        found.extend(faults(child));
    }
    if found.is_empty() && (node.is_error() || node.is_missing()) {
        found.push(node);
    }
    found
}
