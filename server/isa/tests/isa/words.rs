//! What people read: for each mistake the code, the token, the message, the help and the first fix.

use crate::common::{module, verdict};
use ptx_isa::Resolution;

/// `opcode @ target version`, then what is said: `code token: message | help | first fix`.
const SAID: &str = "\
atom.global.or.u32 @ sm_90 8.1
    illegal-type u32: `.or` has no `.u32` form | `.or` works on bits: `.b32`, `.b64` | Write `.b32`
red.or.u64 @ sm_90 8.1
    illegal-type u64: `.or` has no `.u64` form | `.or` works on bits: `.b64`, `.b32` | Write `.b64`
atom.global.add.s64 @ sm_90 8.1
    illegal-type s64: `.add` has no `.s64` form | `.add` adds numbers: `.u64`, `.f64`, `.s32`, `.u32`, `.f32`; `.u64` gives the same bits in two's complement | Write `.u64`
atom.global.inc.u64 @ sm_90 8.1
    illegal-type u64: `.inc` has no `.u64` form | `.inc` counts in unsigned 32-bit integers: `.u32` | no fix
atom.global.cas.u32 @ sm_90 8.1
    illegal-type u32: `.cas` has no `.u32` form | `.cas` compares bits, whatever they mean: `.b32`, `.b16`, `.b64` | Write `.b32`
atom.global.exch.f32 @ sm_90 8.1
    illegal-type f32: `.exch` has no `.f32` form | `.exch` moves bits, whatever they mean: `.b32`, `.b64` | Write `.b32`
atom.min.b32 @ sm_90 8.1
    illegal-type b32: `.min` has no `.b32` form | `.min` compares numbers: `.s32`, `.u32`, `.s64`, `.u64` | Write `.s32`
multimem.red.relaxed.gpu.max.f64 @ sm_90 8.1
    illegal-type f64: `.max` has no `.f64` form | `.max` compares numbers: `.s64`, `.u64`, `.s32`, `.u32` | no fix
atom.global.add.i32 @ sm_90 8.1
    illegal-type i32: `.add` has no `.i32` form | in PTX it is `.s32` or `.u32` | Write `.s32`
atom.global.add.u33 @ sm_90 8.1
    unknown-modifier u33: there is no modifier `.u33` | did you mean `.u32`? | Write `.u32`
atom.global.v4.b16x2.min.noftz @ sm_90 8.1
    unknown-modifier b16x2: there is no modifier `.b16x2` | did you mean `.bf16x2`? | Write `.bf16x2`
atom.seq_cst.gpu.cas.b128 @ sm_90 8.4
    unknown-modifier seq_cst: there is no modifier `.seq_cst` | PTX has no sequentially consistent atomic: put `fence.sc` of the same scope before an `.acquire` one (before a `.relaxed` one, if it is a `red`); `.acq_rel` (of a `red`: `.release`) is the most that a modifier gives | Write `.acq_rel`
red.seq_cst.gpu.add.u32 @ sm_90 8.4
    unknown-modifier seq_cst: there is no modifier `.seq_cst` | PTX has no sequentially consistent atomic: put `fence.sc` of the same scope before an `.acquire` one (before a `.relaxed` one, if it is a `red`); `.acq_rel` (of a `red`: `.release`) is the most that a modifier gives | Write `.release`
atom.system.add.u32 @ sm_90 8.4
    unknown-modifier system: there is no modifier `.system` | in PTX it is `.sys` | Write `.sys`
red.global.acquire.sys.add.u32 @ sm_90 8.1
    illegal-modifier acquire: `red` has no `.acquire` | legal here: `.relaxed`, `.release`; `atom`, `multimem.ld_reduce` have it | Write `.relaxed`
red.acq_rel.add.u32 @ sm_90 8.1
    illegal-modifier acq_rel: `red` has no `.acq_rel` | legal here: `.release`, `.relaxed`; `atom` has it | Write `.release`
atom.volatile.add.u32 @ sm_90 8.1
    illegal-modifier volatile: `atom` has no `.volatile` | An atomic is always performed; `.volatile` belongs to `ld` and `st`. `.relaxed.sys` says the same here | Remove `.volatile`
atom.local.add.u32 @ sm_90 8.1
    illegal-modifier local: `atom` has no `.local` | Local memory belongs to one thread alone, so nothing is to be made atomic there; use plain `ld` and `st` | no fix
atom.global.sub.u32 @ sm_90 8.1
    illegal-modifier sub: `atom` has no `.sub` | There is no subtraction: negate `b` and write `.add` | no fix
atom.xchg.b32 @ sm_90 8.1
    unknown-modifier xchg: there is no modifier `.xchg` | in PTX it is `.exch` | Write `.exch`
red.cas.b32 @ sm_90 8.1
    illegal-modifier cas: `red` has no `.cas` | `atom` has it | no fix
red.exch.b32 @ sm_90 8.1
    illegal-modifier exch: `red` has no `.exch` | `atom` has it | no fix
atom.ad.u32 @ sm_90 8.1
    unknown-modifier ad: there is no modifier `.ad` | did you mean `.add`? | Write `.add`
atom.GLOBAL.add.u32 @ sm_90 8.1
    unknown-modifier GLOBAL: there is no modifier `.GLOBAL` | did you mean `.global`? | Write `.global`
atom.foo.add.u32 @ sm_90 8.1
    unknown-modifier foo: there is no modifier `.foo` | leave it out | Remove `.foo`
atom.global.add.bf16 @ sm_90 8.1
    missing-modifier bf16: `.bf16` needs `.noftz` here | add `.noftz`: subnormal numbers are kept, as operands and as results | Add `.noftz`
atom.global.add.bf16x2 @ sm_80 7.0
    missing-modifier bf16x2: `.bf16x2` needs `.noftz` here | add `.noftz`: subnormal numbers are kept, as operands and as results | Add `.noftz`, and raise `.target` to sm_90 and `.version` to 7.8
atom.global.add.ftz.f16 @ sm_90 8.1
    illegal-modifier ftz: `atom` has no `.ftz` | legal here: `.noftz` | Write `.noftz`
atom.add.noftz.u32 @ sm_90 8.1
    illegal-modifier noftz: `.noftz` cannot stand with `.u32` | `.noftz` goes with `.bf16x2`, `.f16x2`, `.bf16`, `.f16`; or leave it out | Remove `.noftz`
atom.add.noftz.f32 @ sm_90 9.3
    requires-ptx-version noftz: `.noftz` here needs PTX 9.4; the module says 9.3 | raise `.version` to 9.4 | Raise `.version` to 9.4
atom.min.noftz.f16 @ sm_90 8.1
    missing-modifier f16: `.f16` needs a vector size here | one of `.v2`, `.v4`, `.v8` | no fix
atom.add.v2.u32 @ sm_90 8.1
    illegal-modifier v2: `.v2` cannot stand with `.u32` | `.v2` goes with `.f32`; or leave it out | no fix
atom.add.v8.noftz.f16x2 @ sm_90 8.1
    illegal-modifier v8: `.v8` cannot stand with `.f16x2` | legal here: `.v2`, `.v4` | no fix
atom.shared.add.v2.f32 @ sm_90 8.1
    illegal-modifier shared: `.shared` cannot stand with `.v2` | legal here: `.global` | no fix
atom.shared.add.L2::cache_hint.u32 @ sm_90 8.1
    conflicting-modifiers L2::cache_hint: `.L2::cache_hint` and `.shared` exclude each other | leave out `.L2::cache_hint` | Remove `.L2::cache_hint`
atom.cas.L2::cache_hint.b32 @ sm_90 8.1
    illegal-modifier L2::cache_hint: `.L2::cache_hint` cannot stand with `.cas` | leave it out | Remove `.L2::cache_hint`
atom.add.L2::evict_last.u32 @ sm_90 8.1
    illegal-modifier L2::evict_last: `atom` has no `.L2::evict_last` | An eviction priority goes into a policy (`createpolicy`), which `.L2::cache_hint` then takes | Remove `.L2::evict_last`
atom.gpu.sys.add.u32 @ sm_90 8.1
    conflicting-modifiers sys: `.sys` and `.gpu` exclude each other | an instruction has one scope; keep the one that is meant | Remove `.sys`
atom.add.add.u32 @ sm_90 8.1
    duplicate-modifier add: `.add` stands twice | once is enough | Remove `.add`
atom.add @ sm_90 8.1
    missing-modifier (mnemonic): `atom` lacks its type | one of `.u32`, `.u64`, `.s32`, `.f16`, `.f16x2`, `.bf16`, `.bf16x2`, `.f32`, `.f64` | no fix
atom.u32 @ sm_90 8.1
    missing-modifier (mnemonic): `atom` lacks its operation | one of `.add`, `.inc`, `.dec`, `.min`, `.max` | no fix
atom.global.acq_rel.gpu.add.u32 @ sm_60 8.1
    requires-target acq_rel: `.acq_rel` needs sm_70; the module says sm_60 | older targets order by `membar` before or after a plain atomic; or raise `.target` to sm_70 | Raise `.target` to sm_70
atom.release.add.u32 @ sm_61 5.0
    requires-target release: `.release` needs sm_70 and PTX 6.0; the module says sm_61 and 5.0 | older targets order by `membar` before or after a plain atomic; or raise `.target` to sm_70 and `.version` to 6.0 | Raise `.target` to sm_70 and `.version` to 6.0
atom.global.add.noftz.bf16 @ sm_80 8.1
    requires-target bf16: `.bf16` here needs sm_90; the module says sm_80 | there already: `.f16`, `.f16x2`; or raise `.target` to sm_90 | Raise `.target` to sm_90
red.v4.add.f32 @ sm_80 8.1
    requires-target v4: `.v4` here needs sm_90; the module says sm_80 | raise `.target` to sm_90 | Raise `.target` to sm_90
atom.cluster.add.u32 @ sm_80 8.3
    requires-target cluster: `.cluster` needs sm_90; the module says sm_80 | `.gpu` includes it and is there already; or raise `.target` to sm_90 | Write `.gpu`
atom.shared::cta.add.u32 @ sm_70 7.0
    requires-ptx-version shared::cta: `.shared::cta` needs PTX 7.8; the module says 7.0 | `.shared` includes it and is there already; or raise `.version` to 7.8 | Write `.shared`
atom.cas.sys.b128 @ sm_90 8.3
    requires-ptx-version sys: `.sys` here needs PTX 8.4; the module says 8.3 | there already: `.cta`, `.gpu`, `.cluster`; or raise `.version` to 8.4 | Raise `.version` to 8.4
atom.add.L2::cache_hint.u32 @ sm_75 7.4
    requires-target L2::cache_hint: `.L2::cache_hint` needs sm_80; the module says sm_75 | the hint is advice only; without it and its operand the result is the same; or raise `.target` to sm_80 | Raise `.target` to sm_80
atom.add.f64 @ sm_52 8.0
    requires-target f64: `.f64` here needs sm_60; the module says sm_52 | there already: `.u64`, `.f32`, `.s32`, `.u32`; or raise `.target` to sm_60 | Raise `.target` to sm_60
atom.add.u32 @ sm_11 1.0
    requires-target (mnemonic): `atom` without a state space needs sm_20 and PTX 2.0; the module says sm_11 and 1.0 | generic addressing came with sm_20; older targets want `.global` or `.shared`; or raise `.target` to sm_20 and `.version` to 2.0 | Raise `.target` to sm_20 and `.version` to 2.0
atom.global.add.u32 @ sm_10 1.0
    requires-target (mnemonic): `atom` needs sm_11; the module says sm_10 | raise `.target` to sm_11 | Raise `.target` to sm_11
multimem.red.add.u32 @ sm_80 8.1
    requires-target (mnemonic): `multimem.red` needs sm_90; the module says sm_80 | raise `.target` to sm_90 | Raise `.target` to sm_90
multimem.global.red.add.u32 @ sm_90 8.1
    unknown-instruction red: `.red` belongs right after `multimem` | write `multimem.red`; the other modifiers follow it in any order | Write `multimem.red`
atmo.global.add.u32 @ sm_90 8.1
    unknown-instruction (mnemonic): there is no instruction `atmo` | did you mean `atom`? | Write `atom`
Atom.global.add.u32 @ sm_90 8.1
    unknown-instruction (mnemonic): there is no instruction `Atom` | did you mean `atom`? | Write `atom`
frobnicate.u32 @ sm_90 8.1
    unknown-instruction (mnemonic): there is no instruction `frobnicate` | no instruction of PTX has a similar name | no fix
mbarrier.inti.shared.b64 @ sm_90 8.1
    unknown-instruction inti: there is no instruction `mbarrier.inti` | did you mean `mbarrier.init`? | Write `mbarrier.init`
tcgen05.lod.sync @ sm_100a 8.6
    unknown-instruction lod: there is no instruction `tcgen05.lod` | did you mean `tcgen05.ld`? | Write `tcgen05.ld`
brx @ sm_90 8.1
    unknown-instruction (mnemonic): `brx` alone is no instruction | the instructions are `brx.idx` | no fix
cp.async.blk.global @ sm_90 8.1
    unknown-modifier blk: there is no modifier `.blk` | did you mean `.bulk`? | Write `.bulk`
add.foo.u32 @ sm_90 8.1
    unknown-modifier foo: there is no modifier `.foo` | leave it out | Remove `.foo`
multimem.ld_reduce.relaxed.add.u32 @ sm_90 8.1
    missing-modifier relaxed: `.relaxed` needs a scope here | one of `.sys`, `.cta`, `.gpu`, `.cluster` | Add `.sys`
multimem.ld_reduce.sys.add.u32 @ sm_90 8.1
    missing-modifier sys: `.sys` needs a memory ordering here | one of `.relaxed`, `.acquire` | Add `.relaxed`
multimem.ld_reduce.weak.sys.add.u32 @ sm_90 8.1
    conflicting-modifiers sys: `.sys` and `.weak` exclude each other | leave out `.sys` | Remove `.sys`
multimem.ld_reduce.add.v4.e4m3 @ sm_90 8.6
    requires-target e4m3: `.e4m3` here needs one of sm_100f, sm_101f, sm_120a, sm_121a; the module says sm_90 | there already: `.bf16`, `.f16`, `.f32`, `.bf16x2`, …; or raise `.target` to sm_100a | Raise `.target` to sm_100a
multimem.ld_reduce.add.v4.e4m3 @ sm_100 8.6
    requires-target e4m3: `.e4m3` here needs one of sm_100f, sm_101f, sm_120a, sm_121a; the module says sm_100 | there already: `.bf16`, `.f16`, `.f32`, `.bf16x2`, …; or raise `.target` to sm_100a | Raise `.target` to sm_100a
multimem.ld_reduce.add.acc::f16.v4.f16 @ sm_100a 8.6
    illegal-modifier acc::f16: `.acc::f16` cannot stand with `.f16` | legal here: `.acc::f32` | Write `.acc::f32`
multimem.st.v4.b32 @ sm_90 8.1
    illegal-modifier v4: `.v4` cannot stand with `.b32` | `.v4` goes with `.f32`, `.bf16x2`, `.f16x2`, `.bf16`, `.f16`; or leave it out | no fix
multimem.st.add.u32 @ sm_90 8.1
    illegal-modifier add: `multimem.st` has no `.add` | `atom`, `red`, `multimem.ld_reduce`, `multimem.red` have it; or leave it out | no fix";

fn said(question: &str) -> String {
    let (opcode, place) = question.split_once(" @ ").expect("opcode @ target version");
    let (target, version) = place.split_once(' ').expect("target version");
    let Resolution::Illegal(reasons) = verdict(opcode, &module(version, target)) else {
        panic!("{question} is not illegal")
    };
    let reason = &reasons[0];
    let token = reason.at.map_or("(mnemonic)", |at| opcode.split('.').nth(at + 1).expect("a modifier"));
    let fix = reason.fixes.first().map_or("no fix", |fix| &fix.title);
    format!("{} {token}: {} | {} | {fix}", reason.code.as_str(), reason.message, reason.help)
}

#[test]
fn people_read_what_is_wrong_and_what_to_write() {
    let mut lines = SAID.lines();
    let mut count = 0;
    while let (Some(question), Some(answer)) = (lines.next(), lines.next()) {
        assert_eq!(said(question), answer.trim_start(), "{question}");
        count += 1;
    }
    assert!(count >= 40, "{count}");
}
