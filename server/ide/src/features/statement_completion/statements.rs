//! Completions at the start of a statement or in a directive: directives, types, and instructions with placeholders.

use super::{CompletionList, StatementCompletionKind, header};
use diagnostics::Context;
use isa::directives::{self, Directive, DirectivePlace, directives};

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
        if text.starts_with(".pragma") && text.contains('"') {
            return self.options(DirectivePlace::Pragma);
        }
        let body = in_body(&self.snapshot.file, self.offset);
        let declared = without_linkage(text);
        let begins = text.len() == self.word.len();
        let head = !body && (text.contains(".entry") || text.contains(".func"));
        let closed = text.matches('(').count() <= text.matches(')').count();
        if begins {
            let place = if body { DirectivePlace::Body } else { DirectivePlace::Module };
            self.directives(|one| !guarded && (one.place == DirectivePlace::Both || one.place == place));
            // Inside an opcode, the modifiers are completed one by one.
            if body && !self.word.contains('.') {
                self.instructions();
            }
        } else if declared.len() == self.word.len() {
            self.directives(|directive| DECLARED.contains(&directive.word));
        } else if head && closed {
            self.directives(|directive| directive.place == DirectivePlace::Head);
        } else if text.starts_with('.') {
            let before = text.strip_suffix(&*self.word).unwrap_or(text).trim_end();
            self.declaration(DeclarationPart::after(before, head));
        }
    }

    fn directives(&mut self, fits: impl Fn(&Directive) -> bool) {
        for (rank, directive) in (0u32..).zip(directives()) {
            if fits(directive) {
                let item = self.directive(rank, StatementCompletionKind::Directive, directive);
                item.snippet = !directive.snippet.is_empty();
                if item.snippet {
                    item.text = format!("{} {}", directive.word, directive.snippet);
                }
            }
        }
    }

    /// Adds types, and the directives that may precede them in a declaration.
    fn declaration(&mut self, part: DeclarationPart) {
        let words = match part {
            DeclarationPart::Pointer => POINTER_SPACES,
            DeclarationPart::Parameter => &[".param"],
            DeclarationPart::Type => &[],
        };
        for (rank, word) in (0u32..).zip(words) {
            self.item(rank, StatementCompletionKind::Directive, (*word).to_owned(), part.detail(word), "");
        }
        if part != DeclarationPart::Pointer {
            for (rank, ty) in (0u32..).zip(directives::at(DirectivePlace::Type)) {
                self.directive(rank, StatementCompletionKind::Type, ty);
            }
        }
        for (rank, directive) in (100u32..).zip(directives::at(DirectivePlace::Inside)) {
            self.directive(rank, StatementCompletionKind::Directive, directive);
        }
    }

    /// Adds one instruction for each operation that is available in the module, with placeholders for its operands.
    fn instructions(&mut self) {
        let module = Context::new(self.snapshot).module;
        let mut all = Op::ALL.to_vec();
        all.sort_by_key(|op| isa::usage(op.word()));
        let typed = self.word.clone();
        // Opcodes begin with the mnemonic, and others than those that fit the typed word would be dropped.
        for family in isa::families().filter(|family| family.name.starts_with(&*typed)) {
            let operations = all.iter().filter(|op| family.has_modifier(op.word())).map(|op| Some(*op)).chain([None]);
            for op in operations {
                let Some((opcode, instruction)) = sample(family, op, &module) else { continue };
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

/// The words before what a declaration declares.
const LINKAGE: [&str; 4] = [".visible", ".extern", ".weak", ".common"];

/// What may follow them.
const DECLARED: [&str; 5] = [".entry", ".func", ".global", ".const", ".shared"];

/// What the parameter of a kernel may point to.
const POINTER_SPACES: &[&str] = &[".global", ".shared", ".const", ".local"];

/// The part of a declaration at the cursor.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DeclarationPart {
    /// In a list of parameters.
    Parameter,
    /// After `.ptr`.
    Pointer,
    /// Elsewhere.
    Type,
}

impl DeclarationPart {
    fn after(text: &str, in_head: bool) -> Self {
        match in_head {
            _ if text.ends_with(".ptr") => DeclarationPart::Pointer,
            true => DeclarationPart::Parameter,
            false => DeclarationPart::Type,
        }
    }

    fn detail(self, word: &str) -> String {
        match self {
            DeclarationPart::Pointer => format!("The parameter points to `{word}` memory."),
            DeclarationPart::Parameter | DeclarationPart::Type => "A parameter.".to_owned(),
        }
    }
}

/// The text of a declaration without its linkage; all of it if it has none.
fn without_linkage(text: &str) -> &str {
    let mut rest = text;
    loop {
        match rest.split_once(char::is_whitespace) {
            Some((word, after)) if LINKAGE.contains(&word) => rest = after.trim_start(),
            _ => return rest,
        }
    }
}

/// A legal opcode for an operation, with a common state space and type.
fn sample(family: &isa::Family, op: Option<Op>, module: &Module) -> Option<(String, ResolvedInstruction)> {
    const TYPICAL: &[Type] = &[Type::U32, Type::B32, Type::F32, Type::F16x2];
    let mut name = family.name.split('.');
    let mnemonic = name.next()?;
    let fixed: Vec<&str> = name.collect();
    // Most are illegal, and to ask for the words is cheaper than `is_legal`, which is cheaper than `resolve`.
    let accesses_global = family.has_modifier("global");
    TYPICAL.iter().filter(|ty| accesses_global && family.has_modifier(ty.word())).find_map(|ty| {
        let words: Vec<&str> =
            fixed.iter().copied().chain(["global"]).chain(op.map(Op::word)).chain([ty.word()]).collect();
        let spelling = Spelling { mnemonic, modifiers: &words };
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
