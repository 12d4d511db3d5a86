//! The words that a language has for what orders accesses.

use kernel::repairs::line_insertions::OrderingStatement;

/// A language of sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceWords {
    /// CUDA C++.
    Cuda,
    /// Triton, in Python.
    Triton,
}

impl SourceWords {
    /// That of a file.
    pub fn of(path: &str) -> Self {
        if path.ends_with(".py") { Self::Triton } else { Self::Cuda }
    }

    /// A statement; `None` if the language has none for it.
    pub const fn statement(self, statement: OrderingStatement) -> Option<&'static str> {
        match (self, statement) {
            (Self::Cuda, statement) => Some(statement.cuda()),
            (Self::Triton, OrderingStatement::Barrier) => Some("tl.debug_barrier()"),
            (Self::Triton, _) => None,
        }
    }

    /// The barrier of a block.
    pub const fn barrier(self) -> &'static str {
        match self {
            Self::Cuda => "`__syncthreads()`",
            Self::Triton => "`tl.debug_barrier()`",
        }
    }

    /// The barriers of a warp and of its block.
    pub const fn warp_barriers(self) -> &'static str {
        match self {
            Self::Cuda => "`__syncthreads()` and no `__syncwarp()`",
            Self::Triton => "`tl.debug_barrier()`",
        }
    }

    /// What orders what is before a write, which is read in the same block or in another one.
    pub const fn release(self, reach: ValueReach) -> &'static str {
        match self {
            Self::Cuda => reach.fence(),
            Self::Triton => "atomic with `sem=\"release\"`",
        }
    }

    /// What orders what is after a read, of a value of the same block or of another one.
    pub const fn acquire(self, reach: ValueReach) -> &'static str {
        match self {
            Self::Cuda => reach.fence(),
            Self::Triton => "atomic with `sem=\"acquire\"`",
        }
    }
}

/// How far a value goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueReach {
    /// Within a block.
    Block,
    /// To another one.
    OtherBlock,
}

impl ValueReach {
    const fn fence(self) -> &'static str {
        match self {
            Self::Block => "`__threadfence_block()`",
            Self::OtherBlock => "`__threadfence()`",
        }
    }
}
