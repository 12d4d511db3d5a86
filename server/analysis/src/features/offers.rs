//! Completion beside opcodes: directives, types, registers, symbols, labels, special registers and whole instructions.

use super::directives::{DIRECTIVES, TYPES, Where};
use super::fit::{SPACES, Wanted, bits_of, rank};
use super::names::{in_comment, in_scope};
use super::special::SPECIALS;
use super::typed::{Operands, Typed};
use crate::Snapshot;
use crate::module::Context;
use isa::types::{Op, Type};
use isa::{Instruction, Module, Resolution, Role, Spelling};
use std::ops::Range;
use syntax::{Construct, DeclarationKind, Piece, Scopes, SourceFile, Symbol, pieces};

/// What is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfferKind {
    /// A directive.
    Directive,
    /// A type.
    Type,
    /// A register.
    Register,
    /// A variable in a state space.
    Variable,
    /// A parameter.
    Parameter,
    /// A function.
    Function,
    /// A label.
    Label,
    /// A special register, or a part of one.
    SpecialRegister,
    /// A whole instruction.
    Instruction,
}

/// One offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// What the list shows and filters by.
    pub label: String,
    /// What it is.
    pub kind: OfferKind,
    /// What accepting it replaces.
    pub range: Range<usize>,
    /// What then stands there.
    pub text: String,
    /// Whether `text` is a snippet of the protocol, with `${1:places}` to fill in.
    pub snippet: bool,
    /// A few words beside the label.
    pub detail: String,
    /// Markdown.
    pub documentation: String,
}

/// How many members of one register range are offered.
const MEMBERS: u64 = 64;

/// What may be written at an offset beside opcodes, the most fitting first.
pub fn more_completions(snapshot: &Snapshot, offset: usize) -> Vec<Offer> {
    let file = &snapshot.file;
    let offset = file.clamp(offset);
    if in_comment(file, offset) {
        return Vec::new();
    }
    let typed = Typed::before(file, offset);
    let list = List { snapshot, offset, word: typed.word().to_owned(), offers: Vec::new() };
    let mut list = list;
    if typed.in_guard() {
        list.names(&Wanted { bits: Some(1), ..Wanted::default() });
    } else if let Some(operands) = typed.operands() {
        list.operands(&operands);
    } else {
        list.statement(typed.unguarded(), typed.text().starts_with('@'));
    }
    list.finish()
}

struct List<'a> {
    snapshot: &'a Snapshot,
    offset: usize,
    word: String,
    /// Each with its rank, the smallest first.
    offers: Vec<(u32, Offer)>,
}

impl List<'_> {
    fn finish(mut self) -> Vec<Offer> {
        let word = self.word;
        self.offers.retain(|(_, offer)| offer.label.starts_with(&word) && offer.label != word);
        self.offers.sort_by_key(|(rank, _)| *rank);
        self.offers.into_iter().map(|(_, offer)| offer).collect()
    }

    fn offer(&mut self, rank: u32, kind: OfferKind, label: String, detail: String, documentation: &str) {
        let range = self.offset - self.word.len()..self.offset;
        let offer = Offer {
            text: label.clone(),
            label,
            kind,
            range,
            snippet: false,
            detail,
            documentation: documentation.to_owned(),
        };
        self.offers.push((rank, offer));
    }

    /// At the beginning of a statement, or within a directive.
    fn statement(&mut self, text: &str, guarded: bool) {
        let body = in_body(&self.snapshot.file, self.offset);
        let begins = text.len() == self.word.len();
        let head = !body && (text.contains(".entry") || text.contains(".func"));
        let closed = text.matches('(').count() <= text.matches(')').count();
        if begins {
            let fits = |place| place == Where::Both || place == if body { Where::Body } else { Where::Module };
            self.directives(|place| !guarded && fits(place));
            if body && !self.word.starts_with('.') {
                self.instructions();
            }
        } else if head && closed {
            self.directives(|place| place == Where::Head);
        } else if text.starts_with('.') {
            self.declaration(head);
        }
    }

    fn directives(&mut self, fits: impl Fn(Where) -> bool) {
        for (rank, directive) in (0u32..).zip(DIRECTIVES) {
            if fits(directive.place) {
                self.offer(rank, OfferKind::Directive, directive.word.to_owned(), String::new(), directive.about);
                let snippet = !directive.rest.is_empty();
                if let Some((_, offer)) = self.offers.last_mut().filter(|_| snippet) {
                    (offer.text, offer.snippet) = (format!("{}{}", directive.word, directive.rest), true);
                }
            }
        }
    }

    /// Inside a declaration: types, and the words that go before them.
    fn declaration(&mut self, parameters: bool) {
        for (rank, (ty, about)) in (0u32..).zip(TYPES) {
            self.offer(rank, OfferKind::Type, (*ty).to_owned(), (*about).to_owned(), "");
        }
        if parameters {
            self.offer(0, OfferKind::Directive, ".param".to_owned(), String::new(), "A parameter.");
        }
        for (rank, directive) in (100u32..).zip(DIRECTIVES) {
            if directive.place == Where::Inside {
                self.offer(rank, OfferKind::Directive, directive.word.to_owned(), String::new(), directive.about);
            }
        }
    }

    /// One instruction for each operation of the tables that the module has, operands to fill in.
    fn instructions(&mut self) {
        let module = Context::new(self.snapshot).module;
        for family in isa::families() {
            let operations = Op::ALL.iter().map(|op| Some(*op)).chain([None]);
            for op in operations {
                let Some((opcode, instruction)) = sample(family.name, op, &module) else { continue };
                let mut text = opcode.clone();
                for (index, operand) in instruction.operands().enumerate() {
                    let name = operand.name.trim_matches(['[', ']']);
                    let place = format!("${{{}:{name}}}", index + 1);
                    text += if index == 0 { " " } else { ", " };
                    text += &if operand.role == Role::Address { format!("[{place}]") } else { place };
                }
                self.offer(200, OfferKind::Instruction, opcode, String::new(), family.about);
                if let Some((_, offer)) = self.offers.last_mut() {
                    (offer.text, offer.snippet) = (text + ";", true);
                }
            }
        }
    }

    fn operands(&mut self, operands: &Operands) {
        if let Some((name, typed)) = self.word.clone().split_once('.') {
            return self.parts(name, typed);
        }
        let mut words = operands.opcode.split('.');
        let mnemonic = words.next().unwrap_or_default();
        let modifiers: Vec<&str> = words.collect();
        let space = modifiers.iter().find_map(|word| SPACES.iter().find(|(name, _)| word.starts_with(name)));
        let space = space.map(|(_, space)| *space);
        let address = operands.bracket == Some('[');
        let wanted = match mnemonic {
            "bra" | "brx" => Wanted { labels: true, ..Wanted::default() },
            "call" => Wanted { functions: operands.bracket.is_none(), ..Wanted::default() },
            _ if address => Wanted { bits: Some(64), space, address, ..Wanted::default() },
            _ => Wanted { bits: self.bits(mnemonic, &modifiers, operands), space, ..Wanted::default() },
        };
        self.names(&wanted);
        if !wanted.labels && !address {
            self.specials(wanted.bits);
        }
    }

    /// The width that an operand should have: from the tables where they know the instruction, else from its types.
    fn bits(&self, mnemonic: &str, modifiers: &[&str], operands: &Operands) -> Option<u32> {
        let module = Context::new(self.snapshot).module;
        if let Resolution::Legal(instruction) = isa::resolve(&Spelling { mnemonic, modifiers }, &module) {
            return instruction.operands().nth(operands.index).map(|operand| operand.ty.bits());
        }
        if mnemonic == "setp" && operands.index == 0 {
            return Some(1);
        }
        let mut types = modifiers.iter().filter_map(|word| bits_of(word));
        let first = types.next();
        if operands.index == 0 { first } else { types.next_back().or(first) }
    }

    fn parts(&mut self, name: &str, _typed: &str) {
        let special = super::special::find(name);
        let parts =
            if special.is_some_and(|special| special.parts) { &["x", "y", "z"][..] } else { &["x", "y", "z", "w"] };
        for part in parts {
            let about = special.map_or("", |special| special.about);
            self.offer(0, OfferKind::SpecialRegister, format!("{name}.{part}"), String::new(), about);
        }
    }

    fn specials(&mut self, bits: Option<u32>) {
        for (rank, special) in (300u32..).zip(SPECIALS) {
            let fits = bits.is_none() || bits_of(&special.ty[1..]) == bits;
            let rank = if fits { rank } else { rank + 100 };
            let label = if special.count > 0 { format!("{}0", special.name) } else { special.name.to_owned() };
            self.offer(rank, OfferKind::SpecialRegister, label, special.ty.to_owned(), special.about);
        }
    }

    /// The names that are visible here, the fitting ones first.
    fn names(&mut self, wanted: &Wanted) {
        let snapshot = self.snapshot;
        let scopes = Scopes::new(&snapshot.file, self.offset..self.offset);
        for symbol in scopes.symbols() {
            let around = symbol.global || (symbol.scope.start < self.offset && self.offset <= symbol.scope.end);
            if around && let Some(rank) = rank(symbol, wanted) {
                self.symbol(&scopes, symbol, rank);
            }
        }
    }

    fn symbol(&mut self, scopes: &Scopes, symbol: &Symbol, rank: u32) {
        let declaration = symbol.first();
        // What is declared behind the cursor, or hidden by an inner name, is not meant here.
        let offset = self.offset;
        let meant = |name: &str| {
            in_scope(scopes, name, offset).map(|found| scopes.symbols()[found.symbol].first().name.range.start)
        };
        let mine = Some(declaration.name.range.start);
        let later = symbol.kind() != DeclarationKind::Label && declaration.name.range.start > self.offset;
        let kind = match symbol.kind() {
            DeclarationKind::Register => OfferKind::Register,
            DeclarationKind::Variable if declaration.space.text == ".param" => OfferKind::Parameter,
            DeclarationKind::Variable => OfferKind::Variable,
            DeclarationKind::Function => OfferKind::Function,
            DeclarationKind::Label => OfferKind::Label,
        };
        let detail = format!("{}{}", declaration.space.text, declaration.ty.text);
        let name = symbol.name();
        match declaration.count {
            None if !later && meant(name) == mine => self.offer(rank, kind, name.to_owned(), detail, ""),
            None => {}
            Some(_) if later => {}
            Some(count) => {
                // The digits that are typed already choose among the members.
                let digits = self.word.strip_prefix(name).unwrap_or_default().to_owned();
                let starts = |index: &u64| index.to_string().starts_with(&digits);
                let members: Vec<u64> = (0..count.min(1 << 16)).filter(starts).take(MEMBERS as usize).collect();
                for member in members {
                    let label = format!("{name}{member}");
                    if meant(&label) == mine {
                        self.offer(rank, kind, label, detail.clone(), "");
                    }
                }
            }
        }
    }
}

/// An opcode for an operation: with a state space and a type that the module has.
fn sample(family: &str, op: Option<Op>, module: &Module) -> Option<(String, Instruction)> {
    const TYPICAL: &[Type] = &[Type::U32, Type::B32, Type::F32, Type::F16x2];
    let mut name = family.split('.');
    let mnemonic = name.next()?;
    let fixed: Vec<&str> = name.collect();
    TYPICAL.iter().find_map(|ty| {
        let words: Vec<&str> =
            fixed.iter().copied().chain(["global"]).chain(op.map(Op::word)).chain([ty.word()]).collect();
        let spelling = Spelling { mnemonic, modifiers: &words };
        // Most are not, and why costs more than whether.
        isa::is_legal(&spelling, module).filter(|legal| *legal)?;
        let Resolution::Legal(instruction) = isa::resolve(&spelling, module) else { return None };
        let order = instruction.conventional();
        let text = order.iter().fold(mnemonic.to_owned(), |text, at| text + "." + words[*at]);
        Some((text, instruction))
    })
}

/// Whether an offset lies in the body of a function: by the tree, and where that is broken by the braces before it.
fn in_body(file: &SourceFile, offset: usize) -> bool {
    let mut body = false;
    pieces(file, offset..offset, |piece| {
        if let Piece::Enter(Construct::Block, range) = piece {
            body |= range.start < offset && (offset < range.end || file.text().byte(range.end - 1) != b'}');
        }
    });
    if body {
        return true;
    }
    let rope = file.text();
    let mut chars = rope.chars_at(rope.byte_to_char(offset));
    let mut closed = 0usize;
    for c in std::iter::from_fn(|| chars.prev()).take(1 << 16) {
        match c {
            '}' => closed += 1,
            '{' if closed == 0 => return true,
            '{' => closed -= 1,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::names::tests::{marked, snapshot};

    fn offers(text: &str) -> Vec<Offer> {
        let (plain, marks) = marked(text);
        more_completions(&snapshot(&plain), marks[0])
    }

    fn labels(text: &str) -> Vec<String> {
        offers(text).into_iter().map(|offer| offer.label).collect()
    }

    fn first(text: &str) -> String {
        labels(text).first().cloned().unwrap_or_default()
    }

    const HEAD: &str = ".version 8.6\n.target sm_90\n.global .b32 counter;\n.shared .b32 tile;\n.func f();\n.entry k(.param .u64 p)\n{\n\
        .reg .pred %p<2>;\n.reg .b32 %r<3>;\n.reg .b64 %rd<3>;\n.reg .f32 x;\nL: ret;\n";

    #[test]
    fn registers_come_by_width() {
        let of = |statement: &str| labels(&format!("{HEAD}{statement}"));
        let wide = of("add.u64 %rd1, $0");
        assert_eq!(wide[..3], ["%rd0", "%rd1", "%rd2"]);
        let narrow = of("atom.global.add.u32 $0");
        assert_eq!(narrow[..4], ["%r0", "%r1", "%r2", "x"]);
        assert!(!narrow.contains(&"%p0".to_owned()) && !narrow.contains(&"L".to_owned()), "{narrow:?}");
        assert_eq!(of("@$0"), ["%p0", "%p1"]);
        assert_eq!(of("@!%p$0 bra L;"), ["%p0", "%p1"]);
        assert_eq!(of("setp.eq.u32 $0")[..2], ["%p0", "%p1"]);
        assert_eq!(of("add.u32 %r0, %rd$0"), ["%rd0", "%rd1", "%rd2"]);
    }

    #[test]
    fn symbols_come_by_space() {
        let of = |statement: &str| first(&format!("{HEAD}{statement}"));
        assert_eq!(of("atom.global.add.u32 %r0, [$0"), "counter");
        assert_eq!(of("ld.shared.u32 %r0, [$0"), "tile");
        assert_eq!(of("ld.param.u64 %rd0, [$0"), "p");
        assert_eq!(of("bra $0"), "L");
        assert_eq!(of("call $0"), "f");
        assert_eq!(labels(&format!("{HEAD}mov.u32 %r0, %tid.$0")), ["%tid.x", "%tid.y", "%tid.z"]);
        assert!(labels(&format!("{HEAD}mov.u32 %r0, %t$0")).contains(&"%tid".to_owned()));
    }

    #[test]
    fn directives_come_where_they_may_stand() {
        assert!(labels("$0").contains(&".version".to_owned()));
        assert_eq!(labels(".ver$0"), [".version"]);
        let body = labels(&format!("{HEAD}.$0"));
        assert!(body.contains(&".reg".to_owned()) && !body.contains(&".entry".to_owned()), "{body:?}");
        assert!(labels(".entry k() .max$0").contains(&".maxntid".to_owned()));
        assert_eq!(first(&format!("{HEAD}.reg $0")), ".b32");
        assert_eq!(labels(&format!("{HEAD}.reg .pr$0")), [".pred"]);
        assert!(labels(".entry k(.param .u$0").contains(&".u64".to_owned()));
        assert_eq!(labels("// .ver$0"), Vec::<String>::new());
    }

    #[test]
    fn whole_instructions_are_legal_once_filled_in() {
        let all: Vec<Offer> =
            offers(&format!("{HEAD}$0")).into_iter().filter(|offer| offer.kind == OfferKind::Instruction).collect();
        assert!(all.len() >= 25, "{}", all.len());
        for offer in &all {
            let text = format!(
                "{HEAD}{} }}",
                offer
                    .text
                    .replace("${1:", "")
                    .replace("${2:", "")
                    .replace("${3:", "")
                    .replace("${4:", "")
                    .replace('}', "")
            );
            // The names are left to the user.
            let findings = snapshot(&text).findings();
            assert!(findings.iter().all(|finding| finding.code == "unknown-name"), "{}: {findings:?}", offer.text);
        }
        let cas = all.iter().find(|offer| offer.label == "atom.global.cas.b32").unwrap();
        assert_eq!(cas.text, "atom.global.cas.b32 ${1:d}, [${2:a}], ${3:b}, ${4:c};");
        let guarded = labels(&format!("{HEAD}@!%p1 red.gl$0"));
        assert!(guarded.len() >= 5 && guarded.iter().all(|label| label.starts_with("red.global")), "{guarded:?}");
        let old = HEAD.replace("sm_90", "sm_60");
        assert!(labels(&format!("{old}$0")).iter().all(|label| !label.starts_with("multimem")));
    }

    #[test]
    fn hidden_and_later_names_are_not_offered() {
        let text = ".entry k() { .reg .b32 a; { .reg .b64 a; add.u32 $0; } .reg .b32 b; }";
        let of: Vec<_> = offers(text)
            .into_iter()
            .filter(|offer| offer.kind == OfferKind::Register)
            .map(|offer| offer.label + &offer.detail)
            .collect();
        assert_eq!(of, ["a.reg.b64"]);
    }

    #[test]
    fn any_place_of_any_text_is_answered() {
        for text in [HEAD, ".entry k( { .reg", "é \u{1F600} @", "{{{{ }", "\"", "mov a.b.c, "] {
            for offset in 0..=text.len() + 1 {
                let file = snapshot(text);
                for offer in more_completions(&file, offset) {
                    assert!(offer.range.start <= offer.range.end && offer.range.end <= text.len());
                }
            }
        }
    }
}
