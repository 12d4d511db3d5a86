//! Calls of the macros of `<nv/target>`, which compile their arguments for some devices only.

use super::condition::ArchCondition;

/// The open calls at the current position.
#[derive(Debug, Default)]
pub(super) struct Targets {
    calls: Vec<OpenCall>,
    /// The number of open parentheses.
    depth: usize,
}

#[derive(Debug)]
struct OpenCall {
    /// The number of open parentheses inside.
    depth: usize,
    /// Whether conditions and code alternate. If not, there is one condition, its code, and the code for all other devices.
    dispatch: bool,
    argument: usize,
    here: ArchCondition,
    /// The condition of the calls around it.
    around: ArchCondition,
}

impl Targets {
    /// The condition of the current argument.
    pub fn here(&self) -> ArchCondition {
        self.calls.last().map_or_else(ArchCondition::always, |call| call.around.and(&call.here))
    }

    /// Enters a call after its parenthesis; its first argument is a condition.
    pub fn call(&mut self, dispatch: bool, first: ArchCondition) {
        self.depth += 1;
        self.calls.push(OpenCall { depth: self.depth, dispatch, argument: 0, around: self.here(), here: first });
    }

    /// Handles an opening parenthesis.
    pub fn open(&mut self) {
        self.depth += 1;
    }

    /// Handles a closing parenthesis.
    pub fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        while self.calls.last().is_some_and(|call| call.depth > self.depth) {
            self.calls.pop();
        }
    }

    /// Whether a comma here separates arguments of a call.
    pub fn is_argument(&self) -> bool {
        self.calls.last().is_some_and(|call| call.depth == self.depth)
    }

    /// Moves to the next argument of the innermost call; `condition` counts if the argument is a condition.
    pub fn next_argument(&mut self, condition: ArchCondition) {
        let Some(call) = self.calls.last_mut() else { return };
        call.argument += 1;
        match (call.dispatch, call.argument) {
            (true, argument) if argument % 2 == 0 => call.here = condition,
            (false, 2) => call.here = call.here.clone().not(),
            _ => {}
        }
    }
}
