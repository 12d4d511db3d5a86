//! Kernels that multiply matrices, run by the machine, against what an H200 left in memory.

use crate::recorded;
use flate2::Crc;
use isa::Module;
use isa::target::{Target, Version};
use kernel::KernelModule;
use kernel::arguments::launch::{KernelLaunch, prepare};
use machine::run;
use std::num::NonZeroUsize;
use syntax::LintFile;

/// The bytes of a kernel's results that are recorded; of all of them, the CRC-32.
const RECORDED: usize = 4096;

/// What a kernel leaves in memory; `None` if a run ends at an instruction.
fn result(module: &mut KernelModule, kernel: &str, words: usize) -> Option<Vec<u8>> {
    let arguments = vec![format!("out=u32[{words}]")];
    let launch = KernelLaunch { kernel: kernel.to_owned(), arguments, ..KernelLaunch::default() };
    let prepared = prepare(module, &launch, u64::MAX, &mut |_, _| Err("no files".to_owned())).expect("a kernel");
    let memory = prepared.memory.memory.clone();
    let ended = run(&prepared.kernel.program, &prepared.launch, memory, NonZeroUsize::MIN).expect("a launch");
    assert!(ended.problems.is_empty(), "{kernel}: {:?}", ended.problems);
    let buffers = prepared.memory.results(&ended.memory);
    ended.unsupported.is_none().then(|| buffers[0].bytes.to_vec())
}

#[test]
fn kernels_leave_what_an_h200_leaves() {
    let text = String::from_utf8(recorded("kernels.ptx.gz")).expect("PTX");
    let file = LintFile::parse(&text);
    let module = Module { target: Target::parse("sm_90a"), version: Version::parse("9.5") };
    let mut module = KernelModule::of_many(&file, module);
    let (expected, mut at) = (recorded("kernels.bin.gz"), 0);
    let list = support::evidence("matrix_products").join("kernels.tsv");
    let list = std::fs::read_to_string(list).expect("the list of kernels");
    let mut wrong = Vec::new();
    for line in list.lines() {
        let (kernel, words) = line.split_once('\t').expect("a name and a number");
        let words: usize = words.parse().expect("a number");
        let (first, checksum) = expected[at..].split_at(RECORDED.min(4 * words));
        let checksum = u32::from_le_bytes(checksum[..4].try_into().expect("four bytes"));
        at += first.len() + 4;
        let Some(found) = result(&mut module, kernel, words) else {
            wrong.push(format!("{kernel}: not supported"));
            continue;
        };
        let mut crc = Crc::new();
        crc.update(&found);
        if found[..first.len()] != *first || crc.sum() != checksum {
            wrong.push(format!("{kernel}: another result"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
