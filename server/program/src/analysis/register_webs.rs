//! Which values of a register belong together.
//!
//! A web has the definitions of a register that may reach one use, and all uses that these reach. A register that is used for several things has a
//! web for each of them. A definition with a guard may have no effect, so that it is in one web with those before it.

use crate::analysis::liveness::RegisterSet;
use crate::effects::{ControlTransfer, RegisterAccesses, successors};
use crate::machine_program::{MachineFunction, MachineInstruction};
use std::collections::BTreeMap;

/// The number of a web in its function.
pub type Web = u32;

/// The webs of the registers of a function.
#[derive(Debug, Default)]
pub struct RegisterWebs {
    /// What each instruction accesses.
    pub instructions: Vec<WebAccesses>,
    /// Those of the registers that have a value when the function is entered, if they are read.
    entry: BTreeMap<u32, Web>,
    /// Those of its results.
    results: BTreeMap<u32, Web>,
    /// The number of definitions of each web; what a register has when the function is entered is one.
    definitions: BTreeMap<Web, usize>,
}

/// What an instruction accesses: registers, each with its web.
#[derive(Debug, Default)]
pub struct WebAccesses {
    /// The web of its guard.
    pub guard: Option<Web>,
    /// What it reads, but for its guard.
    pub read: Vec<(u32, Web)>,
    /// What it writes.
    pub written: Vec<(u32, Web)>,
    /// Whether that is all.
    pub is_known: bool,
}

impl WebAccesses {
    /// The web of a register that is read.
    pub fn read(&self, register: u32) -> Option<Web> {
        web_of(&self.read, register)
    }

    /// The web of a register that is written.
    pub fn written(&self, register: u32) -> Option<Web> {
        web_of(&self.written, register)
    }
}

fn web_of(accesses: &[(u32, Web)], register: u32) -> Option<Web> {
    accesses.iter().find(|(one, _)| *one == register).map(|(_, web)| *web)
}

impl RegisterWebs {
    /// Those of a function, given the registers that matter at each instruction.
    pub fn of(function: &MachineFunction, live: &[RegisterSet]) -> Self {
        let mut search = WebSearch::of(function, live);
        (0..function.code.len()).for_each(|at| search.pass(function, at));
        search.found()
    }

    /// The web of a register when the function is entered; `None` if nothing reads it.
    pub fn at_entry(&self, register: u32) -> Option<Web> {
        self.entry.get(&register).copied()
    }

    /// The web of a result.
    pub fn at_return(&self, register: u32) -> Option<Web> {
        self.results.get(&register).copied()
    }

    /// Whether so many definitions give a web its values.
    pub fn has_definitions(&self, web: Web, count: usize) -> bool {
        self.definitions.get(&web) == Some(&count)
    }
}

/// The webs of a function while they are united. Each is a set of nodes, of which there is one for each definition, and one for each register that
/// matters where several ways meet.
struct WebSearch {
    /// For each node another one of its web, up to one that stands for it.
    parents: Vec<Web>,
    /// The nodes where several ways meet.
    meeting: BTreeMap<usize, BTreeMap<u32, Web>>,
    /// Those of the registers after the last instruction.
    current: BTreeMap<u32, Web>,
    /// The nodes of the definitions.
    defined: Vec<Web>,
    webs: RegisterWebs,
}

impl WebSearch {
    fn of(function: &MachineFunction, live: &[RegisterSet]) -> Self {
        let mut search = Self {
            parents: Vec::new(),
            meeting: BTreeMap::new(),
            current: BTreeMap::new(),
            defined: Vec::new(),
            webs: RegisterWebs::default(),
        };
        let mut heads = vec![0];
        for (at, instruction) in function.code.iter().enumerate() {
            successors(instruction, at, |next| heads.extend(Some(next).filter(|next| *next != at + 1)));
        }
        for head in heads {
            let registers: Vec<u32> = live.get(head).into_iter().flat_map(RegisterSet::registers).collect();
            if !search.meeting.contains_key(&head) {
                let nodes = registers.into_iter().map(|register| (register, search.node())).collect();
                search.meeting.insert(head, nodes);
            }
        }
        search.webs.entry = search.meeting.get(&0).cloned().unwrap_or_default();
        search.defined.extend(search.webs.entry.values());
        search
    }

    fn node(&mut self) -> Web {
        let node = self.parents.len() as Web;
        self.parents.push(node);
        node
    }

    fn web(&mut self, node: Web) -> Web {
        let mut at = node;
        while self.parents[at as usize] != at {
            let parent = self.parents[at as usize];
            self.parents[at as usize] = self.parents[parent as usize];
            at = parent;
        }
        at
    }

    fn unite(&mut self, one: Web, other: Web) {
        let (one, other) = (self.web(one), self.web(other));
        self.parents[other as usize] = one;
    }

    /// Follows the registers through an instruction.
    fn pass(&mut self, function: &MachineFunction, at: usize) {
        let instruction = &function.code[at];
        self.meet(at);
        let accesses = RegisterAccesses::in_function(&instruction.action, &function.formals);
        let mut found = WebAccesses { is_known: accesses.is_some(), ..WebAccesses::default() };
        found.guard = instruction.guard.map(|guard| self.current(guard.predicate));
        let accesses = accesses.unwrap_or_default();
        found.read = accesses.read.iter().map(|register| (*register, self.current(*register))).collect();
        if matches!(instruction.action.flow(), ControlTransfer::Return) {
            for (register, node) in found.read.clone() {
                let result = *self.webs.results.entry(register).or_insert(node);
                self.unite(result, node);
            }
        }
        for register in accesses.written {
            let node = match instruction.guard {
                Some(_) => self.current(register),
                None => self.node(),
            };
            self.current.insert(register, node);
            self.defined.push(node);
            found.written.push((register, node));
        }
        self.webs.instructions.push(found);
        self.leave(instruction, at);
    }

    /// The registers before an instruction, if others than the one before it lead there.
    fn meet(&mut self, at: usize) {
        if let Some(nodes) = self.meeting.get(&at) {
            self.current.clone_from(nodes);
        }
    }

    fn current(&mut self, register: u32) -> Web {
        let known = self.current.get(&register).copied();
        let node = known.unwrap_or_else(|| self.node());
        self.current.insert(register, node);
        node
    }

    /// What registers have after an instruction, they have before those that follow.
    fn leave(&mut self, instruction: &MachineInstruction, at: usize) {
        let mut same = Vec::new();
        successors(instruction, at, |next| {
            let nodes = self.meeting.get(&next).into_iter().flatten();
            same.extend(nodes.filter_map(|(register, node)| Some((*self.current.get(register)?, *node))));
        });
        same.into_iter().for_each(|(one, other)| self.unite(one, other));
    }

    fn found(mut self) -> RegisterWebs {
        let mut webs = std::mem::take(&mut self.webs);
        for accesses in &mut webs.instructions {
            let all = accesses.read.iter_mut().chain(&mut accesses.written).map(|(_, web)| web);
            all.chain(&mut accesses.guard).for_each(|web| *web = self.web(*web));
        }
        webs.entry.values_mut().chain(webs.results.values_mut()).for_each(|web| *web = self.web(*web));
        for node in std::mem::take(&mut self.defined) {
            *webs.definitions.entry(self.web(node)).or_default() += 1;
        }
        webs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::liveness::live_registers;
    use crate::call::Formal;
    use crate::machine_program::{MachineAction, MachineGuard};
    use crate::operand::{Destination, Source};

    const USED: u32 = 0;
    const CONDITION: u32 = 1;

    fn write(register: u32) -> MachineAction {
        MachineAction::Move(Destination { slot: register, mask: u64::MAX }, Source::Constant(0))
    }

    fn read(register: u32) -> MachineAction {
        MachineAction::BranchIndexed(Source::Register(register), [].into())
    }

    fn always(action: MachineAction) -> MachineInstruction {
        MachineInstruction { guard: None, action }
    }

    fn guarded(action: MachineAction) -> MachineInstruction {
        MachineInstruction { guard: Some(MachineGuard { predicate: CONDITION, expected: true }), action }
    }

    fn webs(code: Vec<MachineInstruction>) -> RegisterWebs {
        let function = MachineFunction { registers: 4, code, ..MachineFunction::default() };
        let live = live_registers(&function);
        RegisterWebs::of(&function, &live)
    }

    /// A use of a register whose thread goes on.
    fn use_of(register: u32) -> MachineInstruction {
        guarded(read(register))
    }

    #[test]
    fn a_register_that_is_written_anew_has_another_web() {
        let webs = webs(vec![always(write(USED)), use_of(USED), always(write(USED)), use_of(USED)]);
        let of = |at: usize| webs.instructions[at].read(USED);
        assert!(of(1).is_some() && of(1) != of(3));
        assert_eq!(of(1), webs.instructions[0].written(USED));
        assert!(webs.has_definitions(of(3).unwrap_or_default(), 1));
    }

    #[test]
    fn a_definition_with_a_guard_leaves_the_one_before() {
        let webs = webs(vec![always(write(USED)), guarded(write(USED)), use_of(USED)]);
        let web = webs.instructions[2].read(USED);
        assert_eq!((webs.instructions[0].written(USED), webs.instructions[1].written(USED)), (web, web));
        assert!(webs.has_definitions(web.unwrap_or_default(), 2));
    }

    #[test]
    fn definitions_on_two_ways_to_a_use_are_one_web() {
        let code = vec![
            guarded(MachineAction::Branch(3)),
            always(write(USED)),
            always(MachineAction::Branch(4)),
            always(write(USED)),
            use_of(USED),
        ];
        let webs = webs(code);
        let web = webs.instructions[4].read(USED);
        assert_eq!((webs.instructions[1].written(USED), webs.instructions[3].written(USED)), (web, web));
    }

    #[test]
    fn a_loop_reads_what_its_last_round_has_written() {
        let code = vec![always(write(USED)), use_of(USED), always(write(USED)), guarded(MachineAction::Branch(1))];
        let webs = webs(code);
        let web = webs.instructions[1].read(USED);
        assert_eq!((webs.instructions[0].written(USED), webs.instructions[2].written(USED)), (web, web));
    }

    #[test]
    fn what_a_function_returns_is_one_web() {
        let code = vec![
            always(write(USED)),
            guarded(MachineAction::Return),
            always(write(USED)),
            always(MachineAction::Return),
        ];
        let mut function = MachineFunction { registers: 4, code, ..MachineFunction::default() };
        function.formals.results = vec![Formal::Register(USED)];
        let live = live_registers(&function);
        let webs = RegisterWebs::of(&function, &live);
        let web = webs.at_return(USED);
        assert_eq!((webs.instructions[0].written(USED), webs.instructions[2].written(USED)), (web, web));
        assert_eq!((webs.at_entry(USED), webs.at_entry(CONDITION).is_some()), (None, true));
    }
}
