//! What server/ARCHITECTURE.md and the READMEs of the crates name exists: each crate has a section, each path leads to a file, and the walks pass functions
//! of their files.

use crate::dependencies;
use crate::workspace::CRATES;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use support::root;

/// The most bytes of the page, which a newcomer reads in a quarter of an hour.
const MOST_BYTES: usize = 25_000;
/// The most places that a walk passes.
const MOST_PLACES: usize = 10;

fn page(path: &str) -> String {
    fs::read_to_string(root().join("server").join(path)).expect("a page")
}

/// The pages about the code, by their paths below `server`.
fn pages() -> Vec<String> {
    let readmes = CRATES.keys().map(|name| format!("{name}/README.md"));
    let readmes = readmes.filter(|path| root().join("server").join(path).is_file());
    readmes.chain(["ARCHITECTURE.md".to_owned()]).collect()
}

#[test]
fn the_page_on_the_architecture_is_short_and_names_each_crate() {
    let text = page("ARCHITECTURE.md");
    assert!(text.len() <= MOST_BYTES, "{} bytes", text.len());
    let headings: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    let missing: Vec<_> = CRATES
        .keys()
        .filter(|name| name.as_str() != "completions")
        .filter(|name| !headings.iter().any(|heading| heading.contains(&format!("`{name}`"))))
        .collect();
    assert!(missing.is_empty(), "no section about {missing:?}");
}

#[test]
fn each_file_that_the_pages_on_the_code_name_exists() {
    let mut named = 0;
    for name in pages() {
        let text = page(&name);
        let places = text.split('`').skip(1).step_by(2);
        for place in places.filter(|place| place.ends_with(".rs") && place.contains('/') && !place.contains(['*', ' ']))
        {
            named += 1;
            let found = ["server", ""].iter().any(|base| root().join(base).join(place).is_file());
            assert!(found, "server/{name}: there is no {place}");
        }
    }
    assert!(named > 100, "{named} files");
}

#[test]
fn the_walks_pass_functions_of_their_files() {
    let text = page("ARCHITECTURE.md");
    let (_, walks) = text.split_once("## Four walks").expect("the walks");
    let (walks, _) = walks.split_once("\n## ").expect("a section behind");
    let tables: Vec<_> = walks.split("\n**").skip(1).collect();
    assert_eq!(tables.len(), 4);
    for table in tables {
        let rows: Vec<_> = table.lines().filter(|line| line.starts_with("| `")).collect();
        assert!(rows.len() > 5 && rows.len() <= MOST_PLACES, "{} places: {table}", rows.len());
        for row in rows {
            let words: Vec<_> = row.split('`').collect();
            let code = page(words[1]);
            let is_function = ["(", "<"].iter().any(|next| code.contains(&format!("fn {}{next}", words[3])));
            assert!(is_function, "{} has no function {}", words[1], words[3]);
        }
    }
}

/// The crates that an end of an arrow names: one, or several in braces.
fn named(end: &str) -> Vec<&str> {
    end.trim().trim_matches(['{', '}']).split(',').map(str::trim).collect()
}

/// The arrows of the picture of the crates.
fn arrows(text: &str) -> BTreeSet<(&str, &str)> {
    let picture = text.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("the picture");
    let mut arrows = BTreeSet::new();
    for chain in picture.split([';', '\n']).filter(|chain| chain.contains('→')) {
        let ends: Vec<_> = chain.split('→').map(named).collect();
        for pair in ends.windows(2) {
            arrows.extend(pair[0].iter().flat_map(|from| pair[1].iter().map(move |to| (*from, *to))));
        }
    }
    arrows
}

#[test]
fn the_picture_of_the_crates_has_the_arrows_of_their_manifests() {
    let text = page("ARCHITECTURE.md");
    let arrows = arrows(&text);
    assert!(arrows.len() > 20, "{arrows:?}");
    let manifest = |name: &str| {
        let folder = if name == "grammar" { name.to_owned() } else { format!("server/{name}") };
        dependencies(&folder).into_iter().map(|name| name.replace('_', "-")).collect::<BTreeSet<_>>()
    };
    let mut below: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, to) in &arrows {
        assert!(manifest(from).contains(*to), "{from} → {to} is no dependency");
        below.entry(from).or_default().insert(to);
    }
    for name in CRATES.keys() {
        let (mut reached, mut open) = (BTreeSet::new(), vec![name.as_str()]);
        while let Some(at) = open.pop() {
            open.extend(below.get(at).into_iter().flatten().filter(|to| reached.insert(**to)));
        }
        let used = manifest(name).into_iter().filter(|used| CRATES.contains_key(used) && used != "completions");
        let missing: Vec<_> = used.filter(|used| !reached.contains(used.as_str())).collect();
        assert!(missing.is_empty(), "no arrows lead from {name} to {missing:?}");
    }
}
