//! libFuzzer on the entrance that `PTX_ATOMICS_ENTRANCE` names.

#![no_main]

mod entrances;

use std::sync::OnceLock;

static ENTRANCE: OnceLock<fn(&[u8])> = OnceLock::new();

fn named() -> fn(&[u8]) {
    let name = std::env::var("PTX_ATOMICS_ENTRANCE").expect("PTX_ATOMICS_ENTRANCE names an entrance");
    let found = entrances::ALL.iter().find(|(known, _)| *known == name);
    found.unwrap_or_else(|| panic!("no entrance is called {name}")).1
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ENTRANCE.get_or_init(named)(bytes));
