//! Helix: its queries fit the grammars and use its scopes. What it displays was checked by hand.

use tree_sitter::{Language, Query};

/// The first words of the scopes that Helix's themes define, and of the captures of its indents and text objects.
const SCOPES: &str = "attribute comment constant function keyword label namespace operator punctuation string type variable indent outdent parameter";

#[test]
fn queries_of_helix_fit_the_grammars_and_its_scopes() {
    let languages: [(&str, Language); 2] =
        [("ptx", grammar::LANGUAGE.into()), ("nvsass", grammar::sass::LANGUAGE.into())];
    for (name, language) in languages {
        let folder = support::root().join("editors/helix/queries").join(name);
        for file in std::fs::read_dir(&folder).expect("a folder of queries") {
            let path = file.expect("an entry").path();
            let text = std::fs::read_to_string(&path).expect("a query");
            let query = Query::new(&language, &text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            for capture in query.capture_names() {
                let first = capture.split('.').next().unwrap_or_default();
                assert!(SCOPES.split(' ').any(|scope| scope == first), "{}: @{capture}", path.display());
            }
        }
    }
}
