//! `system-scope`: narrower scopes on memory that a directive comment says is shared with other GPUs or the host.

use analysis::effects::{FunctionEffects, MemoryEffect, SyncAccess};
use analysis::values::{DecodedInstruction, Root};
use diagnostics::registry::SYSTEM_SCOPE;
use diagnostics::{Diagnostic, replace};
use isa::types::Scope;
use syntax::readable;

/// Checks every strong access to the memory of the named pointers and variables, and the fences next to one.
pub(crate) fn check(function: &FunctionEffects, diagnostics: &mut Vec<Diagnostic>) {
    if function.system_memory.is_empty() {
        return;
    }
    let effects = function.effects();
    let shared: Vec<Option<usize>> = effects.iter().map(|(at, effect)| system_symbol(function, *at, effect)).collect();
    for (place, (at, effect)) in effects.iter().enumerate() {
        let (scope, symbol) = match effect {
            MemoryEffect::Access(access) => (access.scope, shared[place]),
            MemoryEffect::Fence(_, scope) => {
                let next = shared.get(place + 1).copied().flatten();
                (*scope, next.or_else(|| place.checked_sub(1).and_then(|before| shared[before])))
            }
            _ => continue,
        };
        if let Some(symbol) = symbol.filter(|_| scope != Scope::Sys) {
            diagnostics.push(report(function, function.flow.instruction(*at), scope, symbol));
        }
    }
}

/// The pointer or variable with shared memory that an effect accesses with order.
fn system_symbol(function: &FunctionEffects, at: usize, effect: &MemoryEffect) -> Option<usize> {
    let MemoryEffect::Access(SyncAccess { order: Some(_), operand: Some(operand), .. }) = effect else { return None };
    let (Root::Variable(symbol) | Root::Parameter(symbol, _)) = function.address(at, *operand)?.root else {
        return None;
    };
    let name = readable(&function.flow.declaration(symbol).name.text);
    function.system_memory.iter().any(|pattern| matches(pattern, &name)).then_some(symbol)
}

/// Whether a name matches a pattern, in which `*` stands for any text.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|name| {
            name.char_indices().map(|(at, _)| &name[at..]).chain([""]).any(|name| matches(rest, name))
        }),
    }
}

fn report(function: &FunctionEffects, instruction: &DecodedInstruction, scope: Scope, symbol: usize) -> Diagnostic {
    let declaration = function.flow.declaration(symbol);
    let words = instruction.opcode.words();
    let written = words.into_iter().find(|word| Scope::parse(word).is_some());
    let range = written.map_or_else(|| instruction.opcode.range(), |word| instruction.modifier(word));
    let message = format!(
        "`.{}` scope on memory of `{}`, which other GPUs or the host access",
        scope.word(),
        readable(&declaration.name.text)
    );
    let found = Diagnostic::new(&SYSTEM_SCOPE, range.clone(), message).help("write `.sys`").declared(Some(declaration));
    match written {
        Some(_) => found.fix("Replace with `.sys`", [replace(range, ".sys")]),
        None => found,
    }
}
