//! Shared variables, of which each CTA has its own.

use crate::lower::functions::ModuleVariable;
use crate::test::Test;
use memory_model::{FencedSpace, Location, ThreadPosition};
use std::collections::BTreeMap;
use std::ops::Range;

/// The distance between the addresses of symbols.
pub const SYMBOL_STRIDE: u64 = 1 << 20;

/// The bytes of shared memory that descriptors of matrices can address.
pub const WINDOW: u64 = 1 << 18;
/// The alignment of small variables, which is the unit of addresses in descriptors.
const SMALL: u64 = 16;
/// The alignment of others: what is permuted of a matrix repeats after so many bytes.
const LARGE: u64 = 1024;

/// Gives each shared variable its place in shared memory. Those of unknown size have what is left.
pub fn place(variables: &mut BTreeMap<String, ModuleVariable>) {
    let shared = variables.values_mut().filter(|one| one.shared).map(|one| &mut one.window);
    let (sized, others): (Vec<_>, Vec<_>) = shared.partition(|window| !window.is_empty());
    let mut end = 0_u64;
    for window in sized {
        let bytes = window.end;
        let start = end.next_multiple_of(if bytes <= SMALL { SMALL } else { LARGE });
        // Past the end of shared memory it does not matter where.
        end = start.saturating_add(bytes).min(WINDOW + 1);
        *window = start.min(WINDOW)..end;
    }
    let start = end.next_multiple_of(LARGE).min(WINDOW);
    others.into_iter().for_each(|window| *window = start..WINDOW);
}

/// The address in a shared variable that begins at `start`, of which a descriptor has the lower bits; `None` if it is in another variable.
pub fn described(start: u64, window: &Range<u64>, lower: u64) -> Option<u64> {
    window.contains(&lower).then(|| start + (lower - window.start))
}

/// The name of a shared variable of a CTA. That of the first thread has the variable's own name.
pub fn shared_key(test: &Test, name: &str, place: ThreadPosition) -> String {
    if place == test.program.threads[0].place {
        return name.to_owned();
    }
    format!("{name}@{}.{}.{}", place.gpu, place.cluster, place.cta)
}

/// The address of the same byte of a shared variable in another CTA; `None` if the address is in no shared variable.
pub fn in_cta(test: &mut Test, address: u64, place: ThreadPosition) -> Option<u64> {
    let locations = test.program.locations.iter();
    let same = |one: &&Location| one.address / SYMBOL_STRIDE == address / SYMBOL_STRIDE;
    let own = locations.filter(same).min_by_key(|one| one.address)?.clone();
    if own.space != Some(FencedSpace::Shared) {
        return None;
    }
    let offset = address - own.address;
    let name = own.name.split('@').next().unwrap_or_default();
    let name = shared_key(test, name, place);
    let locations = &mut test.program.locations;
    let known = locations.iter().find(|location| location.name == name).map(|location| location.address);
    let address = known.unwrap_or_else(|| {
        let highest = locations.iter().map(|location| location.address / SYMBOL_STRIDE).max().unwrap_or(0);
        let address = (highest + 1) * SYMBOL_STRIDE + own.address % SYMBOL_STRIDE;
        locations.push(Location { name, address, ..own });
        address
    });
    Some(address + offset)
}
