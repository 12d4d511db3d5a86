//! Compares what was read of two modules.

use super::facts::{FunctionFacts, InstructionMeaning, ModuleFacts, shown_name};
use super::{ComparedInstruction, FunctionChange, FunctionDiff, InstructionChange, ModuleDiff, PropertyChange};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::ops::Range;
use std::rc::Rc;

/// Compares two modules.
pub(super) fn modules(before: &ModuleFacts, after: &ModuleFacts) -> ModuleDiff {
    ModuleDiff {
        module: properties(&before.header, &after.header),
        shared_variables: properties(&before.shared_variables, &after.shared_variables),
        functions: functions(&before.functions, &after.functions),
    }
}

/// Compares lists of properties. Of several with one name, the first counts.
fn properties(before: &[(String, String)], after: &[(String, String)]) -> Vec<PropertyChange> {
    let map = |list: &[(String, String)]| list.iter().rev().cloned().collect::<HashMap<_, _>>();
    let (old, new) = (map(before), map(after));
    let (mut changes, mut known): (Vec<PropertyChange>, BTreeSet<&str>) = Default::default();
    let names = before.iter().chain(after.iter().filter(|(name, _)| !old.contains_key(name))).map(|(name, _)| name);
    for name in names {
        let (before, after) = (old.get(name).cloned(), new.get(name).cloned());
        if before != after && known.insert(name) {
            changes.push(PropertyChange { property: name.clone(), before, after });
        }
    }
    changes
}

/// Compares the functions of the same name; of several with one name, in their order.
fn functions(before: &[FunctionFacts], after: &[FunctionFacts]) -> Vec<FunctionDiff> {
    let mut by_name: HashMap<String, VecDeque<usize>> = HashMap::new();
    for (at, function) in after.iter().enumerate() {
        by_name.entry(shown_name(&function.name)).or_default().push_back(at);
    }
    let mut differences = Vec::new();
    for old in before {
        let new = by_name.get_mut(&shown_name(&old.name)).and_then(VecDeque::pop_front);
        match new {
            Some(at) => differences.extend(function(old, &after[at])),
            None => differences.push(alone(old, FunctionChange::Removed)),
        }
    }
    let mut left: Vec<_> = by_name.into_values().flatten().collect();
    left.sort_unstable();
    differences.extend(left.into_iter().map(|at| alone(&after[at], FunctionChange::Added)));
    differences
}

/// A function of one module.
fn alone(function: &FunctionFacts, change: FunctionChange) -> FunctionDiff {
    let FunctionFacts { name, kind, .. } = function;
    let (properties, instructions) = (Vec::new(), Vec::new());
    FunctionDiff { name: name.clone(), kind: kind.clone(), change, properties, instructions }
}

fn function(before: &FunctionFacts, after: &FunctionFacts) -> Option<FunctionDiff> {
    let properties = properties(&before.properties, &after.properties);
    let instructions = instructions(before, after);
    if properties.is_empty() && instructions.is_empty() {
        return None;
    }
    let (name, kind) = (after.name.clone(), after.kind.clone());
    Some(FunctionDiff { name, kind, change: FunctionChange::Changed, properties, instructions })
}

/// Aligns the instructions of two functions, and compares those that do not match.
fn instructions(before: &FunctionFacts, after: &FunctionFacts) -> Vec<InstructionChange> {
    let mut numbers: HashMap<Rc<InstructionMeaning>, usize> = HashMap::new();
    let mut numbered = |function: &FunctionFacts| -> Vec<usize> {
        let mut number = |meaning: &Rc<InstructionMeaning>| {
            let next = numbers.len();
            *numbers.entry(Rc::clone(meaning)).or_insert(next)
        };
        function.instructions.iter().map(|(_, meaning)| number(meaning)).collect()
    };
    let (old, new) = (numbered(before), numbered(after));
    let mut changes = Vec::new();
    for operation in capture_diff_slices(Algorithm::Myers, &old, &new) {
        if !matches!(operation, DiffOp::Equal { .. }) {
            replaced((before, operation.old_range()), (after, operation.new_range()), &mut changes);
        }
    }
    changes
}

/// Pairs instructions of the same name in two ranges, in order.
fn replaced(
    (before, old): (&FunctionFacts, Range<usize>),
    (after, new): (&FunctionFacts, Range<usize>),
    changes: &mut Vec<InstructionChange>,
) {
    let mut next = new.start;
    let added = |at: usize| InstructionChange {
        before: None,
        after: Some(after.instructions[at].0.clone()),
        properties: Vec::new(),
    };
    for (instruction, meaning) in &before.instructions[old] {
        let partner = (next..new.end).find(|at| after.instructions[*at].1.name == meaning.name);
        changes.extend((next..partner.unwrap_or(next)).map(added));
        let partner = partner.map(|at| {
            next = at + 1;
            &after.instructions[at]
        });
        changes.push(pair((instruction, meaning), partner));
    }
    changes.extend((next..new.end).map(added));
}

fn pair(
    (instruction, meaning): (&ComparedInstruction, &InstructionMeaning),
    partner: Option<&(ComparedInstruction, Rc<InstructionMeaning>)>,
) -> InstructionChange {
    let changed = partner.map(|(_, other)| {
        let mut changed = properties(&meaning.modifiers, &other.modifiers);
        if meaning.is_guarded != other.is_guarded {
            let guard = |is_guarded: bool| Some(if is_guarded { "conditional" } else { "always" }.to_owned());
            let (before, after) = (guard(meaning.is_guarded), guard(other.is_guarded));
            changed.push(PropertyChange { property: "execution".to_owned(), before, after });
        }
        changed
    });
    InstructionChange {
        before: Some(instruction.clone()),
        after: partner.map(|(other, _)| other.clone()),
        properties: changed.unwrap_or_default(),
    }
}
