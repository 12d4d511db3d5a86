//! The symbolic values of a run. The value of a read is known once the write that it reads is decided.

use crate::Bits;
use crate::code::instruction::ModelOperand;
use crate::relations::event_set::EventSet;
use crate::runs::node::Node;
use crate::runs::run::ProgramRun;

impl ProgramRun<'_> {
    /// The reads that the branches and guards before the next instruction of a thread depend on.
    pub fn control_dependencies(&self, thread: usize) -> EventSet {
        let state = &self.threads[thread];
        state.control_dependencies | state.guard.dependencies
    }

    /// The node of an operand.
    pub fn operand(&mut self, thread: usize, operand: ModelOperand) -> usize {
        match operand {
            ModelOperand::Register(register) => self.threads[thread].registers[register],
            ModelOperand::Constant(value) => self.constant(value),
        }
    }

    /// Sets a register; under a guard, its value depends on the guard as well.
    pub fn set(&mut self, thread: usize, register: usize, mut node: usize) {
        let guard = self.threads[thread].guard.dependencies;
        if !(guard - self.dependencies[node]).is_empty() {
            let one = self.constant(1);
            node = self.node(Node::Select(one, node, node), self.dependencies[node] | guard);
        }
        self.threads[thread].registers[register] = node;
    }

    /// The node of a constant.
    pub fn constant(&mut self, value: Bits) -> usize {
        let known = self.nodes.iter().position(|node| *node == Node::Constant(value));
        known.unwrap_or_else(|| self.node(Node::Constant(value), EventSet::EMPTY))
    }

    /// Adds a node that depends on some reads.
    pub fn node(&mut self, node: Node, dependencies: EventSet) -> usize {
        self.nodes.push(node);
        self.dependencies.push(dependencies);
        self.nodes.len() - 1
    }

    /// Adds a node with the dependencies of its operands. Constants are folded.
    pub fn compute(&mut self, node: Node) -> usize {
        let constant = |at: usize| match self.nodes[at] {
            Node::Constant(value) => Some(value),
            _ => None,
        };
        if let Some(value) = node.value(constant) {
            return self.constant(value);
        }
        let dependencies = node.operands().fold(EventSet::EMPTY, |all, at| all | self.dependencies[at]);
        self.node(node, dependencies)
    }

    /// The value of a node, if it follows from the known values.
    pub fn value(&self, node: usize, values: &[Option<Bits>]) -> Option<Bits> {
        match &self.nodes[node] {
            Node::Constant(value) => Some(*value),
            _ if node < values.len() => values[node],
            Node::Read(_) => None,
            other => other.value(|at| self.value(at, values)),
        }
    }
}
