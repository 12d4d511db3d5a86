//! Disassembly of kernels with atomics on all targets: the grammar of SASS parses every line, and every atomic in
//! it leads back to the PTX that it was generated from.

use diagnostics::Settings;
use hosts::Language;
use ide::Text;
use isa::lowering::origins;
use std::collections::BTreeSet;
use std::fs;
use tree_sitter::{Node, Parser};

/// Name and text of each recorded listing.
fn listings() -> Vec<(String, String)> {
    let folder = support::evidence("disassembly");
    let paths = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|ending| ending == "gz")).collect();
    paths.sort();
    let name = |path: &std::path::Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), support::gunzip(path))).collect()
}

fn each<'a>(node: Node<'a>, then: &mut impl FnMut(Node<'a>)) {
    let mut cursor = node.walk();
    loop {
        then(cursor.node());
        if cursor.goto_first_child() || cursor.goto_next_sibling() {
            continue;
        }
        while cursor.goto_parent() {
            if cursor.goto_next_sibling() {
                break;
            }
        }
        if cursor.node() == node {
            return;
        }
    }
}

/// The name of the kernel whose code a line begins, without what says how it was asked.
fn kernel(line: &str) -> Option<&str> {
    let name = line.strip_prefix(".text.").and_then(|rest| rest.split_once(':')).map(|(name, _)| name);
    let name = name.or_else(|| line.trim().strip_prefix("Function : "))?;
    let name = name.strip_suffix("_uniform").unwrap_or(name);
    Some(name.strip_suffix("_unused").unwrap_or(name))
}

/// The opcode of a line of code: the text after its address and guard.
fn opcode(line: &str) -> Option<&str> {
    let (place, code) = line.trim().strip_prefix("/*")?.split_once("*/")?;
    let code = code.trim_start().trim_start_matches('{').trim_start();
    let is_code = place.len() >= 4 && place.bytes().all(|byte| byte.is_ascii_hexdigit()) && code.contains(';');
    let code = code.strip_prefix('@').map_or(code, |guarded| guarded.split_once(' ').map_or("", |(_, code)| code));
    is_code.then(|| code.trim_start().split([' ', ';']).next().unwrap_or_default())
}

#[test]
fn every_line_of_the_disassemblers_is_read() {
    let mut parser = Parser::new();
    parser.set_language(&grammar::sass::LANGUAGE.into()).expect("the grammar fits the library");
    let (mut kernels, mut lines) = (0, 0);
    for (name, text) in listings() {
        let tree = parser.parse(&text, None).expect("a tree");
        let mut read = Vec::new();
        each(tree.root_node(), &mut |node| {
            let place = node.start_position();
            assert!(!node.is_error() && !node.is_missing(), "{name}:{}:{}", place.row + 1, place.column + 1);
            if node.kind() == "opcode" {
                read.push(&text[node.byte_range()]);
            }
        });
        let expected: Vec<&str> = text.lines().filter_map(opcode).collect();
        assert_eq!(read, expected, "{name}");
        kernels += text.lines().filter(|line| kernel(line).is_some()).count();
        lines += expected.len();
    }
    println!("{kernels} kernels, {lines} instructions");
    assert!(kernels >= 200 && lines > 9000, "{kernels} kernels, {lines} instructions");
}

/// The kernels are named after what they hold: that form must be among those that an atomic of theirs is generated from, on that target.
#[test]
fn every_atomic_leads_back_to_its_ptx() {
    let mut seen = BTreeSet::new();
    for (name, text) in listings() {
        let target = name.split('.').next().expect("a target");
        let mut within = "";
        for line in text.lines() {
            within = kernel(line).unwrap_or(within);
            let Some(opcode) = opcode(line) else { continue };
            if !is_atomic(opcode) {
                continue;
            }
            let plain = |form: &str| form.replace("::", "_").replace('.', "_").replace("_L2_cache_hint", "");
            let wanted = plain(within);
            let known = origins(opcode).iter().any(|origin| {
                origin.targets.contains(&target) && words(&plain(&origin.form)).is_subset(&words(&wanted))
            });
            assert!(known, "{name}: {within} holds {opcode}, generated from {:?}", origins(opcode));
            seen.insert(opcode.to_owned());
        }
    }
    assert!(seen.len() > 100, "{seen:?}");
}

fn is_atomic(opcode: &str) -> bool {
    ["ATOM", "RED.", "REDG.", "LDGMC."].iter().any(|start| opcode.starts_with(start))
}

#[test]
fn the_linter_finds_no_fault_with_a_listing() {
    for (name, text) in listings() {
        let diagnostics = Text::parse(Language::Sass, &text).under(Settings::default()).diagnostics();
        assert!(diagnostics.is_empty(), "{name}: {:?}", diagnostics[0]);
    }
}

fn words(form: &str) -> BTreeSet<&str> {
    form.split('_').collect()
}
