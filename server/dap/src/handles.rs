//! The numbers that the client has for frames and for lists of variables, while the run is stopped.

use machine::ObservedMemory;
use program::ThreadId;
use values::Shape;

/// A call of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameHandle {
    /// The thread.
    pub thread: ThreadId,
    /// The call, 0 is the innermost.
    pub call: usize,
}

/// The scopes of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeKind {
    /// Registers with a value.
    Registers,
    /// Special registers.
    Special,
    /// Parameters.
    Parameters,
    /// The buffers among the arguments.
    Buffers,
    /// Shared memory.
    Shared,
    /// Local variables, and parameters of device functions.
    Local,
    /// Variables of the module.
    Module,
}

impl ScopeKind {
    /// All scopes, as they are listed.
    pub const ALL: [Self; 7] =
        [Self::Registers, Self::Parameters, Self::Buffers, Self::Shared, Self::Local, Self::Module, Self::Special];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Registers => "Registers",
            Self::Special => "Special registers",
            Self::Parameters => "Parameters",
            Self::Buffers => "Buffers",
            Self::Shared => "Shared memory",
            Self::Local => "Local memory",
            Self::Module => "Module variables",
        }
    }
}

/// A list of variables.
#[derive(Clone, Debug, PartialEq)]
pub enum VariableList {
    /// Those of a scope.
    Scope(FrameHandle, ScopeKind),
    /// The elements of an array.
    Elements {
        /// The frame.
        frame: FrameHandle,
        /// The first byte.
        memory: ObservedMemory,
        /// The shape of an element.
        shape: Shape,
        /// The type of an element.
        ty: String,
        /// The number of elements.
        count: u64,
    },
}

/// The numbers of frames and lists.
#[derive(Debug, Default)]
pub struct Handles {
    frames: Vec<FrameHandle>,
    lists: Vec<VariableList>,
}

impl Handles {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.frames.clear();
        self.lists.clear();
    }

    /// The number of a frame.
    pub fn frame(&mut self, frame: FrameHandle) -> usize {
        number(&mut self.frames, frame)
    }

    /// The number of a list.
    pub fn list(&mut self, list: VariableList) -> usize {
        number(&mut self.lists, list)
    }

    /// The frame with a number.
    pub fn find_frame(&self, number: u64) -> Option<FrameHandle> {
        self.frames.get(usize::try_from(number).ok()?.checked_sub(1)?).copied()
    }

    /// The list with a number.
    pub fn find_list(&self, number: u64) -> Option<VariableList> {
        self.lists.get(usize::try_from(number).ok()?.checked_sub(1)?).cloned()
    }
}

fn number<T: PartialEq>(known: &mut Vec<T>, one: T) -> usize {
    let at = known.iter().position(|known| *known == one).unwrap_or_else(|| {
        known.push(one);
        known.len() - 1
    });
    at + 1
}
