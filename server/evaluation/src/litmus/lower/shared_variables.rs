//! Shared variables, of which each CTA has its own.

use crate::litmus::test::Test;
use memory_model::{FencedSpace, Location, ThreadPosition};

/// The distance between the addresses of symbols.
pub const SYMBOL_STRIDE: u64 = 1 << 20;

/// The bytes of shared memory that descriptors of matrices can address.
const WINDOW: u64 = 1 << 18;
/// The bytes of a shared variable that they can tell from others.
const SHARED_BYTES: u64 = 1 << 13;

/// The address of a shared variable in shared memory, by its number: what a descriptor of a matrix has of its address.
pub const fn window_offset(number: u64) -> u64 {
    number * SHARED_BYTES % WINDOW
}

/// The address after a shared address that begins at `start`, of which a descriptor has the lower bits; `None` if it is another variable.
pub fn described(start: u64, lower: u64) -> Option<u64> {
    let offset = lower.checked_sub(start % WINDOW)?;
    (offset < SHARED_BYTES).then_some(start + offset)
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
