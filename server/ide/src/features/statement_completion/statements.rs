//! Completions at the start of a statement or in a directive: directives, types, and instructions with placeholders.

use super::super::directives::{DIRECTIVES, DirectiveInfo, DirectivePlace, TYPES};
use super::{CompletionList, StatementCompletion, StatementCompletionKind, header};
use diagnostics::Context;
use isa::types::{Op, Type};
use isa::{Module, Resolution, ResolvedInstruction, Role, Spelling};
use syntax::{NodeKind, SourceFile, TokenEvent, token_events};

impl CompletionList<'_> {
    /// Adds the completions at the start of a statement, or in a directive.
    pub(super) fn statement(&mut self, text: &str, guarded: bool) {
        let (directive, text) = header::split(text);
        if let Some(directive) = directive {
            return self.header_arguments(directive);
        }
        let body = in_body(&self.snapshot.file, self.offset);
        let begins = text.len() == self.word.len();
        let head = !body && (text.contains(".entry") || text.contains(".func"));
        let closed = text.matches('(').count() <= text.matches(')').count();
        if begins {
            let fits = |place| {
                place == DirectivePlace::Both
                    || place == if body { DirectivePlace::Body } else { DirectivePlace::Module }
            };
            self.directives(|place| !guarded && fits(place));
            // Inside an opcode, the modifiers are completed one by one.
            if body && !self.word.contains('.') {
                self.instructions();
            }
        } else if head && closed {
            self.directives(|place| place == DirectivePlace::Head);
        } else if text.starts_with('.') {
            self.declaration(head);
        }
    }

    fn directives(&mut self, fits: impl Fn(DirectivePlace) -> bool) {
        for (rank, directive) in (0u32..).zip(DIRECTIVES) {
            if fits(directive.place) {
                let item = self.directive(rank, directive);
                item.text += directive.rest;
                item.snippet = !directive.rest.is_empty();
            }
        }
    }

    /// Adds types, and the directives that may precede them in a declaration.
    fn declaration(&mut self, parameters: bool) {
        for (rank, (ty, about)) in (0u32..).zip(TYPES) {
            self.item(rank, StatementCompletionKind::Type, (*ty).to_owned(), (*about).to_owned(), "");
        }
        if parameters {
            self.item(0, StatementCompletionKind::Directive, ".param".to_owned(), "A parameter.".to_owned(), "");
        }
        for (rank, directive) in (100u32..).zip(DIRECTIVES) {
            if directive.place == DirectivePlace::Inside {
                self.directive(rank, directive);
            }
        }
    }

    fn directive(&mut self, rank: u32, directive: &DirectiveInfo) -> &mut StatementCompletion {
        self.item(rank, StatementCompletionKind::Directive, directive.word.to_owned(), directive.summary.to_owned(), "")
    }

    /// Adds one instruction for each operation that is available in the module, with placeholders for its operands.
    fn instructions(&mut self) {
        let module = Context::new(self.snapshot).module;
        let mut all = Op::ALL.to_vec();
        all.sort_by_key(|op| isa::usage(op.word()));
        for family in isa::families() {
            let operations = all.iter().map(|op| Some(*op)).chain([None]);
            for op in operations {
                let Some((opcode, instruction)) = sample(family.name, op, &module) else { continue };
                let mut text = opcode.clone();
                for (index, operand) in instruction.operands().enumerate() {
                    let name = operand.name.trim_matches(['[', ']']);
                    let place = format!("${{{}:{name}}}", index + 1);
                    text += if index == 0 { " " } else { ", " };
                    text += &if operand.role == Role::Address { format!("[{place}]") } else { place };
                }
                let meaning = op.map_or(family.summary, |op| isa::vocabulary::summary(op.word()));
                let item = self.item(200, StatementCompletionKind::Instruction, opcode, meaning.to_owned(), "");
                (item.text, item.snippet) = (text + ";", true);
            }
        }
    }
}

/// A legal opcode for an operation, with a common state space and type.
fn sample(family: &str, op: Option<Op>, module: &Module) -> Option<(String, ResolvedInstruction)> {
    const TYPICAL: &[Type] = &[Type::U32, Type::B32, Type::F32, Type::F16x2];
    let mut name = family.split('.');
    let mnemonic = name.next()?;
    let fixed: Vec<&str> = name.collect();
    TYPICAL.iter().find_map(|ty| {
        let words: Vec<&str> =
            fixed.iter().copied().chain(["global"]).chain(op.map(Op::word)).chain([ty.word()]).collect();
        let spelling = Spelling { mnemonic, modifiers: &words };
        // Most are illegal, and `is_legal` is cheaper than `resolve`.
        isa::is_legal(&spelling, module).filter(|legal| *legal)?;
        let Resolution::Legal(instruction) = isa::resolve(&spelling, module) else { return None };
        let order = instruction.canonical_order();
        let text = order.iter().fold(mnemonic.to_owned(), |text, at| text + "." + words[*at]);
        Some((text, instruction))
    })
}

/// Whether an offset is in the body of a function: by the tree, or by the braces before it if the tree has errors.
fn in_body(file: &SourceFile, offset: usize) -> bool {
    let mut body = false;
    token_events(file, offset..offset, |piece| {
        if let TokenEvent::Enter(NodeKind::Block, range) = piece {
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
