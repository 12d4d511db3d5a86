//! Parses the columns of instructions row by row, and resolves the labels of each thread.

use crate::lexer::{LitmusToken, LitmusTokenKind};
use crate::parse::condition;
use crate::parse::instruction::instruction;
use crate::parse::operands::Cell;
use crate::parse::reader::LitmusReader;
use memory_model::ModelInstruction;
use std::collections::BTreeMap;

/// Parses the rows up to the claim.
pub fn read(reader: &mut LitmusReader) {
    let columns = reader.test.program.threads.len();
    let mut cells: Vec<Vec<LitmusToken>> = vec![Vec::new(); columns];
    while reader.peek().is_some() && !condition::is_next(reader) {
        row(reader, &mut cells);
    }
    for (thread, column) in cells.iter().enumerate() {
        instructions(reader, thread, column);
    }
}

/// Parses a row of cells.
fn row<'t>(reader: &mut LitmusReader<'t>, cells: &mut [Vec<LitmusToken<'t>>]) {
    let columns = cells.len();
    let mut column = 0;
    while let Some(token) = reader.next() {
        match token.text {
            "|" => column += 1,
            ";" => {
                for cell in cells.iter_mut() {
                    cell.push(LitmusToken { kind: LitmusTokenKind::Sign, text: ";", range: token.range.clone() });
                }
                return;
            }
            _ if column < columns => cells[column].push(token),
            _ => {
                let message = format!("unexpected column: the test has {columns} threads");
                reader.error(token.range, message, "declare the thread in the first row, or remove the cell");
                while reader.peek().is_some_and(|token| token.text != ";") {
                    reader.next();
                }
            }
        }
        if condition::is_next(reader) {
            let end = reader.read_to();
            return reader.error(end..end, "unterminated row".into(), "add `;` at the end of the row");
        }
    }
}

/// Parses the instructions of a column, with their labels.
fn instructions<'t>(reader: &mut LitmusReader<'t>, thread: usize, column: &[LitmusToken<'t>]) {
    let mut labels: BTreeMap<&str, usize> = BTreeMap::new();
    let mut jumps: Vec<(usize, LitmusToken)> = Vec::new();
    for cell in column.split(|token| token.text == ";") {
        let mut cell = cell;
        while let [label, colon, rest @ ..] = cell {
            if colon.text != ":" {
                break;
            }
            if labels.insert(label.text, reader.test.program.threads[thread].code.len()).is_some() {
                reader.error(label.range.clone(), format!("duplicate label `{}`", label.text), "rename one of them");
            }
            cell = rest;
        }
        let [opcode, operands @ ..] = cell else { continue };
        let range = opcode.range.start..cell[cell.len() - 1].range.end;
        match instruction(reader, &Cell { thread, opcode, operands, range: range.clone() }) {
            Ok((made, jump)) => {
                // After those that stand before it for the same cell.
                let at = reader.test.program.threads[thread].code.len();
                jumps.extend(jump.map(|label| (at, label)));
                reader.test.program.threads[thread].code.push(made);
                reader.test.places.push((thread, at, range));
            }
            Err(error) => reader.test.errors.push(error),
        }
    }
    for (at, label) in jumps {
        match labels.get(label.text) {
            Some(to) => {
                if let ModelInstruction::Branch { target, .. } = &mut reader.test.program.threads[thread].code[at] {
                    *target = *to;
                }
            }
            None => {
                let message = format!("unknown label `{}`", label.text);
                reader.error(label.range, message, "define the label in the same thread, as in `LC00:`");
            }
        }
    }
}
