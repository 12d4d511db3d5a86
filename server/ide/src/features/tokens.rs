//! Semantic tokens.

use super::names::in_scope;
use diagnostics::Snapshot;
use isa::directives::{self, DirectivePlace};
use isa::special;
use std::ops::Range;
use syntax::{DeclarationKind, NodeKind, RopeReader, Scopes, TokenClass, TokenEvent, is_name_char, token_events};

macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$doc])* $variant),* }

        impl $name {
            /// All of them, in the order of a legend.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// Its name in a legend: the standard one of the protocol if there is one.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $word),* }
            }
        }
    };
}

words! {
    /// The kind of a token.
    TokenKind {
        /// The first word of an opcode.
        Mnemonic = "keyword",
        /// A further word of an opcode.
        Modifier = "modifier",
        /// A type, in an opcode or a declaration.
        Type = "type",
        /// A register.
        Register = "variable",
        /// A predicate register.
        Predicate = "predicate",
        /// A variable in a state space.
        Variable = "property",
        /// A parameter.
        Parameter = "parameter",
        /// A function.
        Function = "function",
        /// A label.
        Label = "label",
        /// A directive.
        Directive = "macro",
        /// A number.
        Number = "number",
        /// A string.
        String = "string",
        /// A comment.
        Comment = "comment",
        /// A sign of an expression, and `!`.
        Operator = "operator",
        /// A special register, and the warp size.
        SpecialRegister = "enumMember",
    }
}

words! {
    /// A property of a token.
    TokenModifier {
        /// It is declared here.
        Declaration = "declaration",
        /// It is defined here.
        Definition = "definition",
        /// It cannot be written to: special registers, `.const` and parameters of kernels.
        Readonly = "readonly",
        /// It is predefined.
        DefaultLibrary = "defaultLibrary",
    }
}

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SemanticToken {
    /// Its range; a comment may span lines.
    pub range: Range<usize>,
    /// Its kind.
    pub kind: TokenKind,
    /// A bit for each of [`TokenModifier::ALL`].
    pub modifiers: u8,
}

impl TokenModifier {
    /// The bit of this modifier in a set.
    pub fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// Computes semantic tokens.
pub trait SemanticTokensProvider {
    /// The tokens in a range or in the whole text, in text order.
    fn semantic_tokens(&self, _within: Option<Range<usize>>) -> Vec<SemanticToken> {
        Vec::new()
    }
}

impl SemanticTokensProvider for Snapshot {
    fn semantic_tokens(&self, within: Option<Range<usize>>) -> Vec<SemanticToken> {
        let file = &self.file;
        let all = 0..file.text().len_bytes();
        let within =
            within.map_or(all, |range| file.clamp(range.start)..file.clamp(range.end).max(file.clamp(range.start)));
        let mut classifier = Classifier {
            reader: RopeReader::new(file.text()),
            scopes: Scopes::new(file, within.clone()),
            head: false,
            last: None,
            tokens: Vec::new(),
        };
        token_events(file, within.clone(), |event| classifier.process(event));
        let mut tokens = classifier.tokens;
        tokens.retain(|token| token.range.start <= within.end && within.start <= token.range.end);
        tokens
    }
}

struct Classifier<'a> {
    reader: RopeReader<'a>,
    scopes: Scopes<'a>,
    /// Whether the current words belong to `.target`.
    head: bool,
    /// The index of the last token, and whether it was a special register.
    last: Option<(usize, bool)>,
    tokens: Vec<SemanticToken>,
}

impl Classifier<'_> {
    fn process(&mut self, event: TokenEvent) {
        match event {
            TokenEvent::Enter(NodeKind::HeadDirective, _) => self.head = true,
            TokenEvent::Leave(NodeKind::HeadDirective, _) => self.head = false,
            TokenEvent::Token(token) => {
                let range = token.range;
                let after_special = self.last.is_some_and(|(end, special)| special && end == range.start);
                let (kind, modifiers) = match token.kind {
                    TokenClass::Mnemonic => (TokenKind::Mnemonic, 0),
                    TokenClass::Modifier if self.is_type(&range) => (TokenKind::Type, 0),
                    TokenClass::Modifier => (TokenKind::Modifier, 0),
                    TokenClass::Type => (TokenKind::Type, 0),
                    TokenClass::Directive if self.is_type(&range) => (TokenKind::Type, 0),
                    TokenClass::Directive => (TokenKind::Directive, 0),
                    TokenClass::Integer | TokenClass::Float => (TokenKind::Number, 0),
                    TokenClass::String => (TokenKind::String, 0),
                    TokenClass::Comment | TokenClass::LineMarker => (TokenKind::Comment, 0),
                    TokenClass::Operator => (TokenKind::Operator, 0),
                    TokenClass::Selector if after_special => (TokenKind::SpecialRegister, special_bits()),
                    TokenClass::Selector => (TokenKind::Variable, 0),
                    TokenClass::Name if self.head => (TokenKind::SpecialRegister, special_bits()),
                    TokenClass::Name => match self.name(&range) {
                        Some(found) => found,
                        None => return,
                    },
                    TokenClass::Punctuation | TokenClass::Data => return,
                };
                self.last = Some((range.end, kind == TokenKind::SpecialRegister));
                self.tokens.push(SemanticToken { range, kind, modifiers });
            }
            _ => {}
        }
    }

    /// Whether a modifier has the form of a type: one or two letters and a width.
    fn is_type(&mut self, range: &Range<usize>) -> bool {
        let token = self.reader.read(range.clone());
        let word = &token.text[1..];
        isa::types::Type::parse(word).is_some()
            || directives::at(DirectivePlace::Type).any(|ty| ty.word == token.text)
            || is_other_type(word)
    }

    fn name(&mut self, range: &Range<usize>) -> Option<(TokenKind, u8)> {
        let token = self.reader.read(range.clone());
        let Some(meant) = in_scope(&self.scopes, &token.text, range.start) else {
            return special::is_special(&token.text).then(|| (TokenKind::SpecialRegister, special_bits()));
        };
        let symbol = &self.scopes.symbols()[meant.symbol];
        let declaration = symbol.first();
        let kind = match symbol.kind() {
            DeclarationKind::Register if declaration.ty.text == ".pred" => TokenKind::Predicate,
            DeclarationKind::Register => TokenKind::Register,
            DeclarationKind::Variable if declaration.space.text == ".param" => TokenKind::Parameter,
            DeclarationKind::Variable => TokenKind::Variable,
            DeclarationKind::Function => TokenKind::Function,
            DeclarationKind::Label => TokenKind::Label,
        };
        let here = symbol.declarations.iter().find(|one| one.declaration.name.range.start == range.start);
        let mut modifiers = 0;
        if let Some(here) = here {
            modifiers |= TokenModifier::Declaration.bit();
            if here.definition {
                modifiers |= TokenModifier::Definition.bit();
            }
        }
        if declaration.space.text == ".const" || symbol.is_parameter() {
            modifiers |= TokenModifier::Readonly.bit();
        }
        Some((kind, modifiers))
    }
}

fn special_bits() -> u8 {
    TokenModifier::Readonly.bit() | TokenModifier::DefaultLibrary.bit()
}

/// Types that no atomic and no declaration has: `tf32`, `e2m1x2`, `ue8m0x2`, `b1`, `u4`.
fn is_other_type(word: &str) -> bool {
    let letters =
        word.trim_start_matches("bf").trim_start_matches("tf").trim_start_matches(['b', 'e', 'f', 'm', 's', 'u', 'x']);
    let kind = word.starts_with(['b', 'e', 'f', 's', 'u', 't']);
    kind && letters.starts_with(|c: char| c.is_ascii_digit())
        && letters.chars().all(|c| c.is_ascii_digit() || matches!(c, 'm' | 'x' | 'f'))
        && word.chars().all(is_name_char)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::names::tests::snapshot;

    fn shown(text: &str, within: Option<Range<usize>>) -> String {
        let show = |token: &SemanticToken| {
            let modifiers: Vec<_> = TokenModifier::ALL
                .iter()
                .filter(|one| token.modifiers & one.bit() != 0)
                .map(|one| one.name())
                .collect();
            let modifiers = if modifiers.is_empty() { String::new() } else { format!("+{}", modifiers.join("+")) };
            format!("{}:{:?}{modifiers}", &text[token.range.clone()], token.kind)
        };
        snapshot(text).semantic_tokens(within).iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_word_of_a_kernel() {
        let text = ".target sm_90\n.entry k(.param .u64 q) { .reg .pred %p<2>; .reg .v4 .f32 v; @!%p1 bra L;\n\
            L: atom.add.u32 v.x, [q+4], %tid.x; x; } // c";
        assert_eq!(
            shown(text, None),
            ".target:Directive sm_90:SpecialRegister+readonly+defaultLibrary .entry:Directive k:Function+declaration+definition \
             .param:Directive .u64:Type q:Parameter+declaration+definition+readonly .reg:Directive .pred:Type \
             %p:Predicate+declaration+definition 2:Number .reg:Directive .v4:Type .f32:Type v:Register+declaration+definition \
             !:Operator %p1:Predicate bra:Mnemonic L:Label L:Label+declaration+definition atom:Mnemonic .add:Modifier .u32:Type \
             v:Register .x:Variable q:Parameter+readonly +:Operator 4:Number %tid:SpecialRegister+readonly+defaultLibrary \
             .x:SpecialRegister+readonly+defaultLibrary x:Mnemonic // c:Comment"
        );
    }

    #[test]
    fn a_range_gives_the_same_words_as_the_whole() {
        let text = include_str!("../../../../tests/fixtures/compiled/sm_90.ptx");
        let all = snapshot(text).semantic_tokens(None);
        for from in (0..text.len()).step_by(997) {
            let within = from..(from + 1500).min(text.len());
            let part = snapshot(text).semantic_tokens(Some(within.clone()));
            let expected: Vec<_> = all
                .iter()
                .filter(|token| token.range.start <= within.end && within.start <= token.range.end)
                .cloned()
                .collect();
            assert_eq!(part, expected, "{within:?}");
        }
        assert!(all.is_sorted_by(|a, b| a.range.end <= b.range.start), "words are in order and apart");
    }

    #[test]
    fn types_by_their_shape() {
        for word in ["tf32", "e2m1x2", "ue8m0x2", "b1", "u4", "bf16x2", "s2f6x2", "f16x2"] {
            assert!(isa::types::Type::parse(word).is_some() || is_other_type(word), "{word}");
        }
        for word in ["add", "v4", "m16n8k16", "x4", "sys", "bulk", "L2::cache_hint", "to", "e", "sync"] {
            assert!(!is_other_type(word), "{word}");
        }
    }
}
