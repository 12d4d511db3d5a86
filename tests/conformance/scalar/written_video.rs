//! Video instructions as they are written in a module, with the parts and the signs of their operands, against the recording.

use super::{EDGES, Form, RECORDINGS, Recordings};
use crate::operands::Operands;
use isa::Module;
use isa::target::{Target, Version};
use kernel::Kernel;
use program::{MachineAction, Source};
use syntax::LintFile;
use values::scalar::ScalarOperation;

/// The forms of a module.
const CHUNK: usize = 256;

/// The instruction of a form, with registers named as in the recording: `d`, `a`, `b` and `c`.
fn written(form: &Form) -> String {
    let (opcode, variant) = form.name.split_once('@').unwrap_or((&form.name, ""));
    let plain = ["d", "a", "b", "c"][..=Operands::new(&form.kinds).count()].join(" ");
    let operands = if variant.is_empty() { &plain } else { variant };
    format!("{opcode} {};", operands.replace(' ', ", "))
}

/// The computations of instructions, each with its three sources.
fn lowered(instructions: &str) -> Vec<(ScalarOperation, Vec<Source>)> {
    let text = format!(
        ".version 9.5\n.target sm_90\n.address_size 64\n.entry k() {{ .reg .b32 a, b, c, d;\n{instructions}\nret; }}\n"
    );
    let module = Module { target: Target::parse("sm_90"), version: Version::parse("9.5") };
    let kernel = Kernel::lower(&LintFile::parse(&text), module, "k").expect("a kernel");
    let code = kernel.program.functions.into_iter().flat_map(|function| function.code);
    let scalars = code.filter_map(|instruction| match instruction.action {
        MachineAction::Scalar(scalar) => Some((scalar.operation, scalar.sources[..3].to_vec())),
        _ => None,
    });
    scalars.collect()
}

#[test]
fn video_instructions_of_modules_compute_what_is_recorded() {
    let recordings = &*RECORDINGS;
    let mut at = 0;
    let mut video = Vec::new();
    for form in &recordings.forms {
        let edges = &recordings.edges[at..at + form.stored_bytes(EDGES)];
        at += edges.len();
        if form.name.starts_with('v') {
            video.push((form, edges));
        }
    }
    assert!(video.len() > 2_000, "{}", video.len());
    for chunk in video.chunks(CHUNK) {
        let instructions: Vec<String> = chunk.iter().map(|(form, _)| written(form)).collect();
        let operations = lowered(&instructions.join("\n"));
        assert_eq!(operations.len(), chunk.len(), "some are not lowered");
        for (((form, edges), (operation, sources)), text) in chunk.iter().zip(&operations).zip(&instructions) {
            let operands = Operands::new(&form.kinds);
            // The registers are declared in this order.
            let registers: Vec<Source> = (0..operands.count() as u32).map(Source::Register).collect();
            assert_eq!(sources[..registers.len()], registers, "{text}");
            for index in 0..EDGES {
                let recorded = Recordings::stored(form, edges, EDGES, index);
                assert_eq!(form.result(operation, &operands, index), recorded, "{text}, tuple {index}");
            }
        }
    }
}
