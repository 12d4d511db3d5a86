//! The invariants of server/ARCHITECTURE.md, each a test that reads manifests and sources and fails on a breach.

mod actions;
mod circles;
mod commits;
mod described;
mod finder;
mod methods;
mod modules;
mod resolve;
mod workspace;

use circles::{circles, sibling_circles};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use support::root;
use workspace::{CRATES, has_no_identifier, names_none};

/// What reads or writes something outside of the program.
const OUTSIDE: [&str; 5] = ["std::fs", "std::io", "std::env", "std::time", "std::net"];

/// The names in `[dependencies]` of a manifest.
fn dependencies(name: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(root().join(name).join("Cargo.toml")).expect("a manifest");
    let manifest: toml::Table = text.parse().expect("TOML");
    manifest.get("dependencies").and_then(|d| d.as_table()).map(|d| d.keys().cloned().collect()).unwrap_or_default()
}

fn only(name: &str, allowed: &[&str]) {
    let more: Vec<_> = dependencies(name).into_iter().filter(|name| !allowed.contains(&name.as_str())).collect();
    assert!(more.is_empty(), "{name} may depend on {allowed:?} only, but its manifest names {more:?}");
}

/// The files below a folder with an ending, and their texts.
fn sources(folder: &str, ending: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                let text = fs::read_to_string(&path).expect("UTF-8");
                found.push((path, text));
            }
        }
    }
    assert!(!found.is_empty(), "no {ending} below {folder}");
    found.sort();
    found
}

fn nowhere_else(_: &Path) -> bool {
    false
}

#[test]
fn the_top_level_has_only_the_listed_entries() {
    let design = [
        "Cargo.toml",
        "Cargo.lock",
        "server",
        "grammar",
        "editors",
        "docs",
        "tests",
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "deny.toml",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "pyproject.toml",
    ];
    let listed = std::process::Command::new("git").args(["ls-files"]).current_dir(root()).output().expect("git");
    let listed = String::from_utf8(listed.stdout).expect("UTF-8");
    for name in listed.lines().map(|path| path.split('/').next().unwrap_or_default()).collect::<BTreeSet<_>>() {
        assert!(name.starts_with('.') || design.contains(&name), "{name} is not in the design");
    }
}

#[test]
fn one_the_grammar_knows_shapes_and_no_mnemonics() {
    let mnemonics = [
        "atom",
        "red",
        "multimem",
        "ld",
        "st",
        "mov",
        "add",
        "cvt",
        "setp",
        "bra",
        "ret",
        "membar",
        "fence",
        "cp",
        "mbarrier",
        "ld_reduce",
    ];
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut files = sources("grammar", "grammar.js");
    files.extend(sources("grammar", ".scm"));
    for (path, text) in files {
        for (number, line) in text.lines().enumerate() {
            let code = line.trim_start();
            if ["//", "*", "/*", ";"].iter().any(|comment| code.starts_with(comment)) {
                continue;
            }
            let found = code.split(|c| !is_word(c)).find(|word| mnemonics.contains(word));
            assert_eq!(found, None, "{}:{}: a mnemonic must not be here", path.display(), number + 1);
        }
    }
}

#[test]
fn two_isa_depends_on_nothing() {
    only("server/isa", &[]);
    names_none("isa", &OUTSIDE, &nowhere_else);
}

#[test]
fn three_syntax_does_not_know_isa_and_the_engine_sees_no_text_clock_randomness_or_files() {
    only(
        "server/syntax",
        &["cpp_demangle", "foldhash", "grammar", "memchr", "rayon", "ropey", "rustc-demangle", "tree-sitter"],
    );
    only("server/values", &["isa"]);
    only("server/program", &["isa", "values"]);
    only("server/ordering", &["isa", "program", "values"]);
    only("server/machine", &["isa", "ordering", "program", "values"]);
    only("server/explorer", &["isa", "machine", "ordering", "program", "values"]);
    only("server/memory-model", &["foldhash", "isa", "values"]);
    only("server/symbolic", &["foldhash", "isa", "program", "values"]);
    for name in ["values", "program", "ordering", "machine", "explorer", "memory-model", "symbolic"] {
        names_none(name, &OUTSIDE, &nowhere_else);
        // Fork and join, with the results of one core.
        names_none(name, &["std::thread"], &|file| file.ends_with("launch/cores.rs"));
    }
}

#[test]
fn four_what_is_below_project_is_pure() {
    only("server/hosts", &["isa", "serde", "serde_json", "syntax", "tree-sitter", "tree-sitter-python"]);
    only("server/diagnostics", &["isa", "schemars", "serde", "syntax", "toml"]);
    let engine = ["explorer", "isa", "machine", "ordering", "program", "syntax", "values"];
    only("server/kernel", &[&engine[..], &["memory_model", "symbolic"]].concat());
    only("server/litmus", &["isa", "kernel", "machine", "memory_model", "program", "syntax", "values"]);
    only("server/evaluation", &[&engine[..], &["diagnostics", "kernel", "litmus"]].concat());
    only("server/analysis", &["foldhash", "isa", "syntax"]);
    only("server/legality", &["analysis", "diagnostics", "foldhash", "isa", "rayon", "syntax"]);
    let checked = ["diagnostics", "evaluation", "hosts", "isa", "kernel", "litmus", "syntax"];
    only("server/lints", &[&checked[..], &["analysis", "foldhash", "legality", "rayon"]].concat());
    only("server/ide", &[&checked[..], &["lints", "similar", "values"]].concat());
    for name in ["hosts", "diagnostics", "analysis", "legality", "kernel", "litmus", "evaluation", "lints", "ide"] {
        names_none(name, &OUTSIDE, &nowhere_else);
        names_none(name, &["std::thread"], &nowhere_else);
    }
    for name in ["diagnostics", "analysis", "legality", "kernel", "litmus", "evaluation", "lints", "ide"] {
        names_none(name, &["std::collections::HashSet"], &nowhere_else);
    }
}

#[test]
fn five_the_protocol_stays_in_lsp_and_utf_16_in_its_converter() {
    for (name, _) in CRATES.iter().filter(|(name, _)| *name != "lsp") {
        assert!(!dependencies(&format!("server/{name}")).contains("tower-lsp"), "{name} must not depend on tower-lsp");
    }
    let words = ["utf16", "utf_16", "Utf16"];
    for (name, _) in
        CRATES.iter().filter(|(name, _)| !["lsp", "dap", "project", "completions"].contains(&name.as_str()))
    {
        has_no_identifier(name, &words, &nowhere_else);
    }
    has_no_identifier("lsp", &["utf16_", "len_utf16", "encode_utf16"], &|file| {
        ["convert/mod.rs", "connection/surrogates.rs"].iter().any(|known| file == *known)
    });
}

#[test]
fn nine_nothing_is_printed_past_the_escaping_output() {
    let words = ["println", "print", "eprintln", "eprint", "dbg", "std::io::stdout", "std::io::stderr"];
    names_none("cli", &words, &|file| file.starts_with("output"));
    names_none("lsp", &words, &|file| file == "lib.rs");
    for (path, text) in sources("server", ".rs") {
        let is_root = ["server/cli/src/lib.rs", "server/lsp/src/lib.rs"].iter().any(|name| path.ends_with(name));
        assert!(
            !is_root || text.contains("#![deny(clippy::print_stdout, clippy::print_stderr)]"),
            "{}",
            path.display()
        );
    }
}

/// The folders whose files share one walk, and so count as one rule.
const ONE_WALK: [&str; 3] = ["asm", "directives", "operands"];

/// A rule is a file or a folder in a folder of `rules`; all folders of `legality` have rules.
fn rule(name: &str, file: &Path) -> Option<String> {
    let file = if name == "legality" { Ok(file) } else { file.strip_prefix("rules") };
    let mut names = file.ok()?.iter().map(|name| name.to_string_lossy());
    let (folder, name) = (names.next()?, names.next()?);
    let name = name.trim_end_matches(".rs");
    match ONE_WALK.contains(&&*folder) {
        true => Some(folder.into_owned()),
        false => (name != "mod").then(|| format!("{folder}/{name}")),
    }
}

#[test]
fn eight_rules_neither_call_each_other_nor_read_the_configuration() {
    for name in ["legality", "lints"] {
        has_no_identifier(name, &["settings", "Settings"], &|file| rule(name, file).is_none());
        let resolved = &CRATES[name];
        for (from, to) in &resolved.references {
            let (from, to) = (&resolved.read.files[*from], &resolved.read.files[*to]);
            if let (Some(caller), Some(called)) = (rule(name, from), rule(name, to)) {
                assert_eq!(caller, called, "{} calls the rule {called} in {}", from.display(), to.display());
            }
        }
    }
}

/// Circles that are still there, by crate. Nothing is added here: what both sides need moves to a file of its own.
const OPEN: &[(&str, &[&str])] = &[];

#[test]
fn files_of_a_crate_refer_to_each_other_in_no_circle_but_that_of_parent_and_child() {
    let mut open: BTreeSet<usize> = (0..OPEN.len()).collect();
    for (name, resolved) in CRATES.iter() {
        for circle in circles(resolved) {
            let known = OPEN
                .iter()
                .position(|(of, files)| of == name && circle.iter().all(|file| files.contains(&file.as_str())));
            let at = known.unwrap_or_else(|| panic!("server/{name}/src: a circle of {}", circle.join(", ")));
            open.remove(&at);
        }
    }
    let gone: Vec<_> = open.into_iter().map(|at| OPEN[at]).collect();
    assert!(gone.is_empty(), "no circle any more, so nothing to list: {gone:?}");
}

/// The most lines of a crate, tests beside the code included.
const MOST_LINES: usize = 16_000;

#[test]
fn no_crate_is_larger_than_one_purpose_needs() {
    for name in CRATES.keys() {
        let files = sources(&format!("server/{name}/src"), ".rs");
        let lines: usize = files.iter().map(|(_, text)| text.lines().count()).sum();
        assert!(lines <= MOST_LINES, "server/{name}: {lines} lines; divide it by purpose");
    }
}

/// What a folder shows at one look.
const MOST_FILES: usize = 25;

#[test]
fn no_folder_holds_more_source_files_than_one_sees_at_once() {
    for top in ["server", "tests"] {
        let mut folders = BTreeMap::<PathBuf, usize>::new();
        for (path, _) in sources(top, ".rs").iter().filter(|(path, _)| !is_built(path)) {
            *folders.entry(path.parent().expect("a folder").to_owned()).or_default() += 1;
        }
        for (folder, files) in folders {
            assert!(files <= MOST_FILES, "{}: {files} source files; group them by purpose", folder.display());
        }
    }
}

#[test]
fn a_module_with_a_folder_is_the_file_mod_rs_in_it() {
    for top in ["server", "tests"] {
        for (path, _) in sources(top, ".rs").iter().filter(|(path, _)| !is_built(path)) {
            let folder = path.with_extension("");
            let holds_modules = folder.is_dir();
            let has_source = |entry: fs::DirEntry| entry.path().extension().is_some_and(|ending| ending == "rs");
            let holds_modules = holds_modules
                && fs::read_dir(&folder).expect("a folder").any(|entry| has_source(entry.expect("an entry")));
            assert!(!holds_modules, "{} is {}/mod.rs", path.display(), folder.display());
        }
    }
}

#[test]
fn paths_of_modules_begin_at_the_crate() {
    let upwards: Vec<_> = sources("server", ".rs")
        .into_iter()
        .filter(|(path, text)| !is_built(path) && text.contains("super::super::"))
        .map(|(path, _)| path)
        .collect();
    assert!(upwards.is_empty(), "`crate::` instead of `super::super::`: {upwards:?}");
}

/// Whether a file is an output of a build or an installed tool.
fn is_built(path: &Path) -> bool {
    path.iter().any(|name| name == "target" || name == ".tools" || name == "node_modules")
}

#[test]
#[ignore = "a measure, not a test"]
fn circles_of_siblings() {
    for (name, resolved) in CRATES.iter() {
        println!("{name}: {} files, {} references", resolved.read.files.len(), resolved.references.len());
        for circle in circles(resolved) {
            println!("  files: {}", circle.join(" "));
        }
        for circle in sibling_circles(resolved) {
            println!("  siblings: {}", circle.join(" "));
        }
    }
}

/// The lines of a file that are no tests of it, with their numbers: tests within a file stand at its end.
fn without_tests(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    (1..).zip(text[..end].lines())
}

#[test]
fn eight_codes_of_rules_stand_in_the_registry_alone() {
    let codes: Vec<_> = diagnostics::registry::RULES.iter().map(|rule| format!("\"{}\"", rule.code)).collect();
    // The tables name their own reasons; the registry takes the names from there.
    let lists = ["diagnostics/src/registry.rs", "isa/src/reason.rs"];
    for (path, text) in sources("server", ".rs") {
        let is_test = path.iter().any(|part| part == "tests" || part == "tests.rs");
        if is_test || lists.iter().any(|list| path.ends_with(Path::new("server").join(list))) {
            continue;
        }
        for (number, line) in without_tests(&text) {
            let code = codes.iter().find(|code| line.contains(code.as_str()));
            assert!(code.is_none(), "{}:{number}: {line}", path.display());
        }
    }
}

#[test]
fn eleven_no_behaviour_depends_on_the_wording_of_a_message() {
    let texts = [".message", ".message()", ".help", ".help_text()", ".title"];
    let searches = ["split", "strip_", "contains(", "starts_with(", "ends_with(", "replace", "find(", "trim_"];
    for (path, text) in sources("server", ".rs") {
        for (number, line) in without_tests(&text) {
            let found =
                texts.iter().find(|text| searches.iter().any(|search| line.contains(&format!("{text}.{search}"))));
            assert!(found.is_none(), "{}:{number}: {line}", path.display());
        }
    }
}

#[test]
fn nothing_points_back() {
    let order = [
        "isa",
        "grammar",
        "syntax",
        "values",
        "program",
        "ordering",
        "machine",
        "explorer",
        "symbolic",
        "memory_model",
        "hosts",
        "diagnostics",
        "kernel",
        "litmus",
        "evaluation",
        "analysis",
        "legality",
        "lints",
        "ide",
        "project",
        "lsp",
        "dap",
        "completions",
    ];
    for (at, name) in order.iter().enumerate() {
        let folder =
            if *name == "grammar" { "grammar".to_owned() } else { format!("server/{}", name.replace('_', "-")) };
        for later in &order[at + 1..] {
            assert!(!dependencies(&folder).contains(*later), "{name} must not depend on {later}");
        }
    }
}

/// tree-sitter lets threads share a language everywhere but in WebAssembly, so the page in a browser would not compile.
#[test]
fn no_static_holds_a_language_of_tree_sitter() {
    for (path, text) in sources("server", ".rs") {
        let shared = ["OnceLock<Language>", "LazyLock<Language>"].into_iter().find(|kind| text.contains(kind));
        assert_eq!(shared, None, "{}", path.display());
    }
}

#[test]
fn unsafe_code_is_forbidden_everywhere_but_in_the_binding() {
    for manifest in sources("server", "Cargo.toml").into_iter().chain(sources("tests", "tests/Cargo.toml")) {
        let table: toml::Table = manifest.1.parse().expect("TOML");
        let inherits = table.get("lints").and_then(|lints| lints.get("workspace")).and_then(toml::Value::as_bool);
        assert_eq!(inherits, Some(true), "{} must take the workspace's lints", manifest.0.display());
    }
    let workspace: toml::Table =
        fs::read_to_string(root().join("Cargo.toml")).expect("a manifest").parse().expect("TOML");
    assert_eq!(workspace["workspace"]["lints"]["rust"]["unsafe_code"].as_str(), Some("forbid"));
}

#[test]
fn a_type_name_stands_for_one_type_in_the_whole_workspace() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, text) in sources("server", ".rs") {
        if path.iter().any(|part| matches!(part.to_str(), Some("tests" | "tests.rs" | "examples"))) {
            continue;
        }
        for (number, line) in without_tests(&text) {
            let words = line.strip_prefix("pub ").or_else(|| line.strip_prefix("pub(crate) ")).unwrap_or(line);
            let words = words.strip_prefix("pub(super) ").unwrap_or(words);
            let kinds = ["struct ", "enum ", "trait ", "type ", "union "];
            let Some(rest) = kinds.iter().find_map(|kind| words.strip_prefix(kind)) else { continue };
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
            if name.starts_with(char::is_uppercase) {
                places.entry(name).or_default().push(format!("{}:{number}", path.display()));
            }
        }
    }
    assert!(places.len() > 300, "the search finds types");
    let doubled: Vec<_> = places.iter().filter(|(_, places)| places.len() > 1).collect();
    assert!(doubled.is_empty(), "names that stand for two types: {doubled:#?}");
}
