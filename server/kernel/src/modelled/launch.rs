//! A launch as a program of the memory model.

use crate::modelled::launched_thread::{LaunchedThread, MOST_THREADS, ModelledWord, TRAP_BYTES, is_writable};
use crate::modelled::thread::thread_code;
use crate::modelled::thread_code::{ModelledTrap, ThreadCode};
use machine::GlobalMemory;
use memory_model::{Bits, Location, Program, Thread, ThreadPosition};
use program::{AddressSize, CodePlace, Launch, LaunchStart, LiveRegisters, MachineProgram, ThreadId};
use std::collections::BTreeSet;

/// The most words of memory.
const MOST_WORDS: usize = 48;

/// A launch as a program: one thread for each of its threads, one location for each word that they access, and then one for each trap.
#[derive(Debug)]
pub struct ModelledLaunch {
    /// The program.
    pub program: Program,
    /// The threads, in the order of those of the program.
    pub threads: Vec<ThreadId>,
    /// The instruction of the kernel that each instruction of each thread is made from.
    pub places: Vec<Vec<CodePlace>>,
    /// The words, in the order of the locations.
    pub words: Vec<ModelledWord>,
    /// The traps, in the order of the locations after those, each with its thread.
    pub traps: Vec<(ThreadId, ModelledTrap)>,
    /// Whether a register may be read that nothing has written.
    pub may_lack_writes: bool,
    /// The size of addresses.
    pub addresses: AddressSize,
}

impl ModelledLaunch {
    /// The program of a launch, from what memory has before it; `None` if it does something that the model or this translation does not have.
    pub fn new(program: &MachineProgram, launch: &Launch, memory: &GlobalMemory) -> Option<Self> {
        let (ctas, threads) = (launch.grid.count(), launch.block.count());
        let is_plain = launch.cluster.count() == 1
            && launch.beside.is_empty()
            && launch.start == LaunchStart::AfterEnd
            && !memory.has_earlier();
        if !is_plain || ctas.saturating_mul(threads) > MOST_THREADS {
            return None;
        }
        let function = &program.functions[launch.kernel];
        let addresses = program.addresses;
        let live = LiveRegisters::of(function);
        let ids = (0..ctas as u32).flat_map(|cta| (0..threads as u32).map(move |thread| ThreadId { cta, thread }));
        let mut written = BTreeSet::new();
        // What is found to be written is no constant the next time.
        loop {
            let code_of = |id| {
                let index = launch.kernel as u32;
                let launched = LaunchedThread { function, index, launch, memory, id, addresses, written: &written };
                Some((id, thread_code(&launched, &live)?))
            };
            let codes: Vec<(ThreadId, ThreadCode)> = ids.clone().map(code_of).collect::<Option<_>>()?;
            let of_all = |set: fn(&ThreadCode) -> &BTreeSet<usize>| -> BTreeSet<usize> {
                codes.iter().flat_map(|(_, code)| set(code)).copied().collect()
            };
            let (read, found) = (of_all(|code| &code.read_allocations), of_all(|code| &code.written_allocations));
            if read.is_disjoint(&found) {
                // A barrier waits for all threads of the CTA that have not ended.
                let is_same = |pair: &[(ThreadId, ThreadCode)]| {
                    pair[0].0.cta != pair[1].0.cta || pair[0].1.barriers == pair[1].1.barriers
                };
                if !codes.windows(2).all(is_same) || codes.iter().any(|(_, code)| code.repeats_barrier()) {
                    return None;
                }
                let words = words(&codes, memory, &read)?;
                return Self::of(codes, words, (memory, addresses));
            }
            written.extend(found);
        }
    }

    fn of(
        codes: Vec<(ThreadId, ThreadCode)>,
        words: Vec<ModelledWord>,
        (memory, addresses): (&GlobalMemory, AddressSize),
    ) -> Option<Self> {
        let traps: Vec<(ThreadId, ModelledTrap)> =
            codes.iter().flat_map(|(id, code)| code.traps.iter().map(|trap| (*id, *trap))).collect();
        let may_lack_writes = codes.iter().any(|(_, code)| code.may_lack_writes);
        let mut locations = words.iter().map(|word| location(*word, memory, addresses)).collect::<Option<Vec<_>>>()?;
        locations.extend(traps.iter().map(|(_, trap)| Location {
            name: "trap".to_owned(),
            address: trap.address,
            bytes: TRAP_BYTES,
            ..Location::default()
        }));
        let (mut threads, mut ids, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for (id, ThreadCode { code, places: of_code, registers, .. }) in codes {
            let place = ThreadPosition { gpu: 0, cluster: id.cta, cta: 0 };
            let name = format!("CTA {} thread {}", id.cta, id.thread);
            threads.push(Thread { name, place, registers, code, ..Thread::default() });
            ids.push(id);
            places.push(of_code);
        }
        Some(Self {
            program: Program { threads, locations },
            threads: ids,
            places,
            words,
            traps,
            may_lack_writes,
            addresses,
        })
    }

    /// The memory of an outcome: what the words have then.
    pub fn memory(&self, before: &GlobalMemory, values: &[Bits]) -> GlobalMemory {
        let mut memory = before.clone();
        for (word, value) in self.words.iter().zip(values) {
            if let Some(place) = memory.find(word.address, word.bytes.into(), 0) {
                let region = &mut memory.allocation_mut(place.allocation).region;
                region.store_wide(place.offset, word.bytes, *value);
            }
        }
        memory
    }
}

fn location(word: ModelledWord, memory: &GlobalMemory, addresses: AddressSize) -> Option<Location> {
    if word.is_shared(addresses) {
        let ModelledWord { address, bytes } = word;
        return Some(Location {
            name: format!("{address:#x}"),
            address,
            bytes,
            is_undefined: true,
            ..Location::default()
        });
    }
    let place = memory.find(word.address, word.bytes.into(), 0)?;
    let region = &memory.allocations()[place.allocation].region;
    region.is_range_defined(place.offset, word.bytes as usize).then(|| Location {
        name: format!("{:#x}", word.address),
        init: region.load_wide(place.offset, word.bytes),
        address: word.address,
        bytes: word.bytes,
        ..Location::default()
    })
}

/// The words that threads access, but for those of constant allocations; `None` if some overlap, or if there are too many.
fn words(
    codes: &[(ThreadId, ThreadCode)],
    memory: &GlobalMemory,
    constant: &BTreeSet<usize>,
) -> Option<Vec<ModelledWord>> {
    let mut words: BTreeSet<ModelledWord> = codes.iter().flat_map(|(_, code)| code.words.iter().copied()).collect();
    let sizes: BTreeSet<u32> = codes.iter().flat_map(|(_, code)| code.computed_sizes.iter().copied()).collect();
    // Any word of a buffer may be meant by an address that depends on a read.
    for bytes in sizes {
        let buffers = memory.allocations().iter().enumerate().filter(|(_, one)| is_writable(one.kind));
        for (_, buffer) in buffers.filter(|(at, _)| !constant.contains(at)) {
            let count = buffer.region.len() as u64 / u64::from(bytes);
            if count > MOST_WORDS as u64 {
                return None;
            }
            words.extend((0..count).map(|at| ModelledWord { address: buffer.address + at * u64::from(bytes), bytes }));
        }
    }
    let words: Vec<ModelledWord> = words.into_iter().collect();
    let is_apart = |pair: &[ModelledWord]| pair[0].address + u64::from(pair[0].bytes) <= pair[1].address;
    (words.len() <= MOST_WORDS && words.windows(2).all(is_apart)).then_some(words)
}
