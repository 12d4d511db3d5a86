//! The litmus tests of asynchronous operations and mbarriers as kernels.
//!
//! A wait, or a strong load of what another thread writes, is repeated in the kernel until it reads 1; in the litmus test its thread ends otherwise.

use crate::comparison::{ComparedProgram, Comparison};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;

/// Tests that are no kernels, or whose two readings differ, with the reason.
const LEFT_OUT: &[(&str, &str)] = &[
    ("wgmma", "`check` does not compute products, and a fence of registers is no matter of memory there (rule 14)"),
    ("tcgen05", "`check` does not compute products, and tensor memory needs an allocation (rule 15)"),
    ("tensor", "a tensor map is an argument, not a word of memory"),
    ("grid-dependency", "it has threads of two kernels (rule 16)"),
    ("async-multicast", "the destinations are locations of their own, in a kernel one address in each CTA"),
    ("async-overwrite", "a bulk copy to shared memory has no `.bulk_group`"),
    ("async-issue-order", "`cp.async` reads shared memory there"),
    ("async-fence-wrong-way", "it has a tensor map"),
    ("mbarrier-state", "the wait is for a state, and of an mbarrier that may not be complete"),
    ("mbarrier-atomic.", "it compares states of an mbarrier"),
    ("mbarrier-init-no-fence", "the mbarrier is used before it is initialized, which is a mistake of its own"),
    ("mbarrier-init-fence.", "the mbarrier is of another CTA than the thread that tests it"),
    ("mbarrier-init-fence-data", "the same"),
];

const LINES: usize = 16;

/// A litmus test, taken apart.
struct LitmusFile {
    head: String,
    /// The initial values of locations.
    values: BTreeMap<String, String>,
    mbarriers: BTreeMap<String, String>,
    /// The number of the CTA of each thread.
    ctas: Vec<usize>,
    columns: Vec<Vec<String>>,
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_lowercase()) && word.chars().all(|c| c.is_ascii_alphanumeric())
}

impl LitmusFile {
    fn read(text: &str) -> Self {
        let begin = text.find('{').expect("initial values");
        let end = begin + text[begin..].find('}').expect("their end");
        let (mut values, mut mbarriers) = (BTreeMap::new(), BTreeMap::new());
        for one in text[begin + 1..end].split(';').map(str::trim) {
            if let Some((name, kind)) = one.split_once('@') {
                if let Some(count) = kind.trim().strip_prefix("mbarrier ") {
                    mbarriers.insert(name.trim().to_owned(), count.to_owned());
                }
            } else if let Some((name, value)) = one.split_once('=')
                && is_name(name.trim())
            {
                values.insert(name.trim().to_owned(), value.trim().to_owned());
            }
        }
        let rows = text[end + 1..].lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
        let mut rows = rows
            .take_while(|line| !["exists", "~exists", "forall", "filter"].iter().any(|word| line.starts_with(word)));
        let cells =
            |row: &str| row.trim_end_matches(';').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
        let head = rows.next().expect("threads").to_owned();
        let cta =
            |cell: &String| cell.split("@cta ").nth(1).and_then(|rest| rest.split(',').next()?.trim().parse().ok());
        let ctas: Vec<usize> = cells(&head).iter().filter_map(cta).collect();
        let mut columns = vec![Vec::new(); ctas.len()];
        for row in rows {
            for (column, cell) in columns.iter_mut().zip(cells(row)).filter(|(_, cell)| !cell.is_empty()) {
                column.push(cell);
            }
        }
        // Locations without an initial value are 0.
        for cell in columns.iter_mut().flatten() {
            let (opcode, operands) = cell.split_once(' ').unwrap_or((cell, ""));
            let is_access = ["ld.", "st."].iter().any(|begin| opcode.starts_with(begin));
            let bare = |operand: &str| {
                if is_access && is_name(operand) && !operand.starts_with('r') {
                    format!("[{operand}]")
                } else {
                    operand.to_owned()
                }
            };
            let operands: Vec<String> = operands.split(',').map(|operand| bare(operand.trim())).collect();
            for name in operands.iter().filter_map(|operand| operand.strip_prefix('[')?.strip_suffix(']')) {
                if !mbarriers.contains_key(name) {
                    values.entry(name.to_owned()).or_insert_with(|| "0".to_owned());
                }
            }
            *cell = format!("{opcode} {}", operands.join(", ")).trim().to_owned();
        }
        Self { head, values, mbarriers, ctas, columns }
    }

    /// Where each shared location is: the CTA of a thread that has to be near it, or the first.
    fn shared(&self) -> BTreeMap<String, usize> {
        let mut shared: BTreeMap<String, usize> = self.mbarriers.keys().map(|name| (name.clone(), 0)).collect();
        let mut add = |name: Option<String>, cta: Option<usize>| {
            let Some(name) = name else { return };
            let known = shared.entry(name).or_default();
            *known = cta.unwrap_or(*known);
        };
        for (column, cta) in self.columns.iter().zip(&self.ctas) {
            for cell in column {
                let operand =
                    |at: usize| cell.split('[').nth(at + 1).and_then(|rest| rest.split(']').next()).map(str::to_owned);
                let own = Some(*cta);
                match cell.as_str() {
                    cell if cell.starts_with("cp.async.ca") || cell.starts_with("cp.async.cg") => add(operand(0), own),
                    cell if cell.contains(".async.bulk.global.shared::cta") => add(operand(1), own),
                    cell if cell.starts_with("cp.async.bulk.shared::cta") => add(operand(0), own),
                    cell if cell.contains("async.bulk.shared::cluster")
                        || cell.contains("async.weak")
                        || cell.starts_with("red.async") =>
                    {
                        add(operand(0), None);
                    }
                    cell if cell.contains("_wait") && cell.starts_with("mbarrier") => add(operand(0), own),
                    cell if cell.starts_with("cp.async.mbarrier") => add(operand(0), own),
                    _ => {}
                }
            }
        }
        // What an operation writes that notifies an mbarrier is in the CTA of that.
        let copies = self.columns.iter().flatten().filter(|cell| cell.contains("complete_tx::bytes"));
        for cell in copies {
            let operands: Vec<&str> = cell.split('[').skip(1).filter_map(|rest| rest.split(']').next()).collect();
            let home = operands.last().and_then(|last| shared.get(*last)).copied().unwrap_or(0);
            shared.insert(operands[0].to_owned(), home);
        }
        shared
    }

    /// The register of a wait, or of a strong load of what another thread writes.
    fn waits(&self, thread: usize, cell: &str) -> Option<String> {
        let (opcode, operands) = cell.split_once(' ')?;
        let register = operands.split(',').next()?.trim().to_owned();
        let location = cell.split('[').nth(1)?.split(']').next()?;
        let writes = |other: &String| {
            other.starts_with("st.") && !other.contains("async") && other.contains(&format!("[{location}]"))
        };
        let others = self.columns.iter().enumerate().filter(|(other, _)| *other != thread);
        let is_written = || others.flat_map(|(_, column)| column).any(writes);
        let is_strong = ["ld.acquire", "ld.relaxed"].iter().any(|word| opcode.starts_with(word));
        (opcode.contains("_wait") && opcode.starts_with("mbarrier") || is_strong && is_written()).then_some(register)
    }

    fn litmus(&self) -> String {
        let mut text = "PTX file\n{ ".to_owned();
        let shared = self.shared();
        for (name, value) in &self.values {
            let _ = write!(
                text,
                "{name} @ {}; {name}={value}; ",
                if shared.contains_key(name) { "shared" } else { "global" }
            );
        }
        self.mbarriers.iter().for_each(|(name, count)| {
            let _ = write!(text, "{name} @ mbarrier {count}; ");
        });
        let mut columns: Vec<Vec<String>> = Vec::new();
        for (thread, column) in self.columns.iter().enumerate() {
            let mut lines = Vec::new();
            for cell in column {
                if let Some(register) = register_of(cell) {
                    let _ = write!(text, "P{thread}:{register}=0; ");
                }
                lines.push(cell.clone());
                lines.extend(self.waits(thread, cell).map(|register| format!("bne {register}, 1, LC{thread}9")));
            }
            lines.push(format!("LC{thread}9:"));
            columns.push(lines);
        }
        let _ = writeln!(text, "}}\n{}", self.head);
        for row in 0..columns.iter().map(Vec::len).max().unwrap_or_default() {
            let cells: Vec<&str> = columns.iter().map(|column| column.get(row).map_or("", String::as_str)).collect();
            let _ = writeln!(text, "{} ;", cells.join(" | "));
        }
        text + "exists (0 == 0)\n"
    }

    /// The kernel; an error if it would have an instruction that is not translated.
    fn compared(&self) -> Result<ComparedProgram, String> {
        let shared = self.shared();
        let ctas = self.ctas.iter().max().map_or(1, |last| last + 1) as u32;
        let of_cta = |cta: usize| self.ctas.iter().filter(|other| **other == cta).count() as u32;
        let threads = (0..ctas as usize).map(of_cta).max().unwrap_or(1);
        let global: Vec<&String> = self.values.keys().filter(|name| !shared.contains_key(*name)).collect();
        let parameters: Vec<String> = global.iter().map(|name| format!(".param .u64 {name}, ")).collect();
        let mut text = format!(
            ".version 8.6\n.target sm_90\n.address_size 64\n.entry k({}.param .u64 out)\n{{\n\t.reg .pred %p, %q;\n\t.reg .b32 %thread, %cta, %v, %r<{LINES}>;\n\t.reg .b64 %out, %w;\n",
            parameters.concat()
        );
        for (name, is_shared) in self
            .values
            .keys()
            .map(|name| (name, shared.contains_key(name)))
            .chain(self.mbarriers.keys().map(|name| (name, true)))
        {
            let _ = match is_shared {
                true => writeln!(
                    text,
                    "\t.shared .align 128 .b8 s{name}[16];\n\t.reg .b32 %{name};\n\tmov.u32 %v, s{name};\n\tmapa.shared::cluster.u32 %{name}, %v, {};",
                    shared[name]
                ),
                false => writeln!(text, "\t.reg .b64 %{name};\n\tld.param.u64 %{name}, [{name}];"),
            };
        }
        text.push_str("\tld.param.u64 %out, [out];\n\tmov.u32 %thread, %tid.x;\n\tmov.u32 %cta, %ctaid.x;\n\tsetp.ne.u32 %p, %thread, 0;\n\t@%p bra BEGIN;\n");
        for name in shared.keys() {
            let _ = match (self.mbarriers.get(name), self.values.get(name)) {
                (Some(count), _) => writeln!(text, "\tmbarrier.init.shared.b64 [s{name}], {count};"),
                (None, value) => {
                    writeln!(text, "\tst.shared.v4.u32 [s{name}], {{{}, 0, 0, 0}};", value.map_or("0", String::as_str))
                }
            };
        }
        text.push_str("\tfence.proxy.async;\n\tfence.mbarrier_init.release.cluster;\nBEGIN:\n\tbarrier.cluster.arrive;\n\tbarrier.cluster.wait;\n");
        let (mut observed, mut waits) = (Vec::new(), BTreeSet::new());
        let out = 4 * global.len();
        for (thread, column) in self.columns.iter().enumerate() {
            let cta = self.ctas[thread];
            let number = self.ctas[..thread].iter().filter(|other| **other == cta).count();
            let _ = writeln!(
                text,
                "\tsetp.ne.u32 %p, %thread, {number};\n\t@%p bra NEXT{thread};\n\tsetp.ne.u32 %p, %cta, {cta};\n\t@%p bra NEXT{thread};"
            );
            let mut results = BTreeSet::new();
            for (at, cell) in column.iter().enumerate() {
                let line = instruction(cell, thread, cta, &shared)?;
                match self.waits(thread, cell) {
                    Some(register) => {
                        let test = if cell.starts_with("mbarrier") {
                            "selp.b32 %v, 1, 0, %p".to_owned()
                        } else {
                            format!("mov.b32 %v, %{register}")
                        };
                        let _ = writeln!(
                            text,
                            "WAIT{thread}_{at}:\n\t{line}\n\t{test};\n\tsetp.ne.u32 %q, %v, 1;\n\t@%q bra WAIT{thread}_{at};\n\tmov.b32 %{register}, %v;"
                        );
                        waits.insert(format!("P{thread}:{register}"));
                    }
                    None => {
                        let _ = writeln!(text, "\t{line}");
                        results.extend(register_of(cell));
                    }
                }
            }
            let _ =
                writeln!(text, "\tcp.async.wait_all;\n\tcp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;");
            for register in results {
                let word = thread * LINES + register[1..].parse::<usize>().map_err(|_| register.clone())?;
                let _ = writeln!(text, "\tst.global.u32 [%out+{}], %{register};", 4 * word);
                observed.push((format!("P{thread}:{register}"), out + word));
            }
            let _ = writeln!(text, "\tbra END;\nNEXT{thread}:");
        }
        text.push_str("END:\n\tbarrier.cluster.arrive;\n\tbarrier.cluster.wait;\n\tret;\n}\n");
        observed.extend(global.iter().enumerate().map(|(at, name)| ((*name).clone(), 4 * at)));
        let buffers = global.iter().map(|name| format!("{name}=u32[4]={},0,0,0", self.values[*name]));
        let arguments = buffers.chain([format!("out=u32[{}]", LINES * self.columns.len())]).collect();
        Ok(ComparedProgram { litmus: self.litmus(), kernel: text, ctas, threads, arguments, observed, waits })
    }
}

/// The register that an instruction of a litmus test sets.
fn register_of(cell: &str) -> Option<String> {
    let (opcode, operands) = cell.split_once(' ')?;
    let register = operands.split(',').next()?.trim();
    let is_register = register.starts_with('r') && register[1..].parse::<usize>().is_ok();
    (is_register && (opcode.starts_with("ld.") || opcode.starts_with("mbarrier"))).then(|| register.to_owned())
}

/// An instruction of a litmus test in PTX.
fn instruction(cell: &str, thread: usize, cta: usize, shared: &BTreeMap<String, usize>) -> Result<String, String> {
    if let Some(label) = cell.strip_suffix(':') {
        return Ok(format!("P{thread}{label}:"));
    }
    let unknown = || format!("`{cell}`");
    let (opcode, operands) = cell.split_once(' ').unwrap_or((cell, ""));
    let operands: Vec<&str> = operands.split(',').map(str::trim).collect();
    let location = |operand: &str| operand.trim_matches(['[', ']']).to_owned();
    let is_shared = |operand: &str| shared.contains_key(&location(operand));
    let value = |operand: &str| if operand.starts_with('r') { format!("%{operand}") } else { operand.to_owned() };
    let space = |operand: &str| if is_shared(operand) { "shared::cluster" } else { "global" };
    let own = |operand: &str| match shared.get(&location(operand)) {
        Some(home) if *home == cta => Ok(format!("[s{}]", location(operand))),
        _ => Err(unknown()),
    };
    let any = |operand: &str| format!("[%{}]", location(operand));
    let of_mbarrier =
        |operand: &str| if shared.get(&location(operand)) == Some(&cta) { "shared::cta" } else { "shared::cluster" };
    Ok(match (opcode, &operands[..]) {
        (_, [register, at]) if opcode.starts_with("ld.") => {
            format!("{opcode}.{}.u32 %{register}, {};", space(at), any(at))
        }
        (_, [at, new]) if opcode.starts_with("st.") && !opcode.contains("async") => {
            format!("{opcode}.{}.u32 {}, {};", space(at), any(at), value(new))
        }
        (_, [at, new, barrier]) if opcode.starts_with("st.async") || opcode.starts_with("red.async") => {
            format!("mov.b64 %w, {new}; {opcode} {}, %w, {};", any(at), any(barrier))
        }
        (_, [to, from, size]) if opcode.starts_with("cp.async.c") && is_shared(to) && !is_shared(from) => {
            format!("{opcode} {}, {}, {size};", own(to)?, any(from))
        }
        (_, [to, from, size]) if opcode.contains(".async.bulk.global.shared::cta") => {
            format!("{opcode} {}, {}, {size};", any(to), own(from)?)
        }
        (_, [to, from, size, barrier]) if opcode.starts_with("cp.async.bulk.shared::") => {
            format!(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes {}, {}, {size}, {};",
                any(to),
                any(from),
                any(barrier)
            )
        }
        (_, [at, rest @ ..]) if opcode.starts_with("cp.async.bulk.prefetch") => {
            format!("{opcode} {}, {};", any(at), rest.concat())
        }
        (_, [at]) if opcode.starts_with("cp.async.mbarrier") => format!("{opcode} {};", own(at)?),
        (_, [register, at, parity]) if opcode.contains("_wait.parity") => {
            let _ = register;
            format!("{} %p, {}, {parity};", opcode.replace(".shared.", ".shared::cta."), own(at)?)
        }
        (_, ["_", at, rest @ ..]) if opcode.starts_with("mbarrier.arrive") => {
            let opcode = opcode
                .replace("shared::cluster", "shared")
                .replace("shared::cta", "shared")
                .replace(".shared.", &format!(".{}.", of_mbarrier(at)));
            let rest: String = rest.iter().map(|operand| format!(", {operand}")).collect();
            format!("{opcode} _, {}{rest};", any(at))
        }
        ("bar.cta.sync", [number, ..]) => format!("barrier.cta.sync {number};"),
        ("beq" | "bne", [one, other, label]) => {
            let test = if opcode == "beq" { "eq" } else { "ne" };
            format!("setp.{test}.u32 %q, {}, {}; @%q bra P{thread}{label};", value(one), value(other))
        }
        (_, [""]) if ["fence.", "barrier.cluster.", "cp.async."].iter().any(|begin| opcode.starts_with(begin)) => {
            format!("{opcode};")
        }
        (_, [number]) if opcode.contains("wait_group") => format!("{opcode} {number};"),
        _ => return Err(unknown()),
    })
}

#[test]
fn each_litmus_test_of_asynchronous_operations_has_its_verdict_as_a_kernel() {
    let words = ["async", "mbarrier", "barrier-cluster", "wgmma", "tcgen05", "grid-dependency"];
    let mut paths: Vec<_> = fs::read_dir(support::root().join("tests/litmus"))
        .expect("the folder")
        .map(|one| one.expect("an entry").path())
        .collect();
    paths.sort();
    let (mut compared, mut wrong) = (0, Vec::new());
    for path in paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "litmus")) {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_left_out = LEFT_OUT.iter().any(|(begin, _)| name.contains(begin));
        if !words.iter().any(|word| name.starts_with(word)) || is_left_out {
            continue;
        }
        let text = fs::read_to_string(path).expect("a test");
        let program = LitmusFile::read(&text).compared().unwrap_or_else(|error| panic!("{name}: {error}"));
        let (comparison, shown) = program.compare();
        if !matches!(comparison, Comparison::Proved | Comparison::Refuted) {
            wrong.push(format!("{name}: {comparison:?}\n{shown}"));
        }
        compared += 1;
    }
    assert!(wrong.is_empty(), "{} of {compared}\n{}", wrong.len(), wrong.join("\n----\n"));
    assert!(compared >= 30, "{compared}");
}
