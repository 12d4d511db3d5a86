//! Dependencies satisfy `deny.toml`. Works without a network, so advisories are not checked.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use support::root;
use toml::Table;

/// All packages of the build on the platform that releases are made for, and what each depends on.
fn metadata() -> Value {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--offline", "--locked", "--format-version", "1", "--filter-platform"])
        .arg("x86_64-unknown-linux-gnu")
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn policy() -> Table {
    std::fs::read_to_string(root().join("deny.toml")).expect("the policy").parse().expect("TOML")
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn words(value: &toml::Value) -> Vec<&str> {
    value.as_array().expect("a list").iter().map(|word| word.as_str().expect("a word")).collect()
}

/// External packages.
fn foreign(metadata: &Value) -> Vec<&Value> {
    let packages = metadata["packages"].as_array().expect("packages");
    let foreign: Vec<_> = packages.iter().filter(|package| !package["source"].is_null()).collect();
    assert!(foreign.len() > 50, "cargo names the packages");
    foreign
}

/// Whether an expression such as `(MIT OR Apache-2.0) AND Unicode-3.0` leaves a choice that is allowed.
fn allowed(expression: &str, licences: &[&str]) -> bool {
    let choice = |part: &str| {
        let part = part.trim_matches(['(', ')', ' ']);
        assert!(!part.contains(['(', ')']), "{expression} is more than this test reads");
        part.split(" OR ").flat_map(|one| one.split('/')).any(|one| licences.contains(&one.trim()))
    };
    expression.split(" AND ").all(choice)
}

#[test]
fn every_licence_is_on_the_list_and_every_entry_of_the_list_is_needed() {
    let (metadata, policy) = (metadata(), policy());
    let licences = words(&policy["licenses"]["allow"]);
    let all = foreign(&metadata);
    for package in &all {
        let expression = text(package, "license");
        assert!(allowed(expression, &licences), "{} is under `{expression}`", text(package, "name"));
    }
    for licence in &licences {
        let others: Vec<_> = licences.iter().copied().filter(|other| other != licence).collect();
        let needed = ["MIT", "Apache-2.0"].contains(licence)
            || all.iter().any(|package| !allowed(text(package, "license"), &others));
        assert!(needed, "nothing needs {licence}");
    }
    assert!(
        !allowed("GPL-3.0-only", &licences) && !allowed("MIT AND GPL-3.0-only", &licences) && !allowed("", &licences)
    );
}

#[test]
fn the_duplicates_are_those_that_are_named() {
    let (metadata, policy) = (metadata(), policy());
    let skips = policy["bans"]["skip"].as_array().expect("a list");
    let skips: BTreeSet<&str> = skips.iter().map(|skip| skip["crate"].as_str().expect("name@version")).collect();
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in foreign(&metadata) {
        versions.entry(text(package, "name")).or_default().push(text(package, "version"));
    }
    let mut used = BTreeSet::new();
    for (name, versions) in versions.iter().filter(|(_, versions)| versions.len() > 1) {
        let is_named = |version: &&&str| {
            let named = skips.iter().find(|skip| {
                skip.strip_prefix(name).and_then(|rest| rest.strip_prefix('@')).is_some_and(|prefix| {
                    version.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
                })
            });
            used.extend(named.copied());
            named.is_none()
        };
        let unnamed: Vec<_> = versions.iter().filter(is_named).collect();
        assert_eq!(
            unnamed.len(),
            1,
            "{name} comes in {versions:?}; name the older ones in deny.toml, with who wants them"
        );
    }
    assert_eq!(used, skips, "deny.toml names what is no duplicate any more");
}

#[test]
fn nothing_in_the_build_talks_to_other_machines() {
    let (metadata, policy) = (metadata(), policy());
    let banned = words(&policy["bans"]["deny"]);
    for package in foreign(&metadata) {
        assert!(!banned.contains(&text(package, "name")), "{} is not wanted", text(package, "name"));
        let source = text(package, "source");
        assert_eq!(source, "registry+https://github.com/rust-lang/crates.io-index", "{}", text(package, "name"));
    }
    // Both could open sockets, if they were asked to.
    for (name, feature) in [("tokio", "net"), ("mio", "net")] {
        let nodes = metadata["resolve"]["nodes"].as_array().expect("nodes");
        let node = nodes.iter().find(|node| text(node, "id").contains(&format!("#{name}@"))).expect("is used");
        let features = node["features"].as_array().expect("features");
        assert!(!features.iter().any(|known| known == feature), "{name} is built with {feature}");
    }
}

#[test]
fn our_own_code_opens_no_connection_and_starts_no_program_but_git_and_compilers() {
    let words = r"std::net|unix::net|process::Command|TcpStream|UdpSocket|UnixStream";
    let found = Command::new("git")
        // `lint --diff` and `--cache` ask git, where the user asks for it.
        .args([
            "grep",
            "-nE",
            words,
            "--",
            "server/*/src/*.rs",
            "grammar/bindings/*.rs",
            ":!server/cli/src/lint/git.rs",
            // `run` and `check` of a source start the compiler that the user names.
            ":!server/project/src/compiler.rs",
            // They execute a file of Python with `--execute`.
            ":!server/cli/src/run/python_source.rs",
        ])
        .current_dir(root())
        .output();
    let found = found.expect("git runs");
    assert_eq!(found.status.code(), Some(1), "{}", String::from_utf8_lossy(&found.stdout));
}
