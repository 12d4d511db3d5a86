//! Folding ranges: bodies, blocks, basic blocks, parameters, sections, comments and the file table.

use diagnostics::Snapshot;
use std::ops::Range;
use syntax::{NodeKind, TokenClass, TokenEvent, token_events};

/// The content of a fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldKind {
    /// Statements, parameters or a section's data.
    Code,
    /// Comments.
    Comment,
    /// A table of `.file` directives.
    Files,
    /// The text between the comments `// #region` and `// #endregion`.
    Region,
}

/// One fold of several lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    /// From the end of the visible part (an opening bracket, a label, the first comment) to the end of the content.
    pub range: Range<usize>,
    /// Its content.
    pub kind: FoldKind,
}

/// Computes folding ranges.
pub trait FoldingRangeProvider {
    /// The folds, in text order.
    fn folding_ranges(&self) -> Vec<Fold> {
        Vec::new()
    }
}

impl FoldingRangeProvider for Snapshot {
    fn folding_ranges(&self) -> Vec<Fold> {
        let mut folder =
            Folder { snapshot: self, folds: Vec::new(), open: Vec::new(), regions: Vec::new(), last: 0, run: None };
        token_events(&self.file, 0..self.file.text().len_bytes(), |event| folder.process(event));
        folder.end_run();
        let Folder { mut folds, .. } = folder;
        folds.sort_by_key(|fold| (fold.range.start, fold.range.end));
        folds
    }
}

struct Folder<'s> {
    snapshot: &'s Snapshot,
    folds: Vec<Fold>,
    /// The start of the content of each open node.
    open: Vec<usize>,
    /// The end of the comment of each open region.
    regions: Vec<usize>,
    /// The end of the last token.
    last: usize,
    /// Comments or `.file` directives on consecutive lines: kind, the end of the first line, the end of all.
    run: Option<(FoldKind, usize, usize)>,
}

impl Folder<'_> {
    fn process(&mut self, event: TokenEvent) {
        match event {
            TokenEvent::Enter(NodeKind::FileDirective, range) => self.follow(FoldKind::Files, range),
            TokenEvent::Enter(NodeKind::Block | NodeKind::Parameters, range) => self.open.push(range.start + 1),
            TokenEvent::Enter(NodeKind::SectionBody, range) => self.open.push(range.start + 1),
            TokenEvent::Enter(NodeKind::BasicBlock, range) => self.open.push(range.start),
            TokenEvent::Leave(NodeKind::Label, range) => {
                if let Some(open) = self.open.last_mut() {
                    *open = range.end;
                }
            }
            TokenEvent::Leave(NodeKind::Block | NodeKind::Parameters | NodeKind::SectionBody, range) => {
                // The last token is the closing bracket; the fold ends before it.
                let closed = self.last == range.end;
                let inside = range.end - usize::from(closed);
                self.close(inside);
            }
            TokenEvent::Leave(NodeKind::BasicBlock, range) => self.close(range.end),
            TokenEvent::Token(token) => {
                if token.kind == TokenClass::Comment {
                    if self.mark(&token.range) {
                        self.end_run();
                    } else {
                        self.follow(FoldKind::Comment, token.range.clone());
                    }
                }
                self.last = token.range.end;
            }
            _ => {}
        }
    }

    fn close(&mut self, end: usize) {
        if let Some(start) = self.open.pop() {
            self.fold(FoldKind::Code, start, end);
        }
    }

    /// Adds a fold without the whitespace at its end.
    fn fold(&mut self, kind: FoldKind, start: usize, end: usize) {
        let rope = self.snapshot.file.text();
        let mut chars = rope.chars_at(rope.byte_to_char(end));
        let blanks: usize = std::iter::from_fn(|| chars.prev()).take_while(|c| c.is_ascii_whitespace()).count();
        let end = end.saturating_sub(blanks);
        if start < end && self.line(start) < self.line(end) {
            self.folds.push(Fold { range: start..end, kind });
        }
    }

    fn line(&self, byte: usize) -> usize {
        self.snapshot.file.text().byte_to_line(byte)
    }

    /// Opens or closes a region at a `#region` or `#endregion` comment; whether it is one.
    fn mark(&mut self, comment: &Range<usize>) -> bool {
        let rope = self.snapshot.file.text();
        let start = rope.byte_to_char(comment.start);
        let mut chars = rope.chars_at(start).take(rope.byte_to_char(comment.end) - start);
        if chars.by_ref().take(2).any(|c| c != '/') {
            return false;
        }
        let word: String =
            chars.skip_while(|c| c.is_whitespace()).take_while(|c| !c.is_whitespace()).take(11).collect();
        match word.as_str() {
            "#region" => self.regions.push(comment.end),
            "#endregion" => {
                if let Some(open) = self.regions.pop() {
                    self.fold(FoldKind::Region, open, comment.end);
                }
            }
            _ => return false,
        }
        true
    }

    /// Adds a comment or a `.file` directive to a run, or begins a new one.
    fn follow(&mut self, kind: FoldKind, range: Range<usize>) {
        let rope = self.snapshot.file.text();
        let line = self.line(range.start);
        let before = rope.byte_slice(rope.line_to_byte(line)..range.start);
        if before.chars().any(|c| !c.is_whitespace()) {
            return self.end_run();
        }
        match &mut self.run {
            Some((run, _, end)) if *run == kind && rope.byte_to_line(*end) + 1 == line => *end = range.end,
            _ => {
                self.end_run();
                let line_end = rope.line_to_byte((line + 1).min(rope.len_lines()));
                let first = rope.byte_slice(range.start..range.end.min(line_end));
                let first = first.len_bytes()
                    - first.chars_at(first.len_chars()).reversed().take_while(|c| c.is_whitespace()).count();
                self.run = Some((kind, range.start + first, range.end));
            }
        }
    }

    fn end_run(&mut self) {
        if let Some((kind, start, end)) = self.run.take() {
            self.fold(kind, start, end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::names::tests::snapshot;

    fn folded(text: &str) -> Vec<(FoldKind, String)> {
        snapshot(text).folding_ranges().into_iter().map(|fold| (fold.kind, text[fold.range].to_owned())).collect()
    }

    #[test]
    fn brackets_and_labels_stay_visible() {
        let text = ".entry k(\n .param .u64 p\n)\n{\n ret;\nL:\n exit;\n}\n.section .debug_x\n{\n.b8 1\n}\n";
        let code = |text: &str| (FoldKind::Code, text.to_owned());
        assert_eq!(
            folded(text),
            [code("\n .param .u64 p"), code("\n ret;\nL:\n exit;"), code("\n exit;"), code("\n.b8 1")]
        );
    }

    #[test]
    fn regions_fold_as_their_comments_say() {
        let text = "// #region outer\n.global .u32 a;\n//#region\n.global .u32 b;\n//#endregion inner\n// #endregion\n";
        let regions: Vec<_> = folded(text).into_iter().filter(|(kind, _)| *kind == FoldKind::Region).collect();
        let whole = text.trim_start_matches("// #region outer").trim_end();
        let inner = "\n.global .u32 b;\n//#endregion inner";
        assert_eq!(regions, [(FoldKind::Region, whole.to_owned()), (FoldKind::Region, inner.to_owned())]);
        for text in [
            "// #endregion\n// #region\n",
            "// #regions\n\n// #endregion\n",
            "/* #region\n */\n// #endregion\n",
            "//",
            "//#region",
        ] {
            assert!(folded(text).iter().all(|(kind, _)| *kind != FoldKind::Region), "{text}");
        }
    }

    #[test]
    fn comments_fold_as_a_run_and_one_line_never_does() {
        let text = "// a\n// b\n\n// c\n.entry k() { ret; } // d\n/* e\n f */\n.file 1 \"a\"\n.file 2 \"b\"\n";
        assert_eq!(
            folded(text),
            [
                (FoldKind::Comment, "\n// b".to_owned()),
                (FoldKind::Comment, "\n f */".to_owned()),
                (FoldKind::Files, "\n.file 2 \"b\"".to_owned())
            ]
        );
        for text in ["", "{", "/*", ".entry k() {\n", "// a\n//", "L:\n\n", "(\n\n)", "é\n// é\n// é"] {
            folded(text);
        }
    }
}
