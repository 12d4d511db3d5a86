//! Fixes for a register of the wrong type: another register in scope, or a conversion that keeps the value. They are for people to choose: which register is
//! meant is not known.

use crate::operands::fixes::is_legal;
use crate::operands::meaning::Lookup;
use crate::operands::types::{Class, RegisterType};
use crate::operands::{LazyOpcode, OperandSite};
use diagnostics::registry::OPERAND_TYPE;
use diagnostics::{Applicability, Diagnostic, Edit, insert, replace};
use isa::Role;
use isa::types::{Type, TypeKind};
use std::collections::BTreeMap;
use syntax::{
    Declaration, DeclarationKind, Instruction, Names, SourceFile, Token, WalkEvent, is_name_char, range_index, walk,
};

/// The maximum number of declared registers to compare.
const MOST_COMPARED: usize = 1000;

/// Adds the fixes to a diagnostic for a register of the wrong type.
pub(super) fn with_fixes<'a>(
    site: &OperandSite<'_, 'a>,
    instruction: &Instruction<'a>,
    text: &str,
    error: Diagnostic,
) -> Diagnostic {
    let start = instruction.range().start;
    let place = error.range.start.checked_sub(start).zip(error.range.end.checked_sub(start));
    let Some(name) = place.and_then(|(from, to)| text.get(from..to)).filter(|_| *error.rule == OPERAND_TYPE) else {
        return error;
    };
    let Some(declaration) = site.lookup.names.find(name).filter(|one| one.kind == DeclarationKind::Register) else {
        return error;
    };
    let wrong = WrongRegister { site, text, start, name: Token { range: error.range.clone(), text: name.into() } };
    let other = wrong.other(declaration);
    let converted = wrong.converted(instruction, declaration);
    let other = other.into_iter().map(|(title, edit)| (title, vec![edit]));
    other.chain(converted).fold(error, |error, (title, edits)| error.fix_with(Applicability::Manual, title, edits))
}

/// A register of the wrong type in an instruction.
struct WrongRegister<'w, 'a> {
    site: &'w OperandSite<'w, 'a>,
    /// The text of the instruction, and its start.
    text: &'w str,
    start: usize,
    name: Token<'w>,
}

impl<'a> WrongRegister<'_, 'a> {
    /// The register in scope with the closest name that makes the instruction legal.
    fn other(&self, declaration: &Declaration) -> Option<(String, Edit)> {
        let registers: Vec<_> = self.site.lookup.names.registers().take(MOST_COMPARED + 1).collect();
        if registers.len() > MOST_COMPARED {
            return None;
        }
        let (base, index) = range_index(&self.name.text);
        let mut by_type: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
        for register in registers.into_iter().filter(|one| !one.broken && one.ty.text != declaration.ty.text) {
            let name = &register.name.text;
            let member = |count: u64| format!("{name}{}", index.filter(|index| *index < count).unwrap_or(0));
            let candidate = register.count.map_or_else(|| name.to_string(), member);
            // The name may mean a register of another block, or of another range.
            let meant = self.site.lookup.names.find(&candidate);
            if meant.is_some_and(|meant| meant.name.range == register.name.range) {
                by_type.entry((&register.ty.text, &register.vector.text)).or_default().push(candidate);
            }
        }
        let fitting = by_type.into_values().filter(|names| self.is_legal_with(&[self.replaced(&names[0])]));
        let closeness = |name: &String| {
            let (other, number) = range_index(name);
            (number != index, other.len().abs_diff(base.len()), name.len(), name.clone())
        };
        let closest = fitting.flatten().min_by_key(closeness)?;
        Some((format!("Replace `{}` with `{closest}`", self.name.text), self.replaced(&closest)))
    }

    /// The same value in a new register of a type that makes the instruction legal, in a block around the instruction.
    fn converted(&self, instruction: &Instruction, declaration: &Declaration) -> Option<(String, Vec<Edit>)> {
        let range = &self.name.range;
        let contains = |operand: &Token| operand.range.start <= range.start && range.end <= operand.range.end;
        let at = instruction.operands().iter().position(|operand| contains(&operand.token))?;
        let operand = self.site.legal.operands().nth(at)?;
        let is_read = matches!(operand.role, Role::Value | Role::Compare | Role::Policy);
        let source = RegisterType::parse(&declaration.ty.text)?;
        if !is_read || !declaration.vector.text.is_empty() {
            return None;
        }
        conversions(source, &declaration.ty.text, operand.ty).into_iter().find_map(|(ty, opcode)| {
            let new = format!("{}_{}", self.name.text, &ty[1..]);
            let conversion = format!("{opcode} {new}, {};", self.name.text);
            let end = self.start + self.text.len();
            let edits = vec![
                insert(self.start, format!("{{ .reg {ty} {new}; {conversion} ")),
                self.replaced(&new),
                insert(end, " }"),
            ];
            let is_new = self.site.lookup.names.find(&new).is_none();
            (is_new && self.is_legal_with(&edits))
                .then(|| (format!("Convert `{}` with `{opcode}`", self.name.text), edits))
        })
    }

    fn replaced(&self, name: &str) -> Edit {
        replace(self.name.range.clone(), name)
    }

    /// Whether the instruction is legal after some edits in it.
    fn is_legal_with(&self, edits: &[Edit]) -> bool {
        let mut fixed = self.text.to_owned();
        for edit in edits.iter().rev() {
            fixed.replace_range(edit.range.start - self.start..edit.range.end - self.start, &edit.text);
        }
        let file = SourceFile::parse(&format!(".entry k() {{ {fixed} }}"));
        let mut names = Names::default();
        let words = fixed.split(|c: char| !is_name_char(c)).filter(|word| !word.is_empty());
        words.filter_map(|word| self.site.lookup.names.find(word)).for_each(|known| names.declare(known.clone()));
        let mut is_legal_so_far = true;
        walk(&file, |event| {
            names.follow(&event);
            if let WalkEvent::Instruction(instruction) = event {
                is_legal_so_far &= !instruction.has_error() && self.is_legal_among(&names, &instruction);
            }
        });
        is_legal_so_far
    }

    fn is_legal_among(&self, names: &Names, instruction: &Instruction) -> bool {
        let Lookup { certain, known, ahead, function_type, reads_special, .. } = self.site.lookup;
        let lookup = Lookup { names, certain, known, ahead, function_type, reads_special };
        let (opcode, legal, module) = (LazyOpcode::new(instruction.opcode_token()), self.site.legal, self.site.module);
        let samplers = self.site.samplers;
        is_legal(&OperandSite { opcode: &opcode, legal, module, lookup, samplers }, instruction)
    }
}

/// Conversions that keep the value of a register, each with the type of the new register: to wider types, and to types that hold the same bits.
fn conversions(source: RegisterType, declared: &str, wanted: Type) -> Vec<(&'static str, String)> {
    const WIDER: [(u32, &str); 3] = [(16, ".b16"), (32, ".b32"), (64, ".b64")];
    let is_signed = source.class == Class::Signed || declared.starts_with(".b") && wanted.kind() == TypeKind::Signed;
    let sign = if is_signed { 's' } else { 'u' };
    match source.class {
        Class::Bits | Class::Unsigned | Class::Signed => {
            // Bits of an integer are a number of this format only where no register has the format's type.
            let is_packed = matches!(wanted, Type::F16 | Type::Bf16 | Type::F16x2 | Type::Bf16x2 | Type::F32x2);
            let wider = WIDER.iter().filter(|(bits, _)| *bits > source.bits && !is_packed);
            let same = WIDER.iter().filter(|(bits, _)| *bits == source.bits && is_packed);
            let copied = same.map(|(bits, ty)| (*ty, format!("mov.b{bits}")));
            let wider = wider.map(|(bits, ty)| (*ty, format!("cvt.{sign}{bits}.{sign}{}", source.bits)));
            copied.chain(wider).collect()
        }
        Class::Float if source.bits == 16 => vec![(".f32", "cvt.f32.f16".to_owned())],
        Class::Float if source.bits == 32 => vec![(".f64", "cvt.f64.f32".to_owned())],
        Class::Float | Class::Predicate | Class::Packed => Vec::new(),
    }
}
