//! The tokens of a C++ text that matter for reordering by the compiler: statements, barriers, and preprocessor conditions.

use crate::cpp::lexer::{CppLexer, CppTokenKind};
use crate::inline_asm::AsmStatement;

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BarrierToken<'t> {
    Word(&'t str),
    /// A number or a character.
    Value,
    Sign(u8),
    /// A barrier for the compiler: a call, without its arguments, or a statement that clobbers "memory".
    Barrier,
    /// Another statement that is not reordered, by its number.
    Statement(usize),
    If,
    Else,
    EndIf,
    /// Any other token.
    Unknown,
}

/// Functions that are a barrier for every compiler, by their unqualified name.
const BARRIERS: [&str; 9] = [
    "__syncthreads",
    "__syncthreads_and",
    "__syncthreads_count",
    "__syncthreads_or",
    "__syncwarp",
    "__threadfence",
    "__threadfence_block",
    "__threadfence_system",
    "atomic_thread_fence",
];

/// The tokens of a text, and the index of each statement; statements in macros have none.
pub(super) fn tokens<'t>(text: &'t str, statements: &[AsmStatement]) -> (Vec<BarrierToken<'t>>, Vec<Option<usize>>) {
    let places = vec![None; statements.len()];
    let groups = text.contains("cooperative_groups");
    let mut reader = TokenReader { statements, groups, tokens: Vec::new(), places, next: 0 };
    reader.read(CppLexer::new(text, 0));
    (reader.tokens, reader.places)
}

struct TokenReader<'s, 't> {
    statements: &'s [AsmStatement],
    /// Whether `sync` may be that of cooperative groups.
    groups: bool,
    tokens: Vec<BarrierToken<'t>>,
    places: Vec<Option<usize>>,
    /// The number of the next statement.
    next: usize,
}

impl<'t> TokenReader<'_, 't> {
    /// Reads to the end of the lexer's text.
    fn read(&mut self, mut lexer: CppLexer<'t>) {
        loop {
            let token = lexer.next();
            while self.statements.get(self.next).is_some_and(|next| next.range.start < token.range.start) {
                self.next += 1;
            }
            let next = self.statements.get(self.next);
            if let Some(statement) = next.filter(|next| next.range.start == token.range.start) {
                self.places[self.next] = Some(self.tokens.len());
                self.tokens.push(of_statement(self.next, statement));
                lexer.at = statement.range.end;
                self.next += 1;
                continue;
            }
            let token = match token.kind {
                CppTokenKind::End => return,
                CppTokenKind::Directive => match directive(&mut lexer) {
                    Some(token) => token,
                    None => continue,
                },
                CppTokenKind::Word => BarrierToken::Word(lexer.read(&token.range)),
                CppTokenKind::Number | CppTokenKind::Character => BarrierToken::Value,
                // A raw literal with statements is the source of other code.
                CppTokenKind::Text(literal) => {
                    if next.is_some_and(|next| literal.inner.contains(&next.range.start)) {
                        self.tokens.push(BarrierToken::Unknown);
                        self.read(CppLexer::new(&lexer.text[..literal.inner.end], literal.inner.start));
                    }
                    BarrierToken::Unknown
                }
                CppTokenKind::Sign(sign) => BarrierToken::Sign(sign),
            };
            if token == BarrierToken::Sign(b'(') && calls_barrier(&self.tokens, self.groups) {
                drop_callee(&mut self.tokens);
                self.tokens.push(BarrierToken::Barrier);
            }
            self.tokens.push(token);
        }
    }
}

fn of_statement(number: usize, statement: &AsmStatement) -> BarrierToken<'static> {
    let clobbers = |name: &str| statement.clobbers.iter().any(|clobber| clobber.name.as_deref() == Some(name));
    let moves = !statement.volatile && statement.operands.iter().any(|operand| operand.output);
    match () {
        () if !statement.finished || statement.open || !statement.groups.is_empty() || moves => BarrierToken::Unknown,
        () if clobbers("memory") => BarrierToken::Barrier,
        () => BarrierToken::Statement(number),
    }
}

/// Reads a directive to its end.
fn directive(lexer: &mut CppLexer) -> Option<BarrierToken<'static>> {
    lexer.in_line = true;
    let word = lexer.next();
    let token = match lexer.read(&word.range) {
        "if" | "ifdef" | "ifndef" => Some(BarrierToken::If),
        "elif" | "elifdef" | "elifndef" | "else" => Some(BarrierToken::Else),
        "endif" => Some(BarrierToken::EndIf),
        "include" => Some(BarrierToken::Unknown),
        _ => None,
    };
    while lexer.peek().kind != CppTokenKind::End {
        lexer.next();
    }
    lexer.in_line = false;
    token
}

/// Whether a parenthesis follows the name of a barrier: of CUDA C++, or `sync` of cooperative groups, as a function or method.
fn calls_barrier(tokens: &[BarrierToken], groups: bool) -> bool {
    let [.., before, BarrierToken::Word(name)] = tokens else { return false };
    match *name {
        "sync" => groups && matches!(before, BarrierToken::Sign(b'.' | b':')),
        name => BARRIERS.contains(&name) && *before != BarrierToken::Sign(b'.'),
    }
}

/// Removes a name with its namespaces or object.
fn drop_callee(tokens: &mut Vec<BarrierToken>) {
    tokens.pop();
    loop {
        match tokens[..] {
            [.., BarrierToken::Sign(b':'), BarrierToken::Sign(b':')] => tokens.truncate(tokens.len() - 2),
            [.., BarrierToken::Sign(b'.')] => {
                tokens.pop();
                if let [.., BarrierToken::Sign(b'('), BarrierToken::Sign(b')')] = tokens[..] {
                    tokens.truncate(tokens.len() - 2);
                }
            }
            _ => return,
        }
        if let Some(BarrierToken::Word(_)) = tokens.last() {
            tokens.pop();
        }
    }
}
