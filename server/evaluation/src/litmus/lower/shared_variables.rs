//! Shared variables, of which each CTA has its own.

use crate::litmus::test::Test;
use memory_model::{FencedSpace, Location, ThreadPosition};

/// The distance between the addresses of symbols.
pub const SYMBOL_STRIDE: u64 = 1 << 20;

/// The name of a shared variable of a CTA. That of the first thread has the variable's own name.
pub fn shared_key(test: &Test, name: &str, place: ThreadPosition) -> String {
    if place == test.program.threads[0].place {
        return name.to_owned();
    }
    format!("{name}@{}.{}.{}", place.gpu, place.cluster, place.cta)
}

/// The address of the same byte of a shared variable in another CTA; `None` if the address is in no shared variable.
pub fn in_cta(test: &mut Test, address: u64, place: ThreadPosition) -> Option<u64> {
    let (base, offset) = (address / SYMBOL_STRIDE * SYMBOL_STRIDE, address % SYMBOL_STRIDE);
    let locations = &test.program.locations;
    let own = locations.iter().find(|one| one.address == base && one.space == Some(FencedSpace::Shared))?.clone();
    let name = own.name.split('@').next().unwrap_or_default();
    let name = shared_key(test, name, place);
    let locations = &mut test.program.locations;
    let known = locations.iter().find(|location| location.name == name).map(|location| location.address);
    let address = known.unwrap_or_else(|| {
        let highest = locations.iter().map(|location| location.address / SYMBOL_STRIDE).max().unwrap_or(0);
        let address = (highest + 1) * SYMBOL_STRIDE;
        locations.push(Location { name, address, ..own });
        address
    });
    Some(address + offset)
}
