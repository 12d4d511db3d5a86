//! Error recovery: one mutated token affects its own statement, and rarely more.

mod common;

use std::collections::HashMap;
use tree_sitter::Tree;

/// The texts of all statements, labels and function names without an error, and how often each occurs.
fn statements(tree: &Tree, text: &[u8]) -> HashMap<Vec<u8>, usize> {
    let mut found = HashMap::new();
    common::each_node(tree, |node| {
        let kept = match node.kind() {
            "instruction" | "label" | "register_declaration" | "variable_declaration" | "loc_directive" => Some(node),
            "function" => node.child_by_field_name("name"),
            _ => None,
        };
        if let Some(node) = kept.filter(|node| !node.has_error()) {
            *found.entry(text[node.byte_range()].to_vec()).or_default() += 1;
        }
    });
    found
}

fn lost(before: &HashMap<Vec<u8>, usize>, after: &HashMap<Vec<u8>, usize>) -> usize {
    before.iter().map(|(text, count)| count.saturating_sub(after.get(text).copied().unwrap_or(0))).sum()
}

/// Random tokens of real modules are deleted, or another is inserted before them, one at a time.
#[test]
fn a_mutated_token_affects_little_more_than_its_statement() {
    const STRAY: &[&str] = &["", "}", "{", ";", "\"", ")", "]", "[", ",", "@", "/*", "? ", "foo "];
    let mut parser = common::parser();
    for (name, text) in common::modules().into_iter().filter(|(name, _)| !name.contains("debug")) {
        let tree = parser.parse(&text, None).expect("a tree");
        let before = statements(&tree, &text);
        let total: usize = before.values().sum();
        let mut tokens = Vec::new();
        common::each_node(&tree, |node| {
            if node.child_count() == 0 && !node.byte_range().is_empty() {
                tokens.push(node.byte_range());
            }
        });
        let mut rng = fastrand::Rng::with_seed(42);
        let (trials, mut sum, mut beyond) = (1_500, 0, 0);
        for trial in 0..trials {
            let token = tokens[rng.usize(..tokens.len())].clone();
            let stray = STRAY[trial % STRAY.len()];
            let replaced = if stray.is_empty() { token } else { token.start..token.start };
            let mut changed = text.clone();
            changed.splice(replaced, stray.bytes());
            let after = parser.parse(&changed, None).expect("a tree");
            let cost = lost(&before, &statements(&after, &changed));
            sum += cost;
            // Allowed: two statements, and 1 % of all.
            beyond += usize::from(cost > 2 + total / 100);
        }
        assert!(sum < 2 * trials, "{name}: {sum} statements lost in {trials} trials");
        assert!(beyond * 50 < trials, "{name}: {beyond} of {trials} trials cost more than 1 % of {total} statements");
    }
}

fn errors(text: &str) -> Vec<String> {
    let tree = common::parser().parse(text, None).expect("a tree");
    let mut found = Vec::new();
    common::each_node(&tree, |node| {
        if node.is_missing() {
            found.push(format!("MISSING {} at {}", node.kind(), node.start_byte()));
        } else if node.is_error() {
            found.push(format!("ERROR {:?}", &text[node.byte_range()]));
        }
    });
    found
}

#[test]
fn a_missing_semicolon_is_reported() {
    assert_eq!(errors(".func f() { add.u32 a, b, c\n mul.lo.u32 a, b, c; }"), ["MISSING ; at 27"]);
}

#[test]
fn a_missing_brace_ends_at_the_next_function() {
    let text = ".func f() {\n add.u32 a, b, c;\n.visible .func g() { ret; }\n.func h() { ret; }";
    assert_eq!(errors(text), ["MISSING } at 29"]);
}

#[test]
fn after_an_extra_brace_the_rest_is_parsed() {
    let text = ".func f() { ret; }\n add.u32 a, b, c;\nL: ret; }\n.func g() { ret; }";
    let tree = common::parser().parse(text, None).expect("a tree");
    assert!(tree.root_node().has_error());
    let kept = statements(&tree, text.as_bytes());
    for statement in ["add.u32 a, b, c;", "L:", "ret;", "g"] {
        assert!(kept.contains_key(statement.as_bytes()), "{statement} is lost");
    }
}

#[test]
fn an_empty_text_is_well_formed() {
    assert!(errors("").is_empty());
    assert!(errors("// only a remark\r\n").is_empty());
}
