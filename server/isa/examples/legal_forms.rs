//! Prints every legal member of a product of modifiers: `legal_forms VERSION TARGET MNEMONIC`, an axis a line on standard input.
//!
//! For asking an oracle about all forms of families whose product is too large to record.

use ptx_isa::target::{Target, Version};
use ptx_isa::{Module, Spelling, is_legal};
use std::io::{self, BufWriter, Write};

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [version, target, mnemonic] = arguments.as_slice() else {
        return Err(io::Error::other("usage: legal_forms VERSION TARGET MNEMONIC < axes"));
    };
    let module = Module { version: Version::parse(version), target: Target::parse(target) };
    let axes: Vec<Vec<String>> =
        io::stdin().lines().map(|line| Ok(line?.split(' ').map(str::to_owned).collect())).collect::<io::Result<_>>()?;
    let mut out = BufWriter::new(io::stdout().lock());
    walk(&axes, &mut Vec::new(), &mut |words| {
        if is_legal(&Spelling { mnemonic, modifiers: words }, &module) == Some(true) {
            writeln!(out, "{mnemonic}.{}", words.join("."))?;
        }
        Ok(())
    })?;
    out.flush()
}

fn walk<'a>(
    axes: &'a [Vec<String>],
    words: &mut Vec<&'a str>,
    see: &mut impl FnMut(&[&str]) -> io::Result<()>,
) -> io::Result<()> {
    let Some((axis, rest)) = axes.split_first() else { return see(words) };
    walk(rest, words, see)?;
    for word in axis {
        words.push(word);
        walk(rest, words, see)?;
        words.pop();
    }
    Ok(())
}
