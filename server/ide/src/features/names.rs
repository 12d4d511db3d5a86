//! Names in a text: the one at an offset, and all occurrences of a symbol.

use diagnostics::Snapshot;
use std::ops::Range;
use syntax::{
    Declaration, DeclarationKind, DeclarationSite, NodeKind, ResolvedName, RopeReader, Scopes, SourceFile, TokenClass,
    TokenEvent, is_name_char, statements_with, token_events, tokens_in,
};

/// How a name is accessed, by its position in the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameAccess {
    /// The name is declared here.
    Declare,
    /// Its value is read.
    Read,
    /// It is written.
    Write,
}

/// A name in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NameToken {
    pub text: String,
    pub range: Range<usize>,
    /// Whether it is in a debug section, outside of any scope.
    pub data: bool,
}

/// The name at an offset.
pub(crate) fn name_at(file: &SourceFile, offset: usize) -> Option<NameToken> {
    let offset = file.clamp(offset);
    let touches = |range: &Range<usize>| range.start <= offset && offset <= range.end;
    let mut found = None;
    tokens_in(file, offset..offset, |token| match token.kind {
        TokenClass::Name if touches(&token.range) => {
            found = Some(NameToken { text: file.slice(&token.range), range: token.range, data: false })
        }
        TokenClass::Data if touches(&token.range) => {
            found = found.take().or_else(|| word_at(file, token.range, offset))
        }
        _ => {}
    });
    found
}

/// Whether text typed at an offset is part of a comment: inside one, or at the end of a line comment.
pub(crate) fn in_comment(file: &SourceFile, offset: usize) -> bool {
    let mut inside = false;
    tokens_in(file, offset..offset, |token| {
        if token.kind == TokenClass::Comment && token.range.start < offset {
            let to_line_end = file.slice(&(token.range.start..token.range.start + 2)) == "//";
            inside |= offset < token.range.end || (to_line_end && offset == token.range.end);
        }
    });
    inside
}

/// The word around an offset in a debug section.
fn word_at(file: &SourceFile, within: Range<usize>, offset: usize) -> Option<NameToken> {
    let rope = file.text();
    let middle = rope.byte_to_char(offset);
    let mut before = rope.chars_at(middle);
    let left = std::iter::from_fn(|| before.prev()).take_while(|c| is_name_char(*c)).count();
    let right = rope.chars_at(middle).take_while(|c| is_name_char(*c)).count();
    // The characters of a word are one byte each.
    let range = (offset - left).max(within.start)..(offset + right).min(within.end);
    let text = file.slice(&range);
    let directive = range.start > 0 && rope.byte(range.start - 1) == b'.';
    let named = !directive && text.starts_with(|c: char| is_name_char(c) && !c.is_ascii_digit());
    named.then_some(NameToken { text, range, data: true })
}

/// Whether a function is a kernel, which the host launches.
pub(crate) fn is_kernel(file: &SourceFile, function: &DeclarationSite) -> bool {
    let head = file.slice(&(function.whole.start..function.declaration.name.range.start));
    head.split_whitespace().any(|word| word == ".entry")
}

/// Space, vector and type of a declaration: `.global .v4 .f32`.
pub(crate) fn type_words(declaration: &Declaration) -> String {
    let words = [&declaration.space.text, &declaration.vector.text, &declaration.ty.text];
    words.into_iter().map(|word| &**word).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The symbol that a name refers to.
pub(crate) fn meaning(scopes: &Scopes, named: &NameToken) -> Option<ResolvedName> {
    if named.data {
        return in_data(scopes, &named.text).map(|symbol| ResolvedName { symbol, member: None });
    }
    in_scope(scopes, &named.text, named.range.start)
}

/// The symbol that a name at an offset refers to, outside of debug sections.
pub(crate) fn in_scope(scopes: &Scopes, text: &str, start: usize) -> Option<ResolvedName> {
    // A declaration does not refer to an outer declaration of the same name.
    scopes.declared_at(text, start).or_else(|| scopes.find(text, start))
}

/// The symbol that a name in a debug section refers to: a name of the module, or the only label of that name.
fn in_data(scopes: &Scopes, name: &str) -> Option<usize> {
    let all = scopes.named(name);
    let global = all.iter().find(|symbol| scopes.symbols()[**symbol].global).copied();
    let mut labels = all.iter().filter(|symbol| scopes.symbols()[**symbol].kind() == DeclarationKind::Label);
    global.or_else(|| labels.next().filter(|_| labels.next().is_none()).copied())
}

/// The scopes needed to resolve a name: those of its function, or all if it is in a debug section.
pub(crate) fn scopes_for<'a>(snapshot: &'a Snapshot, named: &NameToken) -> Scopes<'a> {
    let within = if named.data { 0..snapshot.file.text().len_bytes() } else { named.range.clone() };
    Scopes::of_names(&snapshot.file, within, &[&named.text])
}

/// A reference to a symbol, or its declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Occurrence {
    pub range: Range<usize>,
    pub access: NameAccess,
}

/// All occurrences of a symbol, ordered. If `meant` has a member, only those of that member of a register range.
pub(crate) fn occurrences(snapshot: &Snapshot, symbol: &syntax::Symbol, meant: ResolvedName) -> Vec<Occurrence> {
    let file = &snapshot.file;
    let all = 0..file.text().len_bytes();
    let base = symbol.name();
    let name = meant.member.map_or(base.to_owned(), |index| format!("{base}{index}"));
    let scope = if symbol.global { all.clone() } else { symbol.scope.clone() };
    let range = symbol.first().count.is_some();
    let label = symbol.kind() == DeclarationKind::Label;
    let declared: Vec<usize> = symbol.declarations.iter().map(|one| one.declaration.name.range.start).collect();
    let first = declared[0];
    // Indices of symbols differ between scopes, so the symbol is identified by its first declaration.
    let wanted = |function: Range<usize>| {
        function.end >= scope.start && function.start <= scope.end && file.holds(function, base)
    };
    // The members of a range have too many names.
    let is_one = !range || meant.member.is_some();
    let names = [name.as_str()];
    let scopes = if is_one { Scopes::of_names(file, scope.clone(), &names) } else { Scopes::inside(file, &wanted) };
    let is_meant = |text: &str, at: usize| {
        let shape = text == name
            || (range && (text == base || (meant.member.is_none() && text.strip_prefix(base).is_some_and(is_number))));
        if !shape {
            return false;
        }
        if declared.contains(&at) {
            return true;
        }
        let found = scopes.find(text, at);
        found.is_some_and(|found| {
            let same = scopes.symbols()[found.symbol].first().name.range.start == first;
            same && (meant.member.is_none() || found.member == meant.member)
        })
    };
    let mut found = Vec::new();
    // Debug sections refer to labels, although they are outside of the functions.
    let outside = if label { file.other_items() } else { Vec::new() };
    for item in file.items_in(scope.clone()).into_iter().chain(outside) {
        let near = item.start <= scope.end && scope.start <= item.end;
        if !file.holds(item.clone(), base) {
            continue;
        }
        let within = if near { item.start.max(scope.start)..item.end.min(scope.end) } else { item };
        let statements = if is_one { statements_with(file, within.clone(), &names) } else { None };
        for part in statements.map_or_else(|| vec![within], |parts| parts.into_iter().map(inner).collect()) {
            let mut place = AccessTracker::new(file);
            token_events(file, part, |event| {
                if let TokenEvent::Token(token) = &event
                    && token.kind == TokenClass::Data
                    && (label || symbol.global)
                {
                    let words = words_of(&file.slice(&token.range), &name, token.range.start);
                    found.extend(words.into_iter().map(|range| Occurrence { range, access: NameAccess::Read }));
                }
                if let Some((text, range, access)) = place.process(event).filter(|_| near)
                    && is_meant(&text, range.start)
                {
                    let access = if declared.contains(&range.start) { NameAccess::Declare } else { access };
                    found.push(Occurrence { range, access });
                }
            });
        }
    }
    found.sort_by_key(|one| one.range.start);
    found.dedup();
    found
}

/// A statement without its first and last byte, so that its neighbours do not touch it.
fn inner(statement: Range<usize>) -> Range<usize> {
    let start = (statement.start + 1).min(statement.end);
    start..(statement.end.saturating_sub(1)).max(start)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// The ranges of a whole word in a text that begins at `from`.
fn words_of(text: &str, word: &str, from: usize) -> Vec<Range<usize>> {
    let whole = |at: &usize| {
        !text[..*at].ends_with(is_name_char)
            && !text[at + word.len()..].starts_with(is_name_char)
            && !text[..*at].ends_with('.')
    };
    text.match_indices(word).map(|(at, _)| at).filter(whole).map(|at| from + at..from + at + word.len()).collect()
}

/// Follows token events and determines for each name whether it is written or read.
pub(crate) struct AccessTracker<'a> {
    reader: RopeReader<'a>,
    /// Whether the mnemonic of the instruction was seen, and whether its first operand is only read.
    mnemonic: bool,
    reads: bool,
    operand: usize,
    depth: usize,
    address: bool,
}

/// Instructions that only read their first operand.
pub(crate) const READ_ONLY_MNEMONICS: &[&str] = &[
    "bar",
    "barrier",
    "bra",
    "brx",
    "call",
    "griddepcontrol",
    "nanosleep",
    "pmevent",
    "red",
    "ret",
    "setmaxnreg",
    "st",
    "stackrestore",
];

impl<'a> AccessTracker<'a> {
    pub fn new(file: &'a SourceFile) -> Self {
        AccessTracker {
            reader: RopeReader::new(file.text()),
            mnemonic: false,
            reads: false,
            operand: 0,
            depth: 0,
            address: false,
        }
    }

    /// The text, range and access of a name, if the event is one.
    pub fn process(&mut self, event: TokenEvent) -> Option<(String, Range<usize>, NameAccess)> {
        match event {
            TokenEvent::Enter(NodeKind::Instruction, _) => {
                (self.mnemonic, self.operand, self.depth, self.address) = (false, 0, 0, false)
            }
            TokenEvent::Leave(NodeKind::Instruction, _) => self.mnemonic = false,
            // `call (results), f, (arguments)`
            TokenEvent::Enter(NodeKind::Arguments, _) if self.operand == 0 => self.reads = false,
            TokenEvent::Token(token) => match token.kind {
                TokenClass::Mnemonic => {
                    let mnemonic = self.reader.read(token.range);
                    (self.mnemonic, self.reads) = (true, READ_ONLY_MNEMONICS.contains(&&*mnemonic.text));
                }
                TokenClass::Punctuation if self.mnemonic => match &*self.reader.read(token.range).text {
                    "[" => (self.depth, self.address) = (self.depth + 1, true),
                    "(" | "{" => self.depth += 1,
                    "]" | ")" | "}" => self.depth = self.depth.saturating_sub(1),
                    "," if self.depth == 0 => (self.operand, self.address) = (self.operand + 1, false),
                    _ => {}
                },
                TokenClass::Name => {
                    let writes = self.mnemonic && self.operand == 0 && !self.reads && !self.address;
                    let access = if writes { NameAccess::Write } else { NameAccess::Read };
                    let token = self.reader.read(token.range);
                    return Some((token.text.into_owned(), token.range, access));
                }
                _ => {}
            },
            _ => {}
        }
        None
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use diagnostics::Settings;

    /// A snapshot of a text without settings.
    pub(crate) fn snapshot(text: &str) -> Snapshot {
        Snapshot::new(SourceFile::parse(text), Settings::default())
    }

    /// A text without its `$0` marks, and where they stood.
    pub(crate) fn marked(text: &str) -> (String, Vec<usize>) {
        let mut plain = String::new();
        let mut marks = Vec::new();
        for part in text.split("$0") {
            plain += part;
            marks.push(plain.len());
        }
        marks.pop();
        (plain, marks)
    }

    #[test]
    fn the_name_that_an_offset_touches() {
        let name = |text: &str| {
            let (plain, marks) = marked(text);
            name_at(&snapshot(&plain).file, marks[0]).map(|named| named.text)
        };
        assert_eq!(name(".entry k() { add.u32 $0a, b, 1; }").as_deref(), Some("a"));
        assert_eq!(name(".entry k() { add.u32 a$0, b, 1; }").as_deref(), Some("a"));
        assert_eq!(name(".entry k() { ld.u32 a, [ba$0se+4]; }").as_deref(), Some("base"));
        assert_eq!(name(".entry k() { @!p$0 bra L; }").as_deref(), Some("p"));
        assert_eq!(name(".entry k() { a$0dd.u32 a, b, 1; }"), None);
        assert_eq!(name(".entry k() { // a$0\n }"), None);
        assert_eq!(name(".section .debug_x\n{\n.b64 $L__x$0+4\n}\n").as_deref(), Some("$L__x"));
        let comment = snapshot("// a\n/* b */ c");
        let inside: Vec<usize> = (0..=14).filter(|at| in_comment(&comment.file, *at)).collect();
        assert_eq!(inside, [1, 2, 3, 4, 6, 7, 8, 9, 10, 11]);
        assert_eq!(name_at(&snapshot("é").file, 1), None);
        assert_eq!(name_at(&snapshot("").file, 9), None);
    }
}
