//! Links the program at a fixed address where that is safe: dynamically, for glibc.
//!
//! Its tables, strings and places of panics are 37,000 pointers. At a variable address, each start writes all of them, which takes 1.5 MB and
//! half a millisecond, a tenth of the check of a module of 1 MB. The addresses of the heap, the stacks and the libraries stay random.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found.split(',').any(|one| one == value));
    let is_dynamic = !is("CARGO_CFG_TARGET_FEATURE", "crt-static");
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") && is_dynamic {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
