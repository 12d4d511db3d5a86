//! The instructions of PTX 9.5 that have no rows: a line each, for hover and completion. Nothing is said of their modifiers.
//!
//! First versions and targets as measured on the samples of `tests/evidence/family/instructions.txt`. Must not know anything else of them.

use crate::since::Since;
use std::sync::LazyLock;

const TEXT: &str = "
abs                              PTX 1.0 | Absolute value.
add                              PTX 1.0 | Addition.
addc                             PTX 1.2 | Addition with the carry of the one before.
alloca                           PTX 7.3 sm_52 | Takes memory from the stack.
and                              PTX 1.0 | Bitwise and.
bfe                              PTX 2.0 sm_20 | Takes a bit field out of a word.
bfi                              PTX 2.0 sm_20 | Puts a bit field into a word.
bfind                            PTX 2.0 sm_20 | The place of the highest bit that differs from the sign.
bmsk                             PTX 7.6 sm_70 | A mask of consecutive bits.
bra                              PTX 1.0 | Branches to a label.
brev                             PTX 2.0 sm_20 | Reverses the bits of a word.
brkpt                            PTX 1.0 sm_11 | Stops for a debugger.
brx.idx                          PTX 5.1 sm_30 | Branches to a label out of a list, by index.
call                             PTX 1.0 | Calls a function.
clusterlaunchcontrol.query_cancel PTX 8.6 sm_100 | Reads what became of a cancelled launch.
clusterlaunchcontrol.try_cancel  PTX 8.6 sm_100 | Asks to cancel the launch of a cluster that has not begun, to do its work here.
clz                              PTX 2.0 sm_20 | Counts leading zeros.
cnot                             PTX 1.0 | Logical not in the sense of C.
copysign                         PTX 2.0 sm_20 | The magnitude of one number with the sign of another.
cos                              PTX 1.0 | Cosine, approximately.
cp.async                         PTX 7.0 sm_80 | Copies a few bytes from global to shared memory without waiting.
cp.async.bulk                    PTX 8.0 sm_90 | Copies many bytes without waiting.
cp.async.bulk.commit_group       PTX 8.0 sm_90 | Ends the current group of bulk copies of this thread.
cp.async.bulk.prefetch           PTX 8.0 sm_90 | Fetches many bytes into the L2 cache.
cp.async.bulk.prefetch.tensor    PTX 8.0 sm_90 | Fetches a box of a tensor into the L2 cache.
cp.async.bulk.tensor             PTX 8.0 sm_90 | Copies a box of a tensor without waiting.
cp.async.bulk.wait_group         PTX 8.0 sm_90 | Waits until all but a few groups of bulk copies have completed.
cp.async.commit_group            PTX 7.0 sm_80 | Ends the current group of copies of this thread.
cp.async.mbarrier.arrive         PTX 7.0 sm_80 | Arrives at a barrier in memory once the copies so far have completed.
cp.async.wait_all                PTX 7.0 sm_80 | Waits until all copies of this thread have completed.
cp.async.wait_group              PTX 7.0 sm_80 | Waits until all but a few groups of copies have completed.
cvt                              PTX 1.0 | Converts from one type to another.
cvt.pack                         PTX 6.5 sm_72 | Converts two integers and packs them side by side.
div                              PTX 1.0 | Division.
dp2a                             PTX 5.0 sm_61 | Dot product of two pairs, added to a sum.
dp4a                             PTX 5.0 sm_61 | Dot product of four bytes each, added to a sum.
elect                            PTX 8.0 sm_90 | Elects one of the threads of a warp.
ex2                              PTX 1.0 | Two to the power of a number, approximately.
exit                             PTX 1.0 | Ends the thread.
fma                              PTX 1.4 sm_13 | Multiplies and adds with one rounding.
fns                              PTX 5.1 sm_30 | Finds the n-th set bit.
istypep                          PTX 4.0 sm_30 | Says whether a variable is a texture, sampler or surface reference.
ldmatrix                         PTX 6.5 sm_75 | Loads matrices from shared memory into the registers of a warp.
ldu                              PTX 2.0 sm_20 | Loads from an address that is the same for all threads of a warp.
lg2                              PTX 1.0 | Logarithm to base two, approximately.
lop3                             PTX 4.3 sm_50 | Any bitwise function of three words, given by its table.
mad                              PTX 1.0 | Multiplies and adds.
mad24                            PTX 1.0 | Multiplies 24-bit integers and adds.
madc                             PTX 3.0 sm_20 | Multiplies and adds with the carry of the one before.
max                              PTX 1.0 | Maximum.
min                              PTX 1.0 | Minimum.
mma                              PTX 6.4 sm_70 | Multiplies and adds matrices held by a warp.
mov                              PTX 1.0 | Copies a register, or the address of a variable.
movmatrix                        PTX 7.8 sm_75 | Transposes a matrix held by a warp.
mul                              PTX 1.0 | Multiplication.
mul24                            PTX 1.0 | Multiplies 24-bit integers.
nanosleep                        PTX 6.2 sm_70 | Sleeps for about so many nanoseconds.
neg                              PTX 1.0 | Negation.
not                              PTX 1.0 | Bitwise not.
or                               PTX 1.0 | Bitwise or.
pmevent                          PTX 1.4 | Triggers events of the performance monitor.
popc                             PTX 2.0 sm_20 | Counts the bits that are set.
prefetch                         PTX 2.0 sm_20 | Fetches a line into a cache.
prefetchu                        PTX 2.0 sm_20 | Fetches a line into the cache of uniform loads.
prmt                             PTX 2.0 sm_20 | Picks bytes out of two words.
rcp                              PTX 1.0 | Reciprocal.
rem                              PTX 1.0 | Remainder of a division.
ret                              PTX 1.0 | Returns from a function.
rsqrt                            PTX 1.0 | Reciprocal of the square root, approximately.
sad                              PTX 1.0 | Sum of absolute differences.
selp                             PTX 1.0 | Chooses between two values by a predicate.
set                              PTX 1.0 | Compares and gives a number.
setmaxnreg                       PTX 8.0 sm_90a sm_100f sm_103f sm_107f sm_110f sm_120f sm_121f | Asks for more or fewer registers per thread of the warp.
setp                             PTX 1.0 | Compares and gives predicates.
shf                              PTX 3.1 sm_32 | Shifts a pair of words and takes one of them.
shl                              PTX 1.0 | Shifts left.
shr                              PTX 1.0 | Shifts right.
sin                              PTX 1.0 | Sine, approximately.
slct                             PTX 1.0 | Chooses between two values by the sign of a third.
sqrt                             PTX 1.0 | Square root.
stackrestore                     PTX 7.3 sm_52 | Gives back stack memory down to a mark.
stacksave                        PTX 7.3 sm_52 | Marks the top of the stack.
stmatrix                         PTX 7.8 sm_90 | Stores matrices from the registers of a warp to shared memory.
sub                              PTX 1.0 | Subtraction.
subc                             PTX 1.3 | Subtraction with the borrow of the one before.
suld                             PTX 1.5 | Loads from a surface.
suq                              PTX 1.5 | Asks for a property of a surface.
sured                            PTX 2.0 sm_20 | Combines a value with memory of a surface.
sust                             PTX 1.5 | Stores to a surface.
szext                            PTX 7.6 sm_70 | Extends a bit field by sign or zeros.
tanh                             PTX 7.0 sm_75 | Hyperbolic tangent, approximately.
tcgen05.alloc                    PTX 8.6 sm_100f sm_103f sm_107f sm_110f | Takes columns of tensor memory.
tcgen05.commit                   PTX 8.6 sm_100f sm_103f sm_107f sm_110f | Has a barrier in memory follow the tensor operations so far.
tcgen05.cp                       PTX 8.6 sm_100f sm_103f sm_107f sm_110f | Copies from shared to tensor memory.
tcgen05.dealloc                  PTX 8.6 sm_100f sm_103f sm_107f sm_110f | Gives columns of tensor memory back.
tcgen05.fence                    PTX 8.6 sm_100f sm_103f sm_107f sm_110f | Orders tensor operations around a synchronization of threads.
tcgen05.ld                       PTX 8.6 sm_100f sm_103f sm_107f sm_110f | Loads from tensor memory into registers.
tcgen05.mma                      PTX 8.6 sm_100f sm_103f sm_107f sm_110f | Multiplies and adds matrices in tensor memory.
tcgen05.relinquish_alloc_permit  PTX 8.6 sm_100f sm_103f sm_107f sm_110f | Says that this CTA takes no more tensor memory.
tcgen05.shift                    PTX 8.6 sm_100a sm_103a sm_107a sm_110a | Shifts rows of tensor memory.
tcgen05.st                       PTX 8.6 sm_100f sm_103f sm_107f sm_110f | Stores registers to tensor memory.
tcgen05.wait                     PTX 8.6 sm_100f sm_103f sm_107f sm_110f | Waits for loads from or stores to tensor memory.
tensormap.cp_fenceproxy          PTX 8.3 sm_90 | Copies a tensor map and orders what follows through the proxy that reads it.
tensormap.replace                PTX 8.3 sm_90a sm_100f sm_103f sm_107f sm_110f sm_120f sm_121f | Changes a field of a tensor map.
testp                            PTX 2.0 sm_20 | Tests a property of a floating-point number.
tex                              PTX 1.5 | Reads a texture.
tld4                             PTX 2.2 sm_20 | Reads one component of four texels.
trap                             PTX 1.0 | Stops the kernel with an error.
txq                              PTX 1.5 | Asks for a property of a texture.
vabsdiff                         PTX 2.0 sm_20 | Absolute difference of parts of words.
vabsdiff2                        PTX 3.0 sm_30 | Absolute differences of two halves.
vabsdiff4                        PTX 3.0 sm_30 | Absolute differences of four bytes.
vadd                             PTX 2.0 sm_20 | Adds parts of words.
vadd2                            PTX 3.0 sm_30 | Adds two halves each.
vadd4                            PTX 3.0 sm_30 | Adds four bytes each.
vavrg2                           PTX 3.0 sm_30 | Averages of two halves.
vavrg4                           PTX 3.0 sm_30 | Averages of four bytes.
vmad                             PTX 2.0 sm_20 | Multiplies and adds parts of words.
vmax                             PTX 2.0 sm_20 | Maximum of parts of words.
vmax2                            PTX 3.0 sm_30 | Maxima of two halves.
vmax4                            PTX 3.0 sm_30 | Maxima of four bytes.
vmin                             PTX 2.0 sm_20 | Minimum of parts of words.
vmin2                            PTX 3.0 sm_30 | Minima of two halves.
vmin4                            PTX 3.0 sm_30 | Minima of four bytes.
vset                             PTX 2.0 sm_20 | Compares parts of words.
vset2                            PTX 3.0 sm_30 | Compares two halves.
vset4                            PTX 3.0 sm_30 | Compares four bytes.
vshl                             PTX 2.0 sm_20 | Shifts parts of words left.
vshr                             PTX 2.0 sm_20 | Shifts parts of words right.
vsub                             PTX 2.0 sm_20 | Subtracts parts of words.
vsub2                            PTX 3.0 sm_30 | Subtracts two halves each.
vsub4                            PTX 3.0 sm_30 | Subtracts four bytes each.
wgmma.commit_group               PTX 8.0 sm_90a | Ends the current group of matrix operations of a warp group.
wgmma.fence                      PTX 8.0 sm_90a | Orders register and shared memory accesses before matrix operations of a warp group.
wgmma.mma_async                  PTX 8.0 sm_90a | Multiplies and adds matrices held by a warp group, without waiting.
wgmma.wait_group                 PTX 8.0 sm_90a | Waits until all but a few groups of matrix operations have completed.
wmma.load.a                      PTX 6.3 sm_70 | Loads a matrix fragment, the left factor.
wmma.load.b                      PTX 6.3 sm_70 | Loads a matrix fragment, the right factor.
wmma.load.c                      PTX 6.3 sm_70 | Loads a matrix fragment, the summand.
wmma.mma                         PTX 6.3 sm_70 | Multiplies and adds matrix fragments.
wmma.store.d                     PTX 6.3 sm_70 | Stores a matrix fragment.
xor                              PTX 1.0 | Bitwise exclusive or.
";

/// An instruction without rows.
#[derive(Clone, Copy, Debug)]
pub struct Other {
    /// Its opcode: the mnemonic, and where several share one, what tells them apart.
    pub opcode: &'static str,
    /// The least demanding of its forms asks for this.
    pub since: Since,
    /// What it does, in one sentence.
    pub about: &'static str,
}

static OTHERS: LazyLock<Vec<Other>> =
    LazyLock::new(|| TEXT.lines().filter(|line| !line.is_empty()).map(read).collect());

fn read(line: &'static str) -> Other {
    let (head, about) = line.split_once(" | ").unwrap_or((line, ""));
    let (opcode, since) = head.split_once(" PTX ").unwrap_or((head, ""));
    Other { opcode: opcode.trim(), since: Since::read(since), about }
}

/// All of them, in alphabetical order.
pub fn others() -> &'static [Other] {
    &OTHERS
}

/// The one that an opcode as it is written, such as `cp.async.ca.shared.global`, is an instance of.
pub fn other(opcode: &str) -> Option<&'static Other> {
    // A part may go on behind two colons, as in `tcgen05.wait::ld`.
    let fits = |other: &&Other| {
        opcode.strip_prefix(other.opcode).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ':']))
    };
    others().iter().filter(fits).max_by_key(|other| other.opcode.len())
}
