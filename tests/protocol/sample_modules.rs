//! Modules that the tests open.

/// A module without a mistake.
pub const CLEAN: &str = "\
.version 8.1
.target sm_90
.address_size 64

.visible .entry kernel(.param .u64 p)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [p];
    atom.global.add.u32 %r1, [%rd1], %r2;
    ret;
}
";

/// The line of its atomic, counted from 0.
pub const ATOMIC_LINE: u32 = 9;

/// The column of its atomic's mnemonic.
pub const ATOMIC_COLUMN: u32 = 4;

/// A module with one mistake: `.or` has no `.u32`.
pub fn with_error() -> String {
    CLEAN.replace("atom.global.add.u32", "atom.global.or.u32")
}

/// A module with one mistake in each of its many functions, for work that takes a while.
pub fn large(functions: usize) -> String {
    let (header, function) = CLEAN.split_at(CLEAN.find(".visible").expect("is there"));
    let mut text = header.to_owned();
    for number in 0..functions {
        text.push_str(&function.replace("kernel", &format!("kernel{number}")).replace(".add.u32", ".or.u32"));
    }
    text
}
