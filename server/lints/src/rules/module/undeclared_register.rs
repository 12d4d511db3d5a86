//! The fix for an undeclared register: a declaration with the type of the operand, or a larger range.

use diagnostics::{Context, Diagnostic, Edit, insert, replace};
use isa::types::Type;
use isa::{
    CopyClass, MatrixClass, MoveClass, OperandClass, OperandSpec, ResolvedInstruction, Role, SynchronizationClass,
    TextureClass,
};
use std::ops::Range;
use syntax::{Declaration, DeclarationKind, Instruction, LintFile, Names, OperandKind, WalkEvent, range_index};

/// The largest count that a fix gives a range of registers.
const MAX_COUNT: u64 = 100_000;

/// The depth of a function's body, which is a block of the function.
const BODY: usize = 2;

/// The maximum distance from the name of a range to the end of its count, in bytes.
const MAX_COUNT_LENGTH: usize = 64;

/// The place for new declarations in the function under check.
#[derive(Debug, Default)]
pub(crate) struct DeclarationPlace {
    depth: usize,
    /// The end of the last register name that the outermost block declares, or the start of the function.
    after: usize,
    /// The insertion, once it is needed.
    insertion: Option<Insertion>,
}

/// An offset, and the space before a declaration there.
#[derive(Debug)]
struct Insertion {
    at: usize,
    space: String,
}

impl DeclarationPlace {
    /// The place at the start of an item.
    pub(crate) fn new(item: &Range<usize>) -> Self {
        DeclarationPlace { after: item.start, ..DeclarationPlace::default() }
    }

    /// Follows the walk through the item.
    pub(crate) fn follow(&mut self, event: &WalkEvent) {
        match event {
            WalkEvent::EnterFunction | WalkEvent::EnterBlock => self.depth += 1,
            WalkEvent::Leave => self.depth = self.depth.saturating_sub(1),
            WalkEvent::Declare(declaration) if self.depth == BODY && declaration.kind == DeclarationKind::Register => {
                self.after = declaration.name.range.end;
                self.insertion = None;
            }
            WalkEvent::Declare(_) | WalkEvent::Instruction(_) => {}
        }
    }

    /// The insertion, which is before `limit`.
    fn insertion(&mut self, file: &LintFile, limit: usize) -> Option<&Insertion> {
        if self.insertion.is_none() && self.depth >= BODY {
            let end = file.find_code(self.after..limit, b";{")? + 1;
            self.insertion = Some(insertion_after(file, end));
        }
        self.insertion.as_ref()
    }
}

/// The insertion after a declaration or a `{` that ends at an offset: on a line of its own, if no code follows on the line.
fn insertion_after(file: &LintFile, end: usize) -> Insertion {
    let text = file.text();
    let number = text.byte_to_line(end);
    let line = text.line(number).to_string();
    let rest = &line[end - text.line_to_byte(number)..];
    let comment = rest.trim();
    if !comment.is_empty() && !comment.starts_with("//") {
        return Insertion { at: end, space: " ".to_owned() };
    }
    let indentation = |line: &str| line[..line.len() - line.trim_start().len()].to_owned();
    let is_declaration = text.byte(end - 1) == b';';
    let mut further = text.lines_at(number + 1).map(|line| line.to_string());
    let model = if is_declaration { Some(line.clone()) } else { further.find(|line| !line.trim().is_empty()) };
    let line_end = if rest.ends_with("\r\n") { "\r\n" } else { "\n" };
    let space = format!("{line_end}{}", model.map_or(String::new(), |line| indentation(&line)));
    Insertion { at: end + rest.trim_end().len(), space }
}

/// Adds the fix to a diagnostic about an undeclared register, if the operand determines its type.
pub(crate) fn with_fix(
    diagnostic: Diagnostic,
    instruction: &Instruction,
    legal: &ResolvedInstruction,
    (file, names, context): (&LintFile, &Names, &Context),
    place: &mut DeclarationPlace,
) -> Diagnostic {
    // A later declaration of the name is a related location.
    if !diagnostic.related.is_empty() || !diagnostic.fixes.is_empty() {
        return diagnostic;
    }
    let Some(ty) = register_type(&diagnostic.range, instruction, legal, context) else { return diagnostic };
    let name = file.slice(&diagnostic.range);
    if legal.word("space") == Some("param") && !name.starts_with('%') {
        let mut parameters: Vec<&Declaration> = names.visible().filter(|one| one.parameter.is_some()).collect();
        parameters.sort_by_key(|one| one.name.range.start);
        let parameters: Vec<String> = parameters.iter().map(|one| format!("`{}`", one.name.text)).collect();
        return match parameters.as_slice() {
            [] => diagnostic.help("declare it as a parameter of the function"),
            [only] => diagnostic.help(format!("the parameter of the function is {only}")),
            _ => diagnostic.help(format!("the parameters of the function are {}", parameters.join(", "))),
        };
    }
    let (base, index) = range_index(&name);
    let range = names.find(&format!("{base}0")).filter(|range| range.count.is_some() && !range.broken);
    let larger = range.zip(index).and_then(|(range, index)| enlarge(file, range, index, &ty));
    if let Some((declaration, edit)) = larger {
        let help = format!("declare more registers: `{declaration}`");
        return diagnostic.help(help).unsafe_fix(format!("Replace with `{declaration}`"), [edit]);
    }
    let Some(insertion) = place.insertion(file, instruction.range().start) else { return diagnostic };
    let declaration = format!(".reg {ty} {name};");
    let edit = insert(insertion.at, format!("{}{declaration}", insertion.space));
    diagnostic.help(format!("declare it: `{declaration}`")).unsafe_fix(format!("Insert `{declaration}`"), [edit])
}

/// The declaration of a range that contains an index, and its edit, if the registers of the range fit a type.
fn enlarge(file: &LintFile, range: &Declaration, index: u64, ty: &str) -> Option<(String, Edit)> {
    let count = index.checked_add(1).filter(|count| *count <= MAX_COUNT)?;
    if !fits(&range.ty.text, ty) || !range.vector.text.is_empty() {
        return None;
    }
    let start = range.name.range.end;
    let end = file.clamp((start + MAX_COUNT_LENGTH).min(file.text().len_bytes()));
    let written = file.slice(&(start..end));
    let number = written.split_once('<')?.1.split_once('>')?.0.trim();
    let at = start + (number.as_ptr() as usize - written.as_ptr() as usize);
    let (space, ty, name) = (&range.space.text, &range.ty.text, &range.name.text);
    Some((format!("{space} {ty} {name}<{count}>;"), replace(at..at + number.len(), count.to_string())))
}

/// Whether a register of a declared type is valid for an operand that requires another: both are equal, or as wide and either untyped or integers.
fn fits(declared: &str, required: &str) -> bool {
    let split = |ty: &str| (ty.as_bytes().get(1).copied(), ty.get(2..).unwrap_or_default().to_owned());
    let ((class, bits), (required_class, required_bits)) = (split(declared), split(required));
    let integer = required_class == Some(b'b') && matches!(class, Some(b'u' | b's'));
    bits == required_bits && (class == required_class || class == Some(b'b') || integer)
}

/// The register type that the operand at a range requires.
fn register_type(
    range: &Range<usize>,
    instruction: &Instruction,
    legal: &ResolvedInstruction,
    context: &Context,
) -> Option<String> {
    let contains = |outer: &Range<usize>| outer.start <= range.start && range.end <= outer.end;
    if instruction.guard().is_some_and(|guard| contains(&guard.range)) {
        return Some(".pred".to_owned());
    }
    let written = instruction.operands();
    let at = written.iter().position(|operand| contains(&operand.token.range))?;
    let (operand, wanted) = (&written[at], legal.operands().nth(at)?);
    let is_second = || operand.parts().is_some_and(|(_, second)| contains(&second.token.range));
    match operand.kind {
        OperandKind::Element | OperandKind::Subscript => None,
        OperandKind::Pair if is_second() => Some(".pred".to_owned()),
        _ => of_operand(&wanted, context),
    }
}

fn of_operand(wanted: &OperandSpec, context: &Context) -> Option<String> {
    let has_narrow_addresses = context.header.address_size.as_ref().is_some_and(|size| size.text == "32");
    let (class, bits) = match (wanted.role, wanted.class) {
        (Role::Address, _) if has_narrow_addresses => ('b', 32),
        (Role::Address | Role::Policy, _) => ('b', 64),
        (_, class) => match declared_type(class, wanted.ty)? {
            Type::Pred => return Some(".pred".to_owned()),
            ty => (if matches!(ty, Type::F32 | Type::F64) { 'f' } else { 'b' }, ty.bits()),
        },
    };
    Some(format!(".{class}{bits}"))
}

/// The type that a register of an operand class should have; `None` if the operand is no single register.
fn declared_type(class: OperandClass, ty: Type) -> Option<Type> {
    Some(match class {
        OperandClass::IntegerResult | OperandClass::Count | OperandClass::CountAmong(_) | OperandClass::Byte => {
            Type::B32
        }
        OperandClass::Typed | OperandClass::Droppable | OperandClass::WithPredicate => ty,
        OperandClass::Predicate
        | OperandClass::PredicateAmong(_)
        | OperandClass::PredicateRegister
        | OperandClass::PredicateResult
        | OperandClass::DroppablePredicate
        | OperandClass::PredicatePair => Type::Pred,
        OperandClass::Immediate | OperandClass::Integer(_) | OperandClass::Control(_) => return None,
        OperandClass::Synchronization(class) => type_in_synchronization(class, ty),
        OperandClass::Copy(class) => match class {
            CopyClass::SourceSize => Type::B32,
            CopyClass::CtaMask | CopyClass::ByteMask => Type::B16,
            CopyClass::BulkBarrier | CopyClass::UnbracketedAddress => Type::B64,
            CopyClass::TensorMap
            | CopyClass::Offsets
            | CopyClass::Bracketed
            | CopyClass::Endpoint
            | CopyClass::EndpointTensor => return None,
        },
        OperandClass::Matrix(class) => match class {
            MatrixClass::Registers
            | MatrixClass::Register
            | MatrixClass::RegisterOrPredicate
            | MatrixClass::BareRegister => ty,
            MatrixClass::Descriptor => Type::B64,
            MatrixClass::TensorAddress => Type::B32,
            MatrixClass::Selectors(..) => Type::B16,
        },
        OperandClass::Move(class) => match class {
            MoveClass::Packed if ty == Type::B128 => return None,
            MoveClass::AddressOrValue
            | MoveClass::Packed
            | MoveClass::Wider
            | MoveClass::WiderOrSpecial
            | MoveClass::Four
            | MoveClass::Bits
            | MoveClass::Plain => ty,
        },
        OperandClass::Video(_) => Type::B32,
        OperandClass::Texture(class) => match class {
            TextureClass::Texels | TextureClass::Texel | TextureClass::Level => ty,
            TextureClass::Texture
            | TextureClass::Surface
            | TextureClass::TextureHandle
            | TextureClass::SurfaceHandle => return None,
            TextureClass::TexelOffsets => Type::B32,
            TextureClass::Derivatives => Type::F32,
        },
    })
}

/// The type that a register of an operand of a barrier, an mbarrier, or the like should have.
fn type_in_synchronization(class: SynchronizationClass, ty: Type) -> Type {
    match class {
        SynchronizationClass::Wrapping(_)
        | SynchronizationClass::AnySize(_)
        | SynchronizationClass::Arrivals
        | SynchronizationClass::TotalSize
        | SynchronizationClass::GenericAddress => Type::B32,
        SynchronizationClass::BarrierState => Type::B64,
        SynchronizationClass::WaitResult => Type::Pred,
        SynchronizationClass::Report => Type::B8,
        SynchronizationClass::Fraction => Type::F32,
        SynchronizationClass::PlainInteger
        | SynchronizationClass::MatchResult
        | SynchronizationClass::ShuffleResult
        | SynchronizationClass::SymbolAddress
        | SynchronizationClass::ScalarOrList => ty,
    }
}

#[cfg(test)]
mod tests {
    use crate::Check;
    use diagnostics::{Applicability, Settings, Snapshot};
    use syntax::SourceFile;

    /// A module after the first fix of its first diagnostic, if there is one, and the title.
    fn fixed(text: &str) -> Option<(String, String)> {
        let check = |text: &str| Snapshot::new(SourceFile::parse(text), Settings::default()).diagnostics();
        let before = check(text);
        let fix = before[0].fixes.first()?;
        assert_eq!(fix.applicability, Applicability::Unsafe);
        let [edit] = fix.edits.as_slice() else { panic!("one edit: {fix:?}") };
        let mut fixed = text.to_owned();
        fixed.replace_range(edit.range.clone(), &edit.text);
        assert!(!check(&fixed).contains(&before[0]), "{fixed}");
        Some((fixed, fix.title.clone()))
    }

    fn declaration(instruction: &str) -> String {
        let text = format!(
            ".version 8.6\n.target sm_90\n.address_size 64\n.func f() {{ .reg .b64 a; .reg .b32 b; .reg .pred c; {instruction} }}"
        );
        let (fixed, _) = fixed(&text).expect("a fix");
        fixed.split("c; ").nth(1).and_then(|rest| rest.split(';').next()).expect("a declaration").to_owned()
    }

    #[test]
    fn the_operand_determines_the_type() {
        for (instruction, expected) in [
            ("atom.global.add.u32 new, [a], b;", ".reg .b32 new"),
            ("red.global.add.u64 [a], new;", ".reg .b64 new"),
            ("red.global.add.f32 [a], new;", ".reg .f32 new"),
            ("red.global.add.noftz.f16 [a], new;", ".reg .b16 new"),
            ("red.global.add.noftz.bf16x2 [a], new;", ".reg .b32 new"),
            ("red.global.add.v2.f32 [a], {new, b};", ".reg .f32 new"),
            ("atom.global.exch.b128 new, [a], new;", ".reg .b128 new"),
            ("red.global.add.u32 [new+4], b;", ".reg .b64 new"),
            ("@!new red.global.add.u32 [a], b;", ".reg .pred new"),
            ("red.global.add.L2::cache_hint.u32 [a], b, new;", ".reg .b64 new"),
            ("setp.eq.u32 new, b, b;", ".reg .pred new"),
            ("setp.eq.u32 c|new, b, b;", ".reg .pred new"),
            ("selp.b32 b, b, b, new;", ".reg .pred new"),
            ("shl.b64 a, a, new;", ".reg .b32 new"),
            ("mov.f32 new, 1.0;", ".reg .f32 new"),
            ("mov.u64 a, new;", ".reg .b64 new"),
            ("cvt.u64.u16 a, new;", ".reg .b16 new"),
            ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {new}, [a];", ".reg .b32 new"),
            ("mbarrier.arrive.shared.b64 new, [a];", ".reg .b64 new"),
            ("bar.sync new;", ".reg .b32 new"),
        ] {
            assert_eq!(declaration(instruction), expected, "{instruction}");
        }
    }

    #[test]
    fn a_declaration_is_behind_the_last_one_or_at_the_start_of_the_body() {
        let module = |function: &str| format!(".version 8.6\r\n.target sm_90\r\n.address_size 64\r\n{function}\r\n");
        let fix = |function: &str| fixed(&module(function)).map(|(text, _)| text);
        let lines = ".func f(.reg .b64 a) // {\r\n{\r\n\t.reg .b32 b; // ;\r\n\n\tred.global.add.u32 [a], %new;\r\n}";
        let expected = lines.replace("// ;", "// ;\r\n\t.reg .b32 %new;");
        assert_eq!(fix(lines), Some(module(&expected)));
        let none = ".func f(.reg .b64 a)\r\n{\r\n\t{ .reg .b32 b; red.global.add.u32 [a], %new; }\r\n}";
        assert_eq!(fix(none), Some(module(&none.replace("{\r\n", "{\r\n\t.reg .b32 %new;\r\n"))));
    }

    #[test]
    fn the_count_of_a_range_is_raised_if_its_registers_fit() {
        let text = |name: &str| {
            format!(
                ".version 8.6\n.target sm_90\n.address_size 64\n.func f() {{ .reg .u32 %r< 4 >; .reg .f32 %f<2>; .reg .b64 a;\n\
                 red.global.add.u32 [a], {name}; }}"
            )
        };
        let raised = (text("%r9").replace("< 4 >", "< 10 >"), "Replace with `.reg .u32 %r<10>;`".to_owned());
        assert_eq!(fixed(&text("%r9")), Some(raised));
        for single in ["%f9", "%r99999999"] {
            let (_, title) = fixed(&text(single)).expect("a fix");
            assert_eq!(title, format!("Insert `.reg .b32 {single};`"));
        }
        let later = text("late").replace("; }", "; .reg .b32 late; }");
        assert_eq!(fixed(&later), None, "declared after its use");
    }
}
