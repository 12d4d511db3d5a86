//! The invariants of server/ARCHITECTURE.md, each a test that reads manifests and sources and fails on a breach.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use support::root;

/// The names in `[dependencies]` of a manifest.
fn dependencies(room: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(root().join(room).join("Cargo.toml")).expect("a manifest");
    let manifest: toml::Table = text.parse().expect("TOML");
    manifest.get("dependencies").and_then(|d| d.as_table()).map(|d| d.keys().cloned().collect()).unwrap_or_default()
}

fn only(room: &str, allowed: &[&str]) {
    let more: Vec<_> = dependencies(room).into_iter().filter(|name| !allowed.contains(&name.as_str())).collect();
    assert!(more.is_empty(), "{room} may depend on {allowed:?} only, but its manifest names {more:?}");
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

fn nowhere(folder: &str, ending: &str, words: &[&str]) {
    absent(&sources(folder, ending), words);
}

fn absent(files: &[(PathBuf, String)], words: &[&str]) {
    for (path, text) in files {
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            for word in words {
                assert!(!code.contains(word), "{}:{}: `{word}` must not be here: {line}", path.display(), number + 1);
            }
        }
    }
}

#[test]
fn the_top_level_holds_the_rooms_of_the_design_and_no_more() {
    let design = [
        "Cargo.toml",
        "Cargo.lock",
        "server",
        "grammar",
        "editors",
        "tests",
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "deny.toml",
        "LICENSE-MIT",
        "LICENSE-APACHE",
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
    nowhere("server/isa/src", ".rs", &["std::fs", "std::io", "std::env", "std::time", "std::net"]);
}

#[test]
fn three_syntax_does_not_know_isa_and_emulator_and_memory_model_see_no_text_clock_randomness_or_files() {
    only("server/syntax", &["grammar", "memchr", "rayon", "ropey", "tree-sitter"]);
    only("server/emulator", &["isa"]);
    only("server/memory-model", &["emulator", "foldhash", "isa"]);
    let impure =
        ["std::fs", "std::io", "std::env", "std::time", "std::net", "std::thread", " rand::", "(rand::", "use rand"];
    for folder in ["server/emulator/src", "server/memory-model/src"] {
        nowhere(folder, ".rs", &impure);
    }
}

#[test]
fn four_analysis_is_pure() {
    only("server/analysis", &["emulator", "foldhash", "isa", "memory_model", "syntax", "toml"]);
    nowhere(
        "server/analysis/src",
        ".rs",
        &["std::fs", "std::io", "std::env", "std::time", "std::net", "std::thread", "tokio", "lsp", "HashSet<"],
    );
}

#[test]
fn five_the_protocol_stays_in_lsp_and_utf_16_in_its_converter() {
    for room in [
        "server/isa",
        "server/syntax",
        "server/emulator",
        "server/memory-model",
        "server/analysis",
        "server/cli",
        "grammar",
    ] {
        assert!(!dependencies(room).contains("tower-lsp"), "{room} must not depend on tower-lsp");
    }
    for room in [
        "server/isa/src",
        "server/syntax/src",
        "server/emulator/src",
        "server/memory-model/src",
        "server/analysis/src",
        "server/cli/src",
    ] {
        nowhere(room, ".rs", &["utf16", "utf_16", "Utf16"]);
    }
    let elsewhere: Vec<_> = sources("server/lsp/src", ".rs")
        .into_iter()
        .filter(|(path, _)| !path.to_string_lossy().contains("convert"))
        .collect();
    absent(&elsewhere, &["utf16_", "len_utf16", "encode_utf16"]);
}

#[test]
fn nine_nothing_is_printed_past_the_escaping_output() {
    let words = ["println!", "print!", "dbg!", "io::stdout", "io::stderr", "Term::std"];
    let output = root().join("server/cli/src/output");
    let others: Vec<_> =
        sources("server/cli/src", ".rs").into_iter().filter(|(path, _)| !path.starts_with(&output)).collect();
    absent(&others, &words);
    let protocol = root().join("server/lsp/src/lib.rs");
    let server: Vec<_> = sources("server/lsp/src", ".rs").into_iter().filter(|(path, _)| *path != protocol).collect();
    absent(&server, &words);
    for (path, text) in sources("server", ".rs") {
        let is_root = ["server/cli/src/main.rs", "server/lsp/src/lib.rs"].iter().any(|name| path.ends_with(name));
        assert!(
            !is_root || text.contains("#![deny(clippy::print_stdout, clippy::print_stderr)]"),
            "{}",
            path.display()
        );
    }
}

#[test]
fn eight_rules_neither_call_each_other_nor_read_the_configuration() {
    let folder = root().join("server/analysis/src/rules");
    // A rule is a file or a folder directly below `rules`.
    let rule = |path: &Path| -> Option<String> {
        let name = path.strip_prefix(&folder).ok()?.iter().next()?.to_str()?.trim_end_matches(".rs").to_owned();
        (name != "mod").then_some(name)
    };
    let rules: Vec<_> =
        sources("server/analysis/src/rules", ".rs").into_iter().filter(|(path, _)| rule(path).is_some()).collect();
    absent(&rules, &["settings", "Settings"]);
    let names: BTreeSet<_> = rules.iter().filter_map(|(path, _)| rule(path)).collect();
    for (path, text) in &rules {
        let own = rule(path).unwrap_or_default();
        let up = if path.parent() == Some(&folder) { "super" } else { "super::super" };
        for name in names.iter().filter(|name| **name != own) {
            let called =
                [format!("{up}::{name}::"), format!("rules::{name}::")].iter().any(|call| text.contains(call.as_str()));
            assert!(!called, "{} calls the rule {name}", path.display());
        }
    }
}

#[test]
fn nothing_points_back() {
    let order = ["isa", "grammar", "syntax", "emulator", "memory_model", "analysis", "project", "lsp"];
    for (at, room) in order.iter().enumerate() {
        let folder =
            if *room == "grammar" { "grammar".to_owned() } else { format!("server/{}", room.replace('_', "-")) };
        for later in &order[at + 1..] {
            assert!(!dependencies(&folder).contains(*later), "{room} must not depend on {later}");
        }
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
