//! Reads lines `version target opcode` and says of each whether it is legal: `legal`, `illegal` or `unknown`.
//!
//! For comparing the tables with an oracle by hand; the tests compare them with recordings.

use ptx_isa::target::{Target, Version};
use ptx_isa::{Module, Spelling, is_legal};
use std::io::{self, BufWriter, Write};

fn main() -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lines() {
        let line = line?;
        let mut words = line.split(' ');
        let (version, target) = (words.next().and_then(Version::parse), words.next().and_then(Target::parse));
        let parts: Vec<&str> = words.next().unwrap_or_default().split('.').collect();
        let verdict = is_legal(&Spelling { mnemonic: parts[0], modifiers: &parts[1..] }, &Module { version, target });
        writeln!(out, "{}", verdict.map_or("unknown", |legal| if legal { "legal" } else { "illegal" }))?;
    }
    out.flush()
}
