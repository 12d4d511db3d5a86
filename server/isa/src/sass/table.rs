//! The rows. `RED` of Maxwell is the table of its reference (SPA 5.0), word for word of its modifiers; where the reference's head says otherwise,
//! the table counts. All others are what `nvdisasm` 13.5 prints of what `ptxas` 13.5 makes of every form (tests/evidence/lowering).
//!
//! A family: its head, what it does, and rows of operations, a colon, and sizes; `-` is the size that is not written. Behind `|` the targets.

use super::SassFamily;
use super::read::read;
use std::sync::LazyLock;

const TEXTS: &[&str] = &[
    "
family RED maxwell optional sm_50 sm_62 offset 20
about  Combines memory with `b` in one step that no other thread can split, and returns nothing.
operands [a], b
ADD            : U32 32 S32 U64 64 F32.FTZ.RN F16x2.RN F64.RN
MIN MAX        : U32 32 S32 U64 64 S64 F16x2.RN
INC DEC        : U32 32
AND OR XOR     : U32 32 S32 U64 64
",
    "
family RED current always sm_70 sm_89 offset 24 scoped
about  Combines global memory with `b` in one step that no other thread in scope can split, and returns nothing.
operands [a], b
ADD            : - S32 64 F32.FTZ.RN F64.RN F16x2.RN
MIN MAX        : - S32 64 S64
INC DEC        : -
AND OR XOR     : - 64
",
    "
family REDG current always sm_90 offset 24 scoped
about  Combines global memory with `b` in one step that no other thread in scope can split, and returns nothing.
operands [a], b
ADD            : - S32 64 F32.FTZ.RN F32.RN F64.RN F16x2.RN BF16x2.RN
ADD            : F32x2.FTZ.RN F32x2.RN F32x4.FTZ.RN F32x4.RN F16x4.RN F16x8.RN BF16x4.RN BF16x8.RN
MIN MAX        : - S32 64 S64 F16x2.RN F16x4.RN F16x8.RN BF16x2.RN BF16x4.RN BF16x8.RN
INC DEC        : -
AND OR XOR     : - 64
",
    "
family ATOMG current always sm_70 offset 24 scoped
about  Combines global memory with `b` in one step that no other thread in scope can split, and returns what was there before.
operands p, d, [a], b
ADD            : - S32 64 F32.FTZ.RN F64.RN F16x2.RN
ADD            : F32.RN BF16x2.RN F32x2.FTZ.RN F32x2.RN F32x4.FTZ.RN F32x4.RN F16x4.RN F16x8.RN BF16x4.RN BF16x8.RN | sm_90
MIN MAX        : - S32 64 S64
MIN MAX        : F16x2.RN F16x4.RN F16x8.RN BF16x2.RN BF16x4.RN BF16x8.RN | sm_90
INC DEC        : -
AND OR XOR     : - 64
EXCH           : - 64
EXCH           : 128 | sm_90
operands p, d, [a], b, c
CAS            : - 64
CAS            : 128 | sm_90
",
    "
family ATOM current always sm_70 offset 24 scoped
about  Combines memory at a generic address, global or shared, with `b` in one step that no other thread in scope can split, and returns what was there before.
operands p, d, [a], b
ADD            : - S32 64 F32.FTZ.RN F64.RN F16x2.RN
ADD            : F32.RN BF16x2.RN F32x2.FTZ.RN F32x2.RN F32x4.FTZ.RN F32x4.RN F16x4.RN F16x8.RN BF16x4.RN BF16x8.RN | sm_90
MIN MAX        : - S32 64 S64
MIN MAX        : F16x2.RN F16x4.RN F16x8.RN BF16x2.RN BF16x4.RN BF16x8.RN | sm_90
INC DEC        : -
AND OR XOR     : - 64
EXCH           : - 64
EXCH           : 128 | sm_90
operands p, d, [a], b, c
CAS            : - 64
CAS            : 128 | sm_90
CAST.SPIN      : - 64 | sm_90
",
    "
family ATOMS current never sm_70 offset 24
about  Combines shared memory of the own CTA with `b` in one step that no other thread can split, and returns what was there before.
operands d, [a], b
ADD MIN MAX    : - S32
INC DEC        : -
AND OR XOR     : -
EXCH           : - 64
EXCH           : 128 | sm_90
operands d, [a], b, c
CAS            : - 64
CAS            : 128 | sm_90
CAST.SPIN      : - 64
operands d, [a]
POPC.INC       : 32
ARRIVE         : 64
",
    "
family LDGMC current always sm_90 offset 24 scoped
about  Loads the same address from every device of a multicast object and reduces the values to one on the way.
operands d, [a]
ADD            : 32 S32 64 F32.RN F64.RN F32x2.RN F32x4.RN F16x2.RN F16x4.RN F16x8.RN BF16x2.RN BF16x4.RN BF16x8.RN
MIN MAX        : 32 S32 64 S64 F16x2.RN F16x4.RN F16x8.RN BF16x2.RN BF16x4.RN BF16x8.RN
ADD MIN MAX    : E4M3x4.RN E4M3x8.RN E4M3x16.RN E5M2x4.RN E5M2x8.RN E5M2x16.RN | sm_100
AND OR XOR     : 32 64
F32ADD         : F16x2.RN F16x4.RN F16x8.RN BF16x2.RN BF16x4.RN BF16x8.RN | sm_90 sm_90
HPADD          : F16x2.RN F16x4.RN F16x8.RN BF16x2.RN BF16x4.RN BF16x8.RN | sm_100
HPADD          : E4M3x4.RN E4M3x8.RN E4M3x16.RN E5M2x4.RN E5M2x8.RN E5M2x16.RN | sm_100
",
];

static FAMILIES: LazyLock<Vec<SassFamily>> = LazyLock::new(|| TEXTS.iter().map(|text| read(text)).collect());

/// Every family. `RED` stands twice, once in each notation.
pub fn families() -> &'static [SassFamily] {
    &FAMILIES
}

/// The first family of a mnemonic; of two notations the older one.
pub fn named(mnemonic: &str) -> Option<&'static SassFamily> {
    families().iter().find(|family| family.name == mnemonic)
}
