//! Traversal of a text: its functions, their calls and `asm` statements.

use super::header::{DeclarationHeader, Opens, is_constant};
use super::{Function, SourceFacts};
use crate::cpp::keyword::is_asm;
use crate::cpp::lexer::{CppLexer, CppToken, CppTokenKind};
use crate::cpp::preprocessor::{Archs, Preprocessor};

/// The context of a call or statement.
#[derive(Debug)]
pub(super) struct HostSite {
    /// The function around it.
    pub function: Option<usize>,
    /// The devices for which it is certainly compiled.
    pub must: Archs,
}

/// The construct of an open brace.
#[derive(Clone, Copy)]
enum BraceScope {
    Namespace,
    Class,
    Function,
    /// The value of a variable or a parameter.
    Value,
    /// Inside a function, or unknown code.
    Block,
}

struct ReachWalker<'t> {
    text: Preprocessor<'t>,
    scopes: Vec<BraceScope>,
    header: DeclarationHeader<'t>,
    /// The current function.
    function: Option<usize>,
    /// Whether it is uncertain which of the following code of the function is compiled.
    uncertain: bool,
    found: SourceFacts<'t>,
}

pub(super) fn walk(text: &str) -> SourceFacts<'_> {
    let mut walker = ReachWalker {
        text: Preprocessor::new(text, 0),
        scopes: Vec::new(),
        header: DeclarationHeader::default(),
        function: None,
        uncertain: false,
        found: SourceFacts::default(),
    };
    walker.run();
    walker.found.lost |= !walker.scopes.is_empty();
    walker.found
}

impl<'t> ReachWalker<'t> {
    fn run(&mut self) {
        while let Some(token) = self.text.next() {
            // The body of a macro is compiled where the macro is used.
            if self.text.lexer.in_line {
                continue;
            }
            match token.kind {
                CppTokenKind::Sign(b'{') => self.open(),
                CppTokenKind::Sign(b'}') => self.close(),
                CppTokenKind::Sign(b';') => self.header = DeclarationHeader::default(),
                _ => {
                    self.header.push(self.text.lexer.text, &token);
                    if token.kind == CppTokenKind::Word {
                        self.word(&token);
                    }
                }
            }
            if self.found.lost {
                return;
            }
        }
    }

    fn open(&mut self) {
        if self.function.is_some() {
            self.found.lost |= std::mem::take(&mut self.header).is_outside();
            self.scopes.push(BraceScope::Block);
            return;
        }
        let in_class = matches!(self.scopes.last(), Some(BraceScope::Class));
        let opens = self.header.opens(in_class);
        if opens == Opens::Value {
            // The header of the function continues after the parameter.
            self.scopes.push(BraceScope::Value);
            return;
        }
        self.header = DeclarationHeader::default();
        let scope = match opens {
            Opens::Namespace => BraceScope::Namespace,
            Opens::Class => BraceScope::Class,
            Opens::Value | Opens::Unknown => BraceScope::Block,
            Opens::Function(name, linkage) => {
                let at = self.found.functions.len();
                self.found.functions.push(Function { name, linkage, must: self.must() });
                (self.function, self.uncertain) = (Some(at), false);
                BraceScope::Function
            }
        };
        self.scopes.push(scope);
    }

    fn close(&mut self) {
        let closed = self.scopes.pop();
        if !matches!(closed, Some(BraceScope::Value)) {
            self.header = DeclarationHeader::default();
        }
        match closed {
            Some(BraceScope::Function) => self.function = None,
            Some(_) => {}
            None => self.found.lost = true,
        }
    }

    fn must(&self) -> Archs {
        self.text.here().holds().must.clone()
    }

    fn site(&self) -> HostSite {
        let outside = || self.scopes.iter().all(|scope| matches!(scope, BraceScope::Namespace));
        let certain = if self.function.is_some() { !self.uncertain } else { outside() };
        let must = if certain { self.must() } else { Archs::none() };
        HostSite { function: self.function, must }
    }

    fn word(&mut self, token: &CppToken) {
        let text = self.text.lexer.text;
        let word = &text[token.range.clone()];
        match word {
            "NV_IF_TARGET" | "NV_IF_ELSE_TARGET" | "NV_DISPATCH_TARGET" => self.text.call(word),
            "if" => self.uncertain |= self.function.is_some() && is_known_early(self.text.lexer.clone()),
            _ if is_asm(word) || self.text.is_keyword(word) => {
                let site = self.site();
                self.found.statements.push((token.range.start, site));
            }
            _ if self.function.is_some() => {
                self.found.mentioned.insert(word);
                if text[token.range.end..].trim_start().starts_with(['(', '<']) {
                    let site = self.site();
                    self.found.calls.push((word, site));
                }
            }
            _ => {}
        }
    }
}

/// Whether the compiler may know the condition of an `if` and drop its code: it depends on constants, macros or the device.
fn is_known_early(mut lexer: CppLexer) -> bool {
    let mut depth = 0usize;
    loop {
        let token = lexer.next();
        match token.kind {
            CppTokenKind::End | CppTokenKind::Sign(b';' | b'{') => return false,
            CppTokenKind::Sign(b'(') => depth += 1,
            CppTokenKind::Sign(b')') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return false;
                }
            }
            CppTokenKind::Word if is_fixed(lexer.read(&token.range)) => return true,
            _ => {}
        }
    }
}

/// Whether a name in a condition may be a compile-time constant.
fn is_fixed(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let constant = name.strip_prefix('k').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    let device =
        lower.contains("arch") || lower.contains("target") || lower.contains("sm_") || lower.contains("hopper");
    matches!(name, "constexpr" | "consteval" | "true" | "false") || device || constant || is_constant(name)
}
