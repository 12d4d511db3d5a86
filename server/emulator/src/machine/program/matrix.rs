//! Matrices of 8 by 8 elements of 16 bits in the registers of a warp: each lane holds two neighbours of a row, four lanes a row.

use crate::machine::program::operand::{Destination, MachineAddress, Source};

/// An instruction on matrices of a warp.
#[derive(Debug)]
pub struct MatrixInstruction {
    /// What it does.
    pub operation: MatrixOperation,
    /// Which elements of a row in memory a lane holds.
    pub layout: MatrixLayout,
}

/// What is done with matrices; the rows of matrix n are at the addresses of the lanes from 8 n on.
#[derive(Debug)]
pub enum MatrixOperation {
    /// `ldmatrix`, with a register for each matrix.
    Load(MachineAddress, Vec<Destination>),
    /// `stmatrix`, with a register for each matrix.
    Store(MachineAddress, Vec<Source>),
    /// `movmatrix`
    Move(Destination, Source),
}

/// Which elements a lane holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixLayout {
    /// Neighbours of a row.
    Rows,
    /// Neighbours of a column: `.trans`
    Columns,
}

impl MatrixLayout {
    /// The row and the column of one of the two elements that a lane holds.
    pub const fn position(self, lane: usize, element: usize) -> (usize, usize) {
        let (line, at) = (lane / 4, lane % 4 * 2 + element);
        match self {
            Self::Rows => (line, at),
            Self::Columns => (at, line),
        }
    }
}
