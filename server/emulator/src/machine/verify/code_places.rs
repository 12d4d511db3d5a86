//! The instructions of a program by their places.

use super::super::problem::CodePlace;
use super::super::program::{MachineAction, MachineInstruction, MachineProgram};

/// An instruction of a program.
pub fn instruction(program: &MachineProgram, place: CodePlace) -> &MachineInstruction {
    &program.functions[place.function as usize].code[place.instruction as usize]
}

/// The instructions of a program of some kind.
pub fn places(program: &MachineProgram, is_one: impl Fn(&MachineAction) -> bool) -> impl Iterator<Item = CodePlace> {
    let functions = (0_u32..).zip(&program.functions);
    let all = functions.flat_map(|(function, body)| {
        (0_u32..).zip(&body.code).map(move |(instruction, one)| (CodePlace { function, instruction }, one))
    });
    all.filter(move |(_, one)| is_one(&one.action)).map(|(place, _)| place)
}
