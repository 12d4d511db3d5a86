//! Runs libFuzzer on the fuzz target in `PTX_ATOMICS_FUZZ_TARGET`.

#![no_main]

mod targets;

use std::sync::OnceLock;

static TARGET: OnceLock<fn(&[u8])> = OnceLock::new();

fn named() -> fn(&[u8]) {
    let name = std::env::var("PTX_ATOMICS_FUZZ_TARGET").expect("PTX_ATOMICS_FUZZ_TARGET names a fuzz target");
    let found = targets::ALL.iter().find(|(known, _)| *known == name);
    found.unwrap_or_else(|| panic!("no target is called {name}")).1
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| TARGET.get_or_init(named)(bytes));
