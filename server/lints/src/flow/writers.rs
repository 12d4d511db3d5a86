//! Mnemonics that write their first operand.

/// Mnemonics that write their first operand without reading it.
pub(super) const WRITERS: [&str; 49] = [
    "abs",
    "activemask",
    "add",
    "addc",
    "and",
    "atom",
    "bfe",
    "bfi",
    "bfind",
    "brev",
    "clz",
    "copysign",
    "cos",
    "cvt",
    "cvta",
    "div",
    "ex2",
    "fma",
    "isspacep",
    "ld",
    "ldu",
    "lg2",
    "lop3",
    "mad",
    "mapa",
    "max",
    "mbarrier",
    "min",
    "mov",
    "mul",
    "neg",
    "not",
    "or",
    "popc",
    "prmt",
    "rcp",
    "rem",
    "rsqrt",
    "selp",
    "set",
    "setp",
    "shf",
    "shfl",
    "shl",
    "shr",
    "sin",
    "sqrt",
    "sub",
    "xor",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mnemonics_are_sorted() {
        assert!(WRITERS.is_sorted());
    }
}
