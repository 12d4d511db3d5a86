//! Rows as Markdown: the text of hover and `explain`.

use crate::sass::reason::list;
use crate::sass::words::CACHE;
use crate::sass::{ExtendedAddress, ResolvedSass, SassDialect, SassFamily, SassRole, families};
use crate::types::{Op, Type};
use crate::{Module, Spelling};
use std::fmt::Write;

/// The value in memory after an operation; `M` is the value before.
fn formula(op: &str) -> &'static str {
    match op {
        "ADD" => "M + b",
        "MIN" => "the smaller of M and b",
        "MAX" => "the larger of M and b",
        "INC" => "0 if M >= b, else M + 1",
        "DEC" => "b if M is 0 or above b, else M - 1",
        "AND" => "bitwise and of M and b",
        "OR" => "bitwise or of M and b",
        "XOR" => "bitwise xor of M and b",
        "EXCH" => "b",
        "CAS" => "c if M equals b, else M",
        "CAST.SPIN" => "c if M equals b, else M; one step of a compare-and-swap loop",
        "POPC.INC" => "M plus the number of active threads",
        "ARRIVE" => "the mbarrier object after the arrival of a thread",
        "F32ADD" => "the sum of all devices' values, accumulated in 32 bits",
        "HPADD" => "the sum of all devices' values, accumulated in a higher precision",
        _ => "",
    }
}

/// What an opcode, given with all its words, means, and which PTX becomes it.
pub fn opcode(opcode: &str, known: &ResolvedSass) -> String {
    let text = instruction(known);
    // Cache hints do not belong to the form.
    let plain: Vec<&str> = opcode.split('.').filter(|word| !CACHE.contains(word) && *word != "PRIVATE").collect();
    let ptx = match known.family.dialect {
        SassDialect::Maxwell => same(known).map(|form| format!("`{form}` has the same effect on memory.")),
        SassDialect::Current => crate::lowering::written_as(&plain.join(".")),
    };
    match ptx {
        Some(ptx) => format!("{}\n\n**PTX**: {}\n", text.trim_end(), ptx.trim_end()),
        None => text,
    }
}

/// The PTX that has the same effect on memory as a `RED` of Maxwell; `None` if there is none.
fn same(known: &ResolvedSass) -> Option<String> {
    let op = known.operation()?;
    let ty = match (op, known.size.ty) {
        (Op::And | Op::Or | Op::Xor, ty) if ty.bits() == 64 => Type::B64,
        (Op::And | Op::Or | Op::Xor, _) => Type::B32,
        (_, ty) => ty,
    };
    let words = ["global", op.word(), "noftz", ty.word()];
    let words = words.into_iter().filter(|word| *word != "noftz" || ty == Type::F16x2).collect::<Vec<_>>();
    let spelling = Spelling { mnemonic: "red", modifiers: &words };
    crate::is_legal(&spelling, &Module::default())?.then(|| format!("red.{}", words.join(".")))
}

/// What an opcode means, with its formula, its address and how it is carried out.
pub fn instruction(instruction: &ResolvedSass) -> String {
    let ResolvedSass { family, op, size, extended, .. } = instruction;
    let operands: Vec<&str> = instruction.operands().iter().map(|role| role.name()).collect();
    let e = if *extended { ".E" } else { "" };
    let size_word = if size.name.is_empty() { String::new() } else { format!(".{}", size.name) };
    let scope = if family.scoped { ".STRONG.scope" } else { "" };
    let mut text = format!(
        "```sass\n{}{e}.{op}{size_word}{scope} {}\n```\n\n{}\n",
        family.name,
        operands.join(", "),
        family.summary
    );
    let lanes = size.bits() / 8;
    let meaning = match family.name {
        "LDGMC" => format!("d becomes the reduction of all devices' M: {}.", reduced(op)),
        _ => format!("M = {}.", formula(op)),
    };
    let _ = write!(
        text,
        "\n{meaning} M has {lanes} bytes ({}) and requires an address of the same alignment.\n",
        kind(instruction)
    );
    if instruction.size.name.contains("FTZ") {
        text += "Flushes subnormal inputs and results to zero (`FTZ`); rounds sums to nearest even (`RN`).\n";
    }
    text += "\n";
    text += &address(family, *extended);
    text += "\n\n";
    text += &execution(family);
    text
}

fn reduced(op: &str) -> &'static str {
    match op {
        "ADD" => "their sum",
        "MIN" => "the smallest",
        "MAX" => "the largest",
        "AND" | "OR" | "XOR" => "their bitwise combination",
        other => formula(other),
    }
}

fn kind(instruction: &ResolvedSass) -> String {
    let (ty, lanes) = (instruction.size.ty.word(), instruction.size.lanes);
    if lanes == 1 { format!("PTX's `.{ty}`") } else { format!("PTX's `.v{lanes}.{ty}`") }
}

/// How an address is computed.
fn address(family: &SassFamily, extended: bool) -> String {
    let bits = family.offset_bits;
    let offsets = family.offsets();
    let offset = format!("a signed {bits}-bit offset ({} to {})", offsets.start(), offsets.end());
    match (family.dialect, extended) {
        (SassDialect::Maxwell, false) => format!(
            "**Address**: the 32-bit sum of the register and {offset}, zero-extended to 40 bits. A number alone is an absolute \
             address: an offset from zero."
        ),
        (SassDialect::Maxwell, true) => {
            format!("**Address** (`.E`): the 64-bit sum of a register pair (even first) and {offset}.")
        }
        (SassDialect::Current, _) if family.extended == ExtendedAddress::Never => {
            format!(
                "**Address** in the CTA's shared memory: the 32-bit sum of a register, an optional uniform register and {offset}."
            )
        }
        (SassDialect::Current, _) => format!(
            "**Address** (`.E`): the 64-bit sum of a register pair (`R2.64`) or a pair of uniform registers (`UR4`) and {offset}. `desc[UR6]` names the descriptor with the cache policy."
        ),
    }
}

/// How instructions of a family are carried out.
fn execution(family: &SassFamily) -> String {
    if family.name == "ATOMS" {
        return "**Execution**: in the shared memory of the SM; lanes of a warp with the same address are serialized."
            .to_owned();
    }
    let returns = family.rows.iter().any(|row| row.operands.contains(&SassRole::Destination));
    if family.name == "LDGMC" {
        return "**Execution**: every device of the multicast object is read once, and the values are reduced on their way to the SM.".to_owned();
    }
    let maxwell = family.dialect == SassDialect::Maxwell;
    // Only the reference of Maxwell describes it. Later measurements do not contradict it.
    let since = if maxwell { "" } else { ", as in the reference of Maxwell's `RED`" };
    let load = if maxwell { "`LD.CG`" } else { "a strong load such as `LDG.E.STRONG.GPU`" };
    let mut text = format!("**Execution**{since}:\n");
    text += "- The operation is performed at the L2 cache. A line of the L1 cache that holds the address is evicted first, because other SMs may have \
             changed it.\n";
    let _ = writeln!(
        text,
        "- To read the result, bypass L1: {load} (in PTX `ld.relaxed` or stronger). A plain `LD` may return a stale line."
    );
    if !returns {
        text += "- The thread does not wait, as with a store, and several operations may be in flight.\n";
    }
    text += "- Operations of one thread on one address stay in order. Other operations are unordered without `MEMBAR` and a barrier.\n";
    text += "- Lanes of a warp with different addresses in one 128-byte line share an access; every further line is another access, and lanes with the \
             same address are serialized. 64-bit values are processed per half-warp, 128-bit values per quarter-warp.";
    if maxwell {
        text += "\n- The address is generic but must be in global memory: an address in the window of local or shared memory is an error. So is a misaligned \
                 address, or one outside all allocations; memory is then unchanged.\n";
        text += "- In a pixel shader, helper pixels and killed pixels do not participate, as with a false predicate.";
    }
    text
}

/// The page of a mnemonic: all dialects, targets and rows.
pub fn mnemonic(name: &str) -> Option<String> {
    let families: Vec<&SassFamily> = families().iter().filter(|family| family.name == name).collect();
    let first = families.first()?;
    let mut text = format!("# {name} (SASS)\n\n{}\n", first.summary);
    for family in &families {
        let dialect = match family.dialect {
            SassDialect::Maxwell => "Maxwell (SPA 5.0)".to_owned(),
            SassDialect::Current => family.targets(),
        };
        let _ = write!(text, "\n## {dialect}\n\n```sass\n{}\n```\n\n", form(family));
        text += "| operation | result | sizes | |\n|---|---|---|---|\n";
        for row in &family.rows {
            let ops: Vec<String> = row.ops.iter().map(|op| format!("`.{op}`")).collect();
            let formulas: Vec<&str> =
                row.ops.iter().map(|op| if family.name == "LDGMC" { reduced(op) } else { formula(op) }).collect();
            let sizes: Vec<String> = row.sizes.iter().map(|size| size.shown()).collect();
            let limits = match (row.since == family.since, row.until == family.until) {
                (true, true) => String::new(),
                (_, true) => format!("sm_{} and newer", row.since),
                (_, false) => format!("sm_{} to sm_{}", row.since, row.until),
            };
            let _ = writeln!(text, "| {} | {} | {} | {limits} |", ops.join(" "), formulas.join("; "), sizes.join(" "));
        }
        let _ = write!(text, "\n{}\n", address(family, family.extended != ExtendedAddress::Never));
        if family.dialect == SassDialect::Maxwell {
            let _ = write!(text, "\n{}\n\n{CONTRADICTIONS}\n", address(family, false));
        }
        let _ = write!(text, "\n{}\n", execution(family));
    }
    Some(text)
}

/// Contradictions in the reference of Maxwell's `RED`, and how they are resolved here.
const CONTRADICTIONS: &str = "**Where the reference contradicts itself, its table takes precedence.** Its header lists `.F16x2.FTZ.RN` and no `.F64.RN`; \
    the table has `.F16x2.RN` and `.F64.RN`. One of its examples writes the absolute address `0xFFFF0000`, which is wider than the 20 bits of the \
    offset. Without `.E` it is encoded as the offset -0x10000 of the 32-bit sum. The same holds for absolute addresses up to 0x7FFFF and from \
    0xFFF80000 on; no other absolute address can be encoded.";

fn form(family: &SassFamily) -> String {
    let e = match family.extended {
        ExtendedAddress::Never => "",
        ExtendedAddress::Optional => "{.E}",
        ExtendedAddress::Always => ".E",
    };
    match family.dialect {
        SassDialect::Maxwell => {
            format!("{{@{{!}}Pg}} {}{e}.op{{.sz}} [Ra + ImmS20], Rb {{&req}} {{&rd}} {{?sched}};", family.name)
        }
        SassDialect::Current => {
            let scope = if family.scoped { ".STRONG.scope" } else { "" };
            let operands: Vec<&str> = family.rows[0].operands.iter().map(|role| role.name()).collect();
            format!("{}{e}.op{{.sz}}{scope} {};", family.name, operands.join(", "))
        }
    }
}

/// The meaning of a modifier of a mnemonic.
pub fn modifier(family: &SassFamily, word: &str) -> Option<String> {
    let summary = match word {
        "E" => "A 64-bit address in a register pair, even register first.".to_owned(),
        "STRONG" => {
            "Strong operation of the memory model: threads in scope may observe it directly, and it is not torn."
                .to_owned()
        }
        "WEAK" => "Weak operation of the memory model: for data without concurrent accesses.".to_owned(),
        "CTA" => "Scope: the threads of one CTA.".to_owned(),
        "SM" => "Scope: the threads on one SM; PTX's `.cta` from sm_80 on.".to_owned(),
        "GPU" => "Scope: the threads of one device; also PTX's `.cluster`.".to_owned(),
        "SYS" => "Scope: all threads, including those of the host.".to_owned(),
        "FTZ" => "Flushes subnormals to sign-preserving zero.".to_owned(),
        "RN" => "Rounded to nearest, ties to even.".to_owned(),
        "EF" => "Cache hint: evict first.".to_owned(),
        "EL" => "Cache hint: evict last.".to_owned(),
        "LU" => "Cache hint: last use.".to_owned(),
        "EU" => "Cache hint: evict unchanged.".to_owned(),
        "NA" => "Cache hint: allocate no line.".to_owned(),
        "PRIVATE" => "Memory private to the thread.".to_owned(),
        "CAST" | "SPIN" => format!("M becomes {}.", formula("CAST.SPIN")),
        "POPC" => format!("M becomes {}.", formula("POPC.INC")),
        _ if family.ops().contains(&word) => {
            let sizes: Vec<String> = family.sizes(word).iter().map(|size| size.shown()).collect();
            let result = if family.name == "LDGMC" { reduced(word) } else { formula(word) };
            format!("The result is {result}. It accepts {}.", list(&sizes))
        }
        _ => size(family, word)?,
    };
    Some(format!("**.{word}** of `{}`\n\n{summary}", family.name))
}

fn size(family: &SassFamily, word: &str) -> Option<String> {
    let sizes = || family.rows.iter().flat_map(|row| &row.sizes);
    let size = sizes().find(|size| size.name.split('.').next() == Some(word))?;
    let ops: Vec<String> =
        family.ops().into_iter().filter(|op| family.sizes(op).contains(size)).map(|op| format!("`.{op}`")).collect();
    Some(format!(
        "A value of {} bits: {} of PTX's `.{}`. Operations: {}.",
        size.bits(),
        size.lanes,
        size.ty.word(),
        list(&ops)
    ))
}
