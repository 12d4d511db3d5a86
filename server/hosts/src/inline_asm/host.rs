//! A host text, scanned on demand, and the PTX at an offset in it.

use super::fragment::AsmFragment;
use super::host_language::HostLanguage;
use super::statement::AsmStatement;
use super::unread::{FoundStatements, UnreadCode, UnreadStatements};
use crate::cpp::{self, Archs, MacroSet, Reachability};
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use syntax::Rope;

/// A text in a language with inline assembly. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct HostText {
    language: HostLanguage,
    rope: Rope,
    included: Arc<[MacroSet]>,
    scanned: Arc<OnceLock<ScannedHost>>,
}

/// The contiguous text and its statements.
#[derive(Debug)]
pub struct ScannedHost {
    /// The language.
    pub language: HostLanguage,
    /// The text as one string, and after it the bodies of macros from texts that include it.
    pub text: String,
    /// Its statements of inline assembly, in order.
    pub statements: Vec<AsmStatement>,
    /// Its code that is not read.
    pub unread: Vec<UnreadCode>,
    /// Its statements that are in no text that can be read.
    pub unread_statements: UnreadStatements,
    reach: OnceLock<Reachability>,
}

impl ScannedHost {
    /// The devices for which a build certainly compiles the statement at an offset. Of a kernel in Python none is certain:
    /// it is compiled when it is launched.
    pub fn compiled_for(&self, offset: usize) -> Archs {
        match self.language {
            HostLanguage::Cpp => self.reach.get_or_init(|| Reachability::of(&self.text)).certain(offset),
            _ => Archs::none(),
        }
    }
}

impl HostText {
    /// A text, not scanned yet.
    pub fn new(language: HostLanguage, text: &str) -> Self {
        HostText { language, rope: Rope::from_str(text), included: Arc::default(), scanned: Arc::default() }
    }

    /// The text with the macros of each place where others include it.
    pub fn included_with(self, included: Arc<[MacroSet]>) -> Self {
        HostText { included, scanned: Arc::default(), ..self }
    }

    /// The macros of each place where others include the text.
    pub fn included(&self) -> Arc<[MacroSet]> {
        self.included.clone()
    }

    /// The language.
    pub fn language(&self) -> HostLanguage {
        self.language
    }

    /// The text.
    pub fn rope(&self) -> &Rope {
        &self.rope
    }

    /// Applies edits in order. The scan is dropped, because a quote changes the meaning of everything after it.
    pub fn edit_all<'a>(&mut self, edits: impl IntoIterator<Item = (Range<usize>, &'a str)>) {
        for (range, new) in edits {
            syntax::replace(&mut self.rope, range, new);
        }
        self.scanned = Arc::default();
    }

    /// The scanned text.
    pub fn scanned(&self) -> &ScannedHost {
        self.scanned.get_or_init(|| {
            let mut text = self.rope.to_string();
            let FoundStatements { statements, unread, unread_statements } = match (self.language, &*self.included) {
                (HostLanguage::Cpp, [_, ..]) => {
                    let length = text.len();
                    cpp::append(&mut text, &self.included);
                    cpp::scan_included(&text, length, &self.included).into()
                }
                _ => self.language.scan(&text),
            };
            let (language, reach) = (self.language, OnceLock::new());
            ScannedHost { language, statements, unread, unread_statements, text, reach }
        })
    }

    /// The PTX at an offset of the host text, and the offset in it; if `#if`s leave a choice, the first one that contains the offset.
    pub fn at(&self, offset: usize) -> Option<(AsmFragment<'_>, usize)> {
        let (scanned, statement) = self.statement_at(offset)?;
        let all = statement.choices().into_iter().map(|choice| AsmFragment::new(&scanned.text, statement, &choice));
        all.filter(AsmFragment::is_ptx).find_map(|fragment| {
            let at = fragment.template.region.to_inner(offset)?;
            Some((fragment, at))
        })
    }

    /// The PTX of the literal that is typed at a place, and the place in it. The statement may be unfinished.
    pub fn typed_at(&self, offset: usize) -> Option<(AsmFragment<'_>, usize)> {
        let (scanned, statement) = self.statement_at(offset)?;
        statement.choices().into_iter().find_map(|choice| {
            let fragment = AsmFragment::typed_at(&scanned.text, statement, &choice, offset)?;
            let at = fragment.template.region.to_inner(offset)?;
            // Inside an escape there is no place to type at.
            let back = fragment.template.region.offset_to_host(at)?;
            (back == offset && fragment.may_become_ptx(at)).then_some((fragment, at))
        })
    }

    /// The last statement that begins before an offset, with the text. It may be unfinished, or end before the offset.
    pub fn statement_before(&self, offset: usize) -> Option<(&str, &AsmStatement)> {
        let scanned = self.scanned();
        let next = scanned.statements.partition_point(|statement| statement.range.start <= offset);
        Some((&scanned.text, &scanned.statements[next.checked_sub(1)?]))
    }

    fn statement_at(&self, offset: usize) -> Option<(&ScannedHost, &AsmStatement)> {
        let scanned = self.scanned();
        let next = scanned.statements.partition_point(|statement| statement.range.start <= offset);
        let before = next.checked_sub(1).map(|before| &scanned.statements[before]);
        let around = before.filter(|statement| offset <= statement.range.end);
        let defined = || scanned.statements.iter().find(|statement| statement.is_written_at(&(offset..offset)));
        Some((scanned, around.or_else(defined)?))
    }

    /// The PTX of every statement that touches a range, once for each choice of its `#if`s.
    pub fn within(&self, range: Range<usize>) -> impl Iterator<Item = AsmFragment<'_>> {
        let scanned = self.scanned();
        let touched = scanned.statements.iter().filter(move |statement| {
            statement.range.start <= range.end && range.start <= statement.range.end || statement.is_written_at(&range)
        });
        let all = touched.flat_map(|statement| statement.choices().into_iter().map(move |choice| (statement, choice)));
        all.map(|(statement, choice)| AsmFragment::new(&scanned.text, statement, &choice)).filter(AsmFragment::is_ptx)
    }
}
