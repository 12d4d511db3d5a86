//! Each kind of operand in each place, against the assembler's recorded answers.

use super::{differences, recorded_operand, with_operand};
use std::collections::BTreeMap;
use support::{evidence, gunzip};

/// A difference that remains between the assembler and ptx-atomics, with its reason.
struct Difference {
    /// What the opcode begins with.
    opcodes: &'static [&'static str],
    /// The operands; none stands for all.
    kinds: &'static [&'static str],
}

const COMPRESSION: &[&str] = &["spcompress.", "spdecompress.", "tcgen05.ld.spcompress.", "tcgen05.ld.red.spcompress."];

const MATRICES: &[&str] = &["mma.", "wgmma.", "tcgen05.", "ldmatrix.", "stmatrix.", "movmatrix."];

/// What the assembler rejects and ptx-atomics does not.
const NOT_REPORTED: &[Difference] = &[
    // Only this shape has a type of its metadata that is checked.
    Difference {
        opcodes: &["mma.sp.sync.aligned.m16n8k64.", "mma.sp::ordered_metadata.sync.aligned.m16n8k64."],
        kinds: &["p1", "!p1", "r1+4", "f1+4"],
    },
    // By itself the assembler accepts it; the recording asked several instructions together.
    Difference { opcodes: &["movmatrix."], kinds: &["_"] },
    // Expanded into calls: the assembler also refuses symbols and some registers.
    Difference { opcodes: &["clmad.", "div.s64", "div.u64", "rem.s64", "rem.u64", "rcp.r"], kinds: &[] },
    // The bits of an instruction descriptor have a meaning, which is checked where it is a constant.
    Difference { opcodes: &["tcgen05.mma"], kinds: &[] },
    // Vector registers pass on some shapes of mma and not on others that are like them; a 16-bit register is no address only here.
    Difference { opcodes: MATRICES, kinds: &["v2r", "v4r", "v2r.x", "{r1}", "{r1,_}", "{r1,f1}", "[h1]"] },
    // Vector registers and lists of compatible registers pass on some shapes of wmma and not on others.
    Difference {
        opcodes: &["wmma."],
        kinds: &[
            "v2r",
            "v4r",
            "{gv}",
            "{f1}",
            "{f1,f2,f3,f4}",
            "{rh,rh}",
            "{1,2}",
            "{l1,1}",
            "{1,l1}",
            "{1,h1}",
            "{gv,r1}",
            "{%tid.x,%laneid}",
            "{p1,r1}",
            "{v2r.x,r1}",
        ],
    },
    // A selector of video instructions, which instructions of arithmetic ignore.
    Difference { opcodes: &["tex.", "txq.", "suld.", "sust.", "sured.", "suq.", "wmma."], kinds: &["r1.b01"] },
    // Coordinates after the index of an array or after a sampler: the assembler checks some of them.
    Difference {
        opcodes: &["tex.a1d.", "tex.a2d.", "tex.level.a1d.", "tex.grad."],
        kinds: &[
            "[l1,{1,2}]",
            "[t,{1,2}]",
            "[l1,l2,{r1}]",
            "[l1,l2,{f1,f2}]",
            "[t,l1,{f1,f2}]",
            "[t,t,{f1,f2}]",
            "[t,r1,{f1,f2}]",
            "[l1,r1,{r1,r2}]",
        ],
    },
    // A constant in a list that takes the type of another element.
    Difference { opcodes: &["tex.grad."], kinds: &["{1,l1}", "{1,h1}"] },
    // Two pairs of half-precision numbers: each texel must be a register of its own type.
    Difference {
        opcodes: &["tex.a2d.v2.f16x2."],
        kinds: &["v2r", "{r1,_}", "{_,r1}", "{gv,r1}", "{%tid.x,%laneid}", "{p1,r1}"],
    },
    // Lists of compressed elements: variables, special registers and predicates among them.
    Difference {
        opcodes: COMPRESSION,
        kinds: &[
            "{gv}",
            "v2r",
            "{1.0,f1}",
            "{f1,1.0}",
            "{gv,r1}",
            "{%tid.x,%laneid}",
            "{p1,r1}",
            "{_,r1}",
            "{r1}",
            "{f1}",
            "r1.b01",
        ],
    },
    Difference { opcodes: &["tensormap.query"], kinds: &["[%laneid]"] },
    // The address and the count of an allocation are related.
    Difference { opcodes: &["tcgen05.dealloc"], kinds: &["rs", "0", "256", "gv+4", "r1+4", "WARP_SZ"] },
];

/// What ptx-atomics rejects although the assembler accepts it: a predicate, a float or a list where nobody means one.
const FALSE_ERRORS: &[Difference] = &[
    // The assembler does not look at the type of these operands on some shapes.
    Difference {
        opcodes: &["mma.", "wgmma.", "ldmatrix."],
        kinds: &["p1", "!p1", "p1|_", "gv+4", "r1+4", "f1+4", "0f3f800000", "{p1,p2}"],
    },
    Difference { opcodes: &["movmatrix."], kinds: &["gv+4", "0f3f800000", "p1|_", "r1|_"] },
    // The metadata of a sparse matrix, and with it the accumulators of wgmma, may be anything in braces and any 32 bits.
    Difference {
        opcodes: &["mma.sp", "wgmma.mma_async.sp"],
        kinds: &[
            "r1",
            "ru",
            "rs",
            "rh",
            "f1",
            "v2r",
            "v4r",
            "v2r.x",
            "{r1,r2}",
            "{f1,f2}",
            "{r1,f1}",
            "{r1,r2,r3}",
            "{r1,r2,r3,r4}",
            "{f1,f2,f3,f4}",
            "{r1,r2,r3,r4,r5,r6,r7,r8}",
        ],
    },
    // Sums and a float in place of a register.
    Difference { opcodes: &["spcompress."], kinds: &["0f3f800000", "gv+4", "r1+4", "f1+4"] },
    Difference { opcodes: &["tcgen05.ld.red.spcompress."], kinds: &["{gv}"] },
    // A texture in place of a level, and single-precision bits in place of double-precision ones.
    Difference { opcodes: &["tex.level."], kinds: &["[r1,{r1,r2}]"] },
    Difference { opcodes: &["wmma.store."], kinds: &["{0f3f800000,0f3f800000}"] },
    // After a constant, any register may follow in a list of 16-bit integers.
    Difference { opcodes: &["fabric.try_put."], kinds: &["{1,r1}", "{1,l1}"] },
    // A second predicate in place of the mask.
    Difference { opcodes: &["tcgen05.mma"], kinds: &["p1", "!p1"] },
    Difference { opcodes: &["tcgen05.cp", "tcgen05.shift"], kinds: &["[fn]"] },
];

/// Whether a difference is one of those that remain.
fn is_known_difference(line: &str, kind: &str, accepted: bool) -> bool {
    let known = if accepted { FALSE_ERRORS } else { NOT_REPORTED };
    known.iter().any(|difference| {
        difference.opcodes.iter().any(|opcode| line.starts_with(opcode))
            && (difference.kinds.is_empty() || difference.kinds.contains(&kind))
    })
}

/// Each operand of one instruction per family and type, replaced by each kind of operand. `PTX_ATOMICS_GROUP=texture` checks one group.
#[test]
fn every_kind_of_operand_is_an_error_to_both_or_to_none() {
    let folder = std::fs::read_dir(evidence("operands").join("kinds")).expect("the recordings");
    let mut groups: Vec<_> = folder.map(|entry| entry.expect("an entry").path()).collect();
    groups.sort();
    let only = std::env::var("PTX_ATOMICS_GROUP").ok();
    if let Some(only) = &only {
        groups.retain(|group| group.ends_with(format!("{only}.txt.gz")));
    }
    let (mut count, mut wrong) = (0, Vec::new());
    for group in groups {
        let mut of_group = Vec::new();
        let asked = check_kinds(&gunzip(&group), &mut of_group);
        let tolerates = TOLERANT.iter().any(|name| group.ends_with(format!("{name}.txt.gz")));
        if tolerates {
            let (unreported, alarms) = of_group.into_iter().partition::<Vec<_>, _>(|line| line.starts_with("rejected"));
            assert!(unreported.len() * 100 <= asked, "{} of {asked}:\n{}", unreported.len(), unreported.join("\n"));
            of_group = alarms;
        }
        wrong.extend(of_group);
        count += asked;
    }
    assert!(wrong.is_empty(), "{} of {count} disagree:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 100_000 || only.is_some() && count > 1_000, "{count}");
}

/// Groups in which one of a hundred operands may be refused by the assembler alone: 16-bit and special registers as addresses, lists as masks,
/// labels in sums, functions as values. In none of them is an accepted operand an error.
const TOLERANT: &[&str] = &["async_copies", "fabric", "synchronization"];

/// The lines for a target.
#[derive(Default)]
struct Asked<'k> {
    /// The operand that each line has in the place that was asked for.
    kinds: Vec<&'k str>,
    /// Whether the assembler accepts each line, and the line.
    lines: Vec<(bool, String)>,
}

/// Checks one recording of `kinds.py`, collects the disagreements, and returns how many lines were checked.
fn check_kinds(recorded: &str, wrong: &mut Vec<String>) -> usize {
    let mut lines = recorded.lines();
    let declarations = lines.next().expect("the declarations");
    let kinds: Vec<&str> = lines.next().expect("the kinds").split(' ').collect();
    let mut asked: BTreeMap<&str, Asked> = BTreeMap::new();
    for line in lines {
        let (target, at, instruction, accepted) = recorded_operand(line);
        let at: usize = at.parse().expect("an index");
        let of_target = asked.entry(target).or_default();
        for (number, kind) in kinds.iter().enumerate() {
            of_target.kinds.push(kind);
            of_target.lines.push((accepted.contains(&number), with_operand(instruction, at, kind)));
        }
    }
    for (target, Asked { kinds, lines }) in &asked {
        for (at, found) in differences(target, declarations, lines) {
            let (accepted, line) = &lines[at];
            if !is_known_difference(line, kinds[at], *accepted) {
                wrong.push(format!("{} {line} {found:?}", if *accepted { "accepted" } else { "rejected" }));
            }
        }
    }
    asked.values().map(|of_target| of_target.lines.len()).sum()
}
