//! What functions do with the flags that they are given, and what calls do around them: facts of one function each, for the check of a module.

use analysis::effects::PassedAddress;
use analysis::values::{FunctionValues, Provenance, Root};
use foldhash::HashMap;
use std::ops::Range;
use syntax::Item;

/// The facts about flags of one function.
#[derive(Clone, Debug, Default)]
pub struct FlagFacts {
    /// The parameter that points to a flag, if the function only waits for it, without acquire ordering.
    pub waits: Option<FlagFunction>,
    /// The parameter that points to a flag, if the function only sets it, without release ordering.
    pub signals: Option<FlagFunction>,
    /// The calls that would need the order which such a function lacks.
    pub calls: Vec<FlagCall>,
    /// Whether it has calls that were not looked at.
    pub leaves_out_calls: bool,
}

impl FlagFacts {
    /// The names of the function, if it only waits for a flag or sets one.
    pub fn function_names(&self) -> impl Iterator<Item = &str> {
        self.waits.iter().chain(&self.signals).map(|function| &*function.name)
    }
}

/// The function that facts are recorded of.
pub struct FlagPlace {
    name: String,
    /// The names of its parameters.
    parameters: Vec<String>,
    /// The start of its item.
    base: usize,
}

impl FlagPlace {
    /// The function of an item.
    pub fn of(item: &Item) -> Self {
        let head = item.head();
        let parameters = head.and_then(|head| head.function()).map(|function| function.parameters).unwrap_or_default();
        let name = item.declarations().first().map(|one| one.name.text.to_string());
        FlagPlace {
            name: name.unwrap_or_default(),
            parameters: parameters.iter().map(|one| one.declarator.name.text.to_string()).collect(),
            base: item.range().start,
        }
    }

    /// The opcode of an instruction, relative to the item.
    pub fn opcode(&self, flow: &FunctionValues, at: usize) -> Range<usize> {
        let range = flow.instruction(at).opcode.range();
        range.start - self.base..range.end - self.base
    }

    /// The function, if an access is at an address that it is given.
    pub fn function(&self, flow: &FunctionValues, at: usize, address: &Provenance) -> Option<FlagFunction> {
        let Root::Parameter(symbol, 0) = address.root else { return None };
        let name = &flow.declaration(symbol).name.text;
        let parameter = self.parameters.iter().position(|one| **one == **name)?;
        let is_given = !flow.is_entry() && address.offset() == Some(0);
        is_given.then(|| FlagFunction { name: self.name.clone(), parameter, range: self.opcode(flow, at) })
    }

    /// A call around which an access to data is not ordered.
    pub fn call(&self, flow: &FunctionValues, passed: &PassedAddress, usage: FlagUsage, data: usize) -> FlagCall {
        FlagCall {
            function: passed.function.clone(),
            argument: passed.argument,
            usage,
            range: self.opcode(flow, passed.at),
            data: self.opcode(flow, data),
        }
    }
}

/// A function that only waits for a flag, or only sets one.
#[derive(Clone, Debug)]
pub struct FlagFunction {
    /// Its name.
    pub name: String,
    /// The number of the parameter that has the address.
    pub parameter: usize,
    /// The opcode of its access to the flag, relative to the item.
    pub range: Range<usize>,
}

/// A call that passes an address, which may be that of a flag.
#[derive(Clone, Debug)]
pub struct FlagCall {
    /// The name of the function.
    pub function: String,
    /// The number of the argument.
    pub argument: usize,
    /// What the caller does with the flag.
    pub usage: FlagUsage,
    /// The opcode of the call, relative to the item.
    pub range: Range<usize>,
    /// The opcode of the access to the data, relative to the item.
    pub data: Range<usize>,
}

/// What is wrong with a call if the function does not order memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagUsage {
    /// The flag certainly guards what is read after the call.
    CertainWait,
    /// The flag probably guards what is read after the call.
    LikelyWait,
    /// Data is written before the call.
    Signal,
}

/// A call that is wrong for the function that it calls, with places in the module.
pub struct WrongCall {
    /// What the caller does with the flag.
    pub usage: FlagUsage,
    /// The access of the function to the flag.
    pub flag: Range<usize>,
    /// The place of the call.
    pub call: Range<usize>,
    /// The access of the caller to the data.
    pub data: Range<usize>,
}

/// The first wrong call of each function of a module, given the facts of its items with their starts.
pub fn wrong_calls<'i>(
    items: &[(usize, &'i FlagFacts)],
    function: impl Fn(&'i FlagFacts) -> Option<&'i FlagFunction>,
    usages: &[FlagUsage],
) -> Vec<WrongCall> {
    let mut first = HashMap::default();
    for (base, facts) in items {
        for call in facts.calls.iter().filter(|call| usages.contains(&call.usage)) {
            first.entry((&*call.function, call.argument)).or_insert((*base, call));
        }
    }
    let wrong = |(base, function): (usize, &FlagFunction)| {
        let (caller, call) = first.get(&(&*function.name, function.parameter))?;
        Some(WrongCall {
            usage: call.usage,
            flag: absolute(base, &function.range),
            call: absolute(*caller, &call.range),
            data: absolute(*caller, &call.data),
        })
    };
    items.iter().filter_map(|(base, facts)| Some((*base, function(facts)?))).filter_map(wrong).collect()
}

/// A range relative to an item, in the module.
fn absolute(base: usize, range: &Range<usize>) -> Range<usize> {
    base + range.start..base + range.end
}
