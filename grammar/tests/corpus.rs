//! The corpus: every text under `test/corpus` gives exactly the tree that is written beside it.
//!
//! The files have the format of `tree-sitter test`, which passes on them too; this reader needs no command-line tool.

mod common;

struct Case {
    name: String,
    text: String,
    tree: String,
}

fn cases(content: &str) -> Vec<Case> {
    let bar = "=".repeat(80) + "\n";
    let line = "-".repeat(80);
    let mut parts = content.split(&bar);
    assert_eq!(parts.next(), Some(""), "a corpus file starts with a bar");
    let mut found = Vec::new();
    while let (Some(name), Some(body)) = (parts.next(), parts.next()) {
        let (text, tree) = body.split_once(&format!("\n{line}\n")).expect("a line between text and tree");
        found.push(Case {
            name: name.trim().to_owned(),
            text: text.trim_matches('\n').to_owned() + "\n",
            tree: tree.to_owned(),
        });
    }
    found
}

fn on_one_line(tree: &str) -> String {
    tree.split_whitespace().collect::<Vec<_>>().join(" ").replace(" )", ")")
}

#[test]
fn every_case_gives_its_tree() {
    let mut parser = common::parser();
    let mut count = 0;
    let mut wrong = Vec::new();
    let mut files: Vec<_> = std::fs::read_dir(common::folder().join("test/corpus"))
        .expect("the corpus is part of the repository")
        .map(|entry| entry.expect("a readable folder").path())
        .collect();
    files.sort();
    assert!(files.len() >= 15, "areas are missing");
    for file in files {
        for case in cases(&std::fs::read_to_string(&file).expect("a readable corpus file")) {
            count += 1;
            let tree = parser.parse(&case.text, None).expect("a tree");
            let found = tree.root_node().to_sexp();
            if on_one_line(&found) != on_one_line(&case.tree) {
                wrong.push(format!("{}: {}\n  found {found}", file.display(), case.name));
            }
            let rejected = case.name.starts_with("rejected: ");
            assert!(rejected || case.name.starts_with("accepted: "), "{}: no verdict in the name", case.name);
            if tree.root_node().has_error() != rejected {
                wrong.push(format!("{}: {} contradicts the assembler's verdict", file.display(), case.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= 500, "only {count} cases were read");
}

#[test]
fn a_wrong_tree_is_noticed() {
    let one = format!("{0}\naccepted: x\n{0}\n\n.func f();\n\n{1}\n\n(module)\n", "=".repeat(80), "-".repeat(80));
    let case = &cases(&one)[0];
    let tree = common::parser().parse(&case.text, None).expect("a tree");
    assert_ne!(on_one_line(&tree.root_node().to_sexp()), on_one_line(&case.tree));
}
