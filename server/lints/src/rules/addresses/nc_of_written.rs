//! `nc-of-written`: non-coherent loads of memory that the same function writes.

use analysis::effects::unrolled;
use analysis::effects::{AccessKind, ByteRange, FunctionEffects, MAX_COPIES, SyncProxy, Trigger};
use analysis::values::{FunctionValues, Provenance, Root, gcd};
use diagnostics::registry::NC_OF_WRITTEN;
use diagnostics::{Diagnostic, remove};
use foldhash::HashMap;

/// The maximum number of writes to compare with one load.
const MAX_WRITES: usize = 64;

/// The maximum number of bytes between the constant offsets of a load and a write of neighbours in an array.
const MAX_DISTANCE: u64 = 256;

/// Checks every `ld.global.nc`.
pub(crate) fn check(effects: &FunctionEffects, diagnostics: &mut Vec<Diagnostic>) {
    if !effects.triggers.has(Trigger::NON_COHERENT) {
        return;
    }
    let writes = writes_by_root(effects);
    let mut stale: Vec<StaleLoads> = Vec::new();
    for (at, access) in effects.accesses().filter(|(_, access)| access.proxy == SyncProxy::NonCoherent) {
        let Some(start) = access.operand.and_then(|operand| effects.address(at, operand)) else { continue };
        let range = ByteRange { start, size: None };
        let written = writes.get(&start.root).into_iter().flatten().take(MAX_WRITES);
        let may_meet = |write: &&(usize, usize, Provenance)| {
            range.is_hit_by(&write.2, effects) || is_same_array(effects, (at, access.operand), &start, write)
        };
        let Some((write, ..)) = { written }.find(may_meet) else { continue };
        let is_copy = |known: &&mut StaleLoads| {
            known.root == start.root && known.loads.iter().any(|load| unrolled::are_copies(effects, *load, at))
        };
        match stale.iter_mut().find(is_copy) {
            Some(known) => known.loads.push(at),
            None => stale.push(StaleLoads { root: start.root, write: *write, loads: vec![at] }),
        }
    }
    diagnostics.extend(stale.iter().map(|stale| stale.diagnostic(effects.flow)));
}

/// Loads of memory that the function writes: one, and the copies of it in an unrolled loop.
struct StaleLoads {
    root: Root,
    write: usize,
    loads: Vec<usize>,
}

impl StaleLoads {
    fn diagnostic(&self, flow: &FunctionValues) -> Diagnostic {
        let modifiers: Vec<_> = self.loads.iter().map(|load| flow.instruction(*load).modifier("nc")).collect();
        let message = "`.nc` load of memory that the function writes: the value may be stale";
        let found = Diagnostic::new(&NC_OF_WRITTEN, modifiers[0].clone(), message)
            .help("remove `.nc`; use it only for memory that nothing writes while the kernel runs")
            .related(flow.instruction(self.write).opcode.range(), "written here");
        let copies = modifiers.iter().skip(1).take(MAX_COPIES);
        let found = copies.fold(found, |found, copy| found.related(copy.clone(), "the same here"));
        found.fix("Remove `.nc`", modifiers.into_iter().map(remove))
    }
}

/// Whether a load and a write index the same array by thread: nothing but the indices of threads, loop counters and constants is added to its pointer.
fn is_same_array(
    effects: &FunctionEffects,
    (load, operand): (usize, Option<usize>),
    start: &Provenance,
    (write, written_operand, written): &(usize, usize, Provenance),
) -> bool {
    let is_parameter = matches!(start.root, Root::Parameter(..));
    let is_known = start.offset().is_some() && written.offset().is_some();
    is_parameter
        && !is_known
        && start.distance_from(written).unsigned_abs() <= MAX_DISTANCE
        && !are_other_fields(effects, (load, start), (*write, written))
        && operand.is_some_and(|operand| effects.is_indexed_by_thread(load, operand, start.root))
        && effects.is_indexed_by_thread(*write, *written_operand, start.root)
}

/// Whether two accesses use different bytes of each element of an array, as those of two fields of a structure.
fn are_other_fields(effects: &FunctionEffects, load: (usize, &Provenance), write: (usize, &Provenance)) -> bool {
    let (read, written) = (size(effects.flow, load.0), size(effects.flow, write.0));
    let element = i64::try_from(gcd(load.1.stride, write.1.stride)).unwrap_or_default();
    let (Some(read), Some(written), true) = (read, written, element > 0) else { return false };
    let distance = write.1.distance_from(load.1).rem_euclid(element);
    distance >= read && distance + written <= element
}

/// The size of an ordinary access in bytes, by its words.
fn size(flow: &FunctionValues, at: usize) -> Option<i64> {
    if !matches!(flow.mnemonic(at), "ld" | "st" | "red" | "atom") {
        return None;
    }
    let opcode = &flow.instruction(at).opcode;
    let bits =
        opcode.modifiers().last()?.trim_start_matches(|letter: char| !letter.is_ascii_digit()).parse::<i64>().ok()?;
    let lanes = [("v2", 2), ("v4", 4), ("v8", 8)].into_iter().find(|(word, _)| flow.has(at, word));
    Some(bits / 8 * lanes.map_or(1, |(_, lanes)| lanes))
}

/// The writes to each variable, parameter or pointer.
fn writes_by_root(effects: &FunctionEffects) -> HashMap<Root, Vec<(usize, usize, Provenance)>> {
    let mut writes: HashMap<Root, Vec<(usize, usize, Provenance)>> = HashMap::default();
    for (at, access) in effects.accesses().filter(|(_, access)| access.kind != AccessKind::Read) {
        let Some(operand) = access.operand else { continue };
        if let Some(address) = effects.address(at, operand) {
            writes.entry(address.root).or_default().push((at, operand, address));
        }
    }
    writes
}
