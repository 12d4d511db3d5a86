//! `nc-of-written`: non-coherent loads of memory that the same function writes.

use crate::dataflow::{AccessKind, ByteRange, DataFlow, SyncProxy, Trigger};
use crate::flow::{Provenance, Root};
use diagnostics::registry::NC_OF_WRITTEN;
use diagnostics::{Diagnostic, remove};
use foldhash::HashMap;

/// The maximum number of writes to compare with one load.
const MAX_WRITES: usize = 64;

/// Checks every `ld.global.nc`.
pub(super) fn check(dataflow: &DataFlow, diagnostics: &mut Vec<Diagnostic>) {
    if !dataflow.triggers.has(Trigger::NON_COHERENT) {
        return;
    }
    let writes = writes_by_root(dataflow);
    for (at, access) in dataflow.accesses().filter(|(_, access)| access.proxy == SyncProxy::NonCoherent) {
        let Some(start) = access.operand.and_then(|operand| dataflow.address(at, operand)) else { continue };
        let range = ByteRange { start, size: None };
        let written = writes.get(&start.root).into_iter().flatten().take(MAX_WRITES);
        if let Some((write, _)) = { written }.find(|(_, write)| range.is_hit_by(write, dataflow)) {
            let flow = dataflow.flow;
            let instruction = flow.instruction(at);
            let modifier = instruction.modifier("nc");
            diagnostics.push(
                Diagnostic::new(
                    &NC_OF_WRITTEN,
                    modifier.clone(),
                    "`.nc` load of memory that the function writes: the value may be stale",
                )
                .help("remove `.nc`; use it only for memory that nothing writes while the kernel runs")
                .related(flow.instruction(*write).opcode.range.clone(), "written here")
                .fix("Remove `.nc`", [remove(modifier)]),
            );
        }
    }
}

/// The writes to each variable, parameter or pointer.
fn writes_by_root(dataflow: &DataFlow) -> HashMap<Root, Vec<(usize, Provenance)>> {
    let mut writes: HashMap<Root, Vec<(usize, Provenance)>> = HashMap::default();
    for (at, access) in dataflow.accesses().filter(|(_, access)| access.kind != AccessKind::Read) {
        if let Some(address) = access.operand.and_then(|operand| dataflow.address(at, operand)) {
            writes.entry(address.root).or_default().push((at, address));
        }
    }
    writes
}
