//! Links to other files: the paths of `.file` directives.

use diagnostics::Snapshot;
use std::ops::Range;
use syntax::{NodeKind, TokenClass, TokenEvent, token_events};

/// A path in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The range of the path, without quotes.
    pub range: Range<usize>,
    /// The path.
    pub path: String,
}

/// Links to other files.
pub trait DocumentLinkProvider {
    /// The links, in text order.
    fn document_links(&self) -> Vec<Link> {
        Vec::new()
    }
}

impl DocumentLinkProvider for Snapshot {
    fn document_links(&self) -> Vec<Link> {
        let mut links = Vec::new();
        let file = &self.file;
        for item in file.items() {
            // Functions and sections contain no `.file`.
            if item.len() > 4096 || !file.holds(item.clone(), ".file") {
                continue;
            }
            let mut inside = false;
            token_events(file, item.clone(), |piece| match piece {
                TokenEvent::Enter(NodeKind::FileDirective, _) => inside = true,
                TokenEvent::Leave(NodeKind::FileDirective, _) => inside = false,
                TokenEvent::Token(token)
                    if inside
                        && token.kind == TokenClass::String
                        && token.range.start >= item.start
                        && token.range.end <= item.end
                        && token.range.len() > 2 =>
                {
                    let range = token.range.start + 1..token.range.end - 1;
                    links.push(Link { path: file.slice(&range), range });
                }
                _ => {}
            });
        }
        links.dedup();
        links
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::names::tests::snapshot;

    #[test]
    fn the_paths_of_files() {
        let text = ".version 8.0\n.target sm_90\n.file 1 \"/tmp/a b.cu\"\n.file\t2 \"x.h\", 1, 2\n.file 3 \"\"\n.pragma \"nounroll\";\n// .file 4 \"c\"\n";
        let links = snapshot(text).document_links();
        let shown: Vec<_> = links.iter().map(|link| (&text[link.range.clone()], &*link.path)).collect();
        assert_eq!(shown, [("/tmp/a b.cu", "/tmp/a b.cu"), ("x.h", "x.h")]);
        assert_eq!(snapshot(".file 1 \"unclosed").document_links(), []);
    }
}
