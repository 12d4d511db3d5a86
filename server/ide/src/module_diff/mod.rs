//! The differences between two modules that matter for atomics and resources: instructions that are atomic or order memory, what functions declare,
//! versions and targets. Names of registers, arithmetic, and the order of functions do not matter.

mod compare;
mod facts;

use facts::ModuleFacts;

/// The differences between two modules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModuleDiff {
    /// Changes of `.version`, `.target` and `.address_size`.
    pub module: Vec<PropertyChange>,
    /// Changes of the `.shared` variables of the module, by name.
    pub shared_variables: Vec<PropertyChange>,
    /// The functions that differ, in the order of the first module, then those that only the second has.
    pub functions: Vec<FunctionDiff>,
}

/// A property with its values before and after. One of them is `None` if the property was added or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyChange {
    /// The property, such as `.maxntid` or "scope".
    pub property: String,
    /// The value in the first module.
    pub before: Option<String>,
    /// The value in the second module.
    pub after: Option<String>,
}

/// Which modules define a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionChange {
    /// Only the second.
    Added,
    /// Only the first.
    Removed,
    /// Both, with differences.
    Changed,
}

/// The differences of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionDiff {
    /// Its name as written.
    pub name: String,
    /// `.entry` or `.func`.
    pub kind: String,
    /// Which modules define it.
    pub change: FunctionChange,
    /// Linkage, parameters, directives, registers and memory.
    pub properties: Vec<PropertyChange>,
    /// Atomics, fences, barriers, and ordered loads and stores.
    pub instructions: Vec<InstructionChange>,
}

/// An instruction of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedInstruction {
    /// The line, counted from 1.
    pub line: usize,
    /// The opcode, with its modifiers in conventional order, and the guard if it has one.
    pub text: String,
}

/// A changed instruction: one that was added, removed, or replaced by one of the same name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionChange {
    /// The instruction of the first module.
    pub before: Option<ComparedInstruction>,
    /// The instruction of the second module.
    pub after: Option<ComparedInstruction>,
    /// What differs between the two, defaults included: memory ordering, scope, state space, …
    pub properties: Vec<PropertyChange>,
}

impl ModuleDiff {
    /// Compares two texts of PTX.
    pub fn of(before: &str, after: &str) -> ModuleDiff {
        compare::modules(&ModuleFacts::of(before), &ModuleFacts::of(after))
    }

    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        *self == ModuleDiff::default()
    }
}

#[cfg(test)]
mod tests;
