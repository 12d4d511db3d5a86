//! The type, state space, alignment and size of one declared name.

use diagnostics::registry::{INVALID_ALIGNMENT, INVALID_DECLARATION, INVALID_INITIAL_VALUE};
use diagnostics::{Context, Diagnostic, replace};
use std::ops::Range;
use syntax::{
    Declaration, DeclarationKind, Declarator, DeclaredType, InstructionTypeDeclaration, LintFile, Number, Token,
    instruction_type, is_word_char, type_bits,
};

/// The maximum length of the dimensions of a variable of a function that are read, in bytes.
const MAX_DIMENSIONS: usize = 256;

/// The directive of alignments.
const ALIGN: &str = ".align";

/// The maximum size of a vector, in bits.
const MAX_VECTOR: u32 = 128;

/// The maximum alignment of a parameter of a defined function, and of one that a body declares, in bytes.
const MAX_PARAMETER_ALIGNMENT: u64 = 128;

/// Where a name is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StoragePlace {
    Module,
    Function,
    KernelParameter,
    FunctionParameter,
    /// A parameter of the prototype of a call.
    Prototype,
}

/// A declared name with its type.
struct StorageSite<'s> {
    place: StoragePlace,
    space: &'s Token<'s>,
    vector: &'s Token<'s>,
    ty: &'s Token<'s>,
    name: &'s Token<'s>,
    is_array: bool,
}

/// Checks a declaration in the body of a function.
pub(super) fn check_local(declaration: &Declaration, file: &LintFile, diagnostics: &mut Vec<Diagnostic>) {
    if matches!(declaration.kind, DeclarationKind::Label | DeclarationKind::Function) {
        return;
    }
    let Declaration { space, vector, ty, name, .. } = declaration;
    let site = StorageSite { place: StoragePlace::Function, space, vector, ty, name, is_array: declaration.array };
    diagnostics.extend(site.error());
    if declaration.kind == DeclarationKind::Register {
        check_register_alignment(declaration, file, diagnostics);
    } else if let Some(value) = declaration.alignment {
        let number = || alignment_number(declaration, file);
        if !is_alignment(value) {
            diagnostics.push(alignment_error(value, number()));
        } else if space.text == ".param" && value > MAX_PARAMETER_ALIGNMENT {
            diagnostics.push(parameter_alignment_error(value, number()));
        }
    }
    if !matches!(&*space.text, ".global" | ".const" | ".tex") {
        diagnostics.extend(local_value(declaration, file));
    }
    if declaration.array && declaration.kind == DeclarationKind::Variable && has_no_size(declaration, file) {
        diagnostics.push(no_size(name));
    }
}

/// Checks the alignment of registers, which has no effect.
fn check_register_alignment(declaration: &Declaration, file: &LintFile, diagnostics: &mut Vec<Diagnostic>) {
    let (start, end) = (declaration.space.range.end, declaration.ty.range.start);
    // Nearly all types directly follow the state space.
    if end < start + ALIGN.len() {
        return;
    }
    let number = alignment_number(declaration, file);
    if number.end <= end
        && let Some(value) = Number::integer(&file.slice(&number)).filter(|value| !is_alignment(*value))
    {
        diagnostics.push(alignment_error(value, number));
    }
}

/// The error of a variable or register without a state space, or with two.
pub(super) fn space_error(declaration: &Declaration) -> Option<Diagnostic> {
    if !matches!(declaration.kind, DeclarationKind::Variable | DeclarationKind::Register)
        || declaration.parameter.is_some()
    {
        return None;
    }
    if let Some(second) = &declaration.second_space {
        let message = format!("multiple state spaces: `{}` and `{}`", declaration.space.text, second.text);
        return Some(invalid(second, message).help("keep one of them"));
    }
    let help = "write an instruction, or begin the declaration with a state space, such as `.reg` or `.shared`";
    declaration.space.text.is_empty().then(|| invalid(&declaration.ty, "missing state space".to_owned()).help(help))
}

/// The error of an initial value, which no variable of a function in these state spaces has.
fn local_value(declaration: &Declaration, file: &LintFile) -> Option<Diagnostic> {
    let end = declaration.name.range.end;
    // Nearly all names are followed by one of these.
    if matches!(file.text().get_byte(end)?, b';' | b',' | b'<') {
        return None;
    }
    let equals = file.find_code(end..file.clamp(end + MAX_DIMENSIONS), b"=,;")?;
    if file.text().byte(equals) != b'=' {
        return None;
    }
    let message = format!("initial value of a variable in `{}`", declaration.space.text);
    let help = "remove the value, and store it with an instruction";
    Some(Diagnostic::new(&INVALID_INITIAL_VALUE, equals..equals + 1, message).help(help))
}

/// The number of the last `.align` before the type, or the name if there is none.
fn alignment_number(declaration: &Declaration, file: &LintFile) -> Range<usize> {
    let start = declaration.space.range.end;
    let written = file.slice(&(start..declaration.ty.range.start));
    let Some((_, rest)) = written.rsplit_once(ALIGN) else { return declaration.name.range.clone() };
    let number = rest.trim_start();
    let length = number.find(|c| !is_word_char(c)).unwrap_or(number.len());
    let at = start + written.len() - number.len();
    at..at + length
}

/// Whether the first dimension of an array is empty or 0, and no value gives it.
fn has_no_size(declaration: &Declaration, file: &LintFile) -> bool {
    if declaration.elements.is_some_and(|elements| elements > 0) {
        return false;
    }
    let start = declaration.name.range.end;
    let end = file.find_code(start..file.clamp(start + MAX_DIMENSIONS), b"=,;");
    let Some(end) = end.filter(|end| file.text().byte(*end) != b'=') else { return false };
    let dimensions: String = file.slice(&(start..end)).split_whitespace().collect();
    let mut sizes = dimensions.trim_start_matches('[').trim_end_matches(']').split("][");
    sizes.any(|size| size.is_empty() || Number::integer(size) == Some(0))
}

/// Checks the type of a parameter, or of a variable of a module.
pub(super) fn check(
    place: StoragePlace,
    (storage, declarator): (&DeclaredType, &Declarator),
    context: &Context,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let DeclaredType { space, vector, ty, .. } = storage;
    let site =
        StorageSite { place, space, vector, ty, name: &declarator.name, is_array: !declarator.dimensions.is_empty() };
    let error = site.error();
    // Measured: an array of them is accepted without the option.
    let is_sampler = ty.text == ".samplerref" && !site.is_array;
    if error.is_none() && is_sampler && !context.has_independent_samplers() {
        let message = "`.samplerref` requires the option `texmode_independent` of `.target`";
        let found = Diagnostic::new(&INVALID_DECLARATION, ty.range.clone(), message);
        diagnostics.push(found.help("add `, texmode_independent` to `.target`, or use `.texref`"));
    }
    diagnostics.extend(error);
}

/// Checks the type of a parameter of a prototype, or of a function that is only declared, where more types are accepted.
pub(super) fn check_declared(
    place: StoragePlace,
    (storage, declarator): (&DeclaredType, &Declarator),
    diagnostics: &mut Vec<Diagnostic>,
) {
    let DeclaredType { vector, ty, space, .. } = storage;
    let (name, is_array) = (&declarator.name, !declarator.dimensions.is_empty());
    let site = StorageSite { place, space, vector, ty, name, is_array };
    let is_scalar = vector.text.is_empty() && !is_array;
    let opaque = || site.opaque_error().filter(|_| place == StoragePlace::Prototype);
    diagnostics.extend(site.predicate_error().filter(|_| !is_scalar).or_else(|| site.vector_error()).or_else(opaque));
}

/// Whether an alignment is a power of two that the assembler reads. Measured: it reads 32 bits.
fn is_alignment(value: u64) -> bool {
    value.is_power_of_two() && u32::try_from(value).is_ok()
}

/// Checks that an alignment is a power of two of at most 32 bits.
pub(super) fn check_alignment(number: Option<&Token>, diagnostics: &mut Vec<Diagnostic>) {
    let Some(number) = number else { return };
    if let Some(value) = Number::integer(&number.text).filter(|value| !is_alignment(*value)) {
        diagnostics.push(alignment_error(value, number.range.clone()));
    }
}

/// Checks that the alignment of a parameter of a defined function is not too large.
pub(super) fn check_parameter_alignment(number: &Token, diagnostics: &mut Vec<Diagnostic>) {
    let value = Number::integer(&number.text).filter(|value| value.is_power_of_two());
    if let Some(value) = value.filter(|value| *value > MAX_PARAMETER_ALIGNMENT) {
        diagnostics.push(parameter_alignment_error(value, number.range.clone()));
    }
}

fn parameter_alignment_error(value: u64, range: Range<usize>) -> Diagnostic {
    let message = format!("alignment {value} of a parameter exceeds {MAX_PARAMETER_ALIGNMENT} bytes");
    Diagnostic::new(&INVALID_ALIGNMENT, range.clone(), message)
        .help(format!("write a power of two up to {MAX_PARAMETER_ALIGNMENT}"))
        .unsafe_fix(
            format!("Replace with `{MAX_PARAMETER_ALIGNMENT}`"),
            [replace(range, MAX_PARAMETER_ALIGNMENT.to_string())],
        )
}

fn alignment_error(value: u64, range: Range<usize>) -> Diagnostic {
    if value.is_power_of_two() {
        let message = format!("alignment {value} exceeds 32 bits");
        return Diagnostic::new(&INVALID_ALIGNMENT, range, message).help("write a smaller power of two");
    }
    let message = format!("alignment {value} is not a power of two");
    let found = Diagnostic::new(&INVALID_ALIGNMENT, range.clone(), message);
    match value.checked_next_power_of_two().filter(|next| is_alignment(*next)) {
        Some(next) => found
            .help(format!("write a power of two, such as {next}"))
            .unsafe_fix(format!("Replace with `{next}`"), [replace(range, next.to_string())]),
        None => found.help("write a power of two"),
    }
}

/// The error of an array without a size.
pub(super) fn no_size(name: &Token) -> Diagnostic {
    Diagnostic::new(&INVALID_DECLARATION, name.range.clone(), format!("array `{}` has no size", name.text))
        .help("write the number of elements, as in `[4]`")
}

impl StorageSite<'_> {
    fn error(&self) -> Option<Diagnostic> {
        let ty = &*self.ty.text;
        if ty == ".pred" {
            return self.predicate_error();
        }
        if let Some(error) = self.vector_error() {
            return Some(error);
        }
        if isa::types::is_opaque(ty) {
            return self.opaque_error();
        }
        let of_instructions = instruction_type(ty).map(|(_, declared)| declared);
        let is_declarable = match of_instructions {
            Some(InstructionTypeDeclaration::Arrays) => self.is_array,
            Some(InstructionTypeDeclaration::Scalars) => true,
            None => type_bits(ty).is_some(),
        };
        if !is_declarable {
            return Some(self.not_a_variable_type());
        }
        let is_vector = !self.vector.text.is_empty();
        let is_packed = ty == ".f16x2" || of_instructions.is_some();
        if self.space.text == ".param" && !self.is_array && (is_vector || is_packed) {
            let (token, help) = match is_vector {
                true => (self.vector, "use an array of bytes with `.align`"),
                false => (self.ty, "use `.b32`"),
            };
            return Some(invalid(token, format!("`{}` is not allowed in `.param`", token.text)).help(help));
        }
        if self.space.text == ".reg" && self.is_array {
            let help = format!("declare several registers: `.reg {ty} {}<4>;`", self.name.text);
            let message = format!("register `{}` cannot be an array", self.name.text);
            return Some(invalid(self.name, message).help(help));
        }
        None
    }

    /// The error of a texture, sampler or surface that is neither global nor a parameter of a kernel. Measured: an array is only
    /// memory, which may also be shared, constant or a parameter of a function.
    fn opaque_error(&self) -> Option<Diagnostic> {
        let expected = match self.place {
            StoragePlace::Module if self.is_array => matches!(&*self.space.text, ".global" | ".shared" | ".const"),
            StoragePlace::Module => self.space.text == ".global",
            StoragePlace::KernelParameter => self.space.text == ".param",
            StoragePlace::FunctionParameter => self.is_array && self.space.text == ".param",
            StoragePlace::Function | StoragePlace::Prototype => false,
        };
        if expected || !isa::types::is_opaque(&self.ty.text) {
            return None;
        }
        let ty = &self.ty.text;
        let message = format!("`{ty}` variables must be in `.global` at module scope, or parameters of a kernel");
        Some(invalid(self.ty, message).help("declare it outside of functions, in `.global`"))
    }

    /// The error of a predicate that is not a scalar register.
    fn predicate_error(&self) -> Option<Diagnostic> {
        if self.ty.text != ".pred" || self.space.text == ".reg" && self.vector.text.is_empty() && !self.is_array {
            return None;
        }
        let help = match self.is_array {
            true => format!("declare several registers: `.reg .pred {}<4>;`", self.name.text),
            false => "declare it as `.reg .pred`, or use an integer type".to_owned(),
        };
        Some(invalid(self.ty, "predicates must be scalar registers".to_owned()).help(help))
    }

    /// The error of a vector whose type has no vectors, or that is too large.
    fn vector_error(&self) -> Option<Diagnostic> {
        let (ty, vector) = (&*self.ty.text, &*self.vector.text);
        let lanes: u32 = vector.strip_prefix(".v")?.parse().ok()?;
        let Some(bits) = type_bits(ty).filter(|_| instruction_type(ty).is_none()) else {
            let found = invalid(self.vector, format!("vectors of `{ty}` are not supported"));
            return Some(found.help(format!("remove `{vector}`")));
        };
        (bits * lanes > MAX_VECTOR).then(|| {
            invalid(self.vector, format!("`{vector} {ty}` exceeds {MAX_VECTOR} bits"))
                .help("use `.v2`, a narrower type, or an array")
        })
    }

    /// The error of a type that only instructions have.
    fn not_a_variable_type(&self) -> Diagnostic {
        let ty = &*self.ty.text;
        let instead = format!(".b{}", isa::types::Type::parse(ty.trim_start_matches('.')).map_or(16, |ty| ty.bits()));
        Diagnostic::new(
            &INVALID_DECLARATION,
            self.ty.range.clone(),
            format!("`{ty}` is not allowed as the type of a variable"),
        )
        .help(format!("declare it as `{instead}`"))
        .unsafe_fix(format!("Replace with `{instead}`"), [replace(self.ty.range.clone(), instead)])
    }
}

/// The diagnostic for a part of a declaration that the assembler rejects.
pub(super) fn invalid(at: &Token, message: String) -> Diagnostic {
    Diagnostic::new(&INVALID_DECLARATION, at.range.clone(), message)
}
