//! The instructions of a program by their places.

use crate::effects::successors;
use crate::machine_program::{MachineAction, MachineInstruction, MachineProgram};
use crate::problem::CodePlace;

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

/// Which instructions of a function a thread may execute after some of them, if it does not go on after those that hold it up.
pub fn after(code: &[MachineInstruction], starts: Vec<usize>, holds_up: impl Fn(usize) -> bool) -> Vec<bool> {
    let (mut seen, mut open) = (vec![false; code.len()], starts);
    while let Some(at) = open.pop() {
        let Some(instruction) = code.get(at) else { continue };
        successors(instruction, at, |next| {
            if seen.get(next).is_some_and(|seen| !seen) {
                seen[next] = true;
                open.extend(Some(next).filter(|next| !holds_up(*next)));
            }
        });
    }
    seen
}
