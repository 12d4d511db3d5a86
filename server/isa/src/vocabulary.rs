//! Every modifier word: the slot it fills and what it means, in our own words.
//!
//! Also words that belong to no instruction here but that people try, with advice. Must not know which combinations are
//! legal.

use std::sync::LazyLock;

/// A word, its slot and its meaning.
#[derive(Clone, Copy, Debug)]
pub struct WordEntry {
    /// The word, without a dot.
    pub word: &'static str,
    /// The slot it fills: `sem`, `scope`, `space`, `op`, `type`, …
    pub slot: &'static str,
    /// What it means, in one or two sentences.
    pub about: &'static str,
}

/// Slot by slot: the name of the slot and what it is called in messages, then its words. `{…}` in the meaning of an
/// operation is its formula.
const WORDS: &str = "
sem: memory ordering
  weak         No ordering, and no promise that other threads see this as one access; only for data that nothing else touches at the time.
  relaxed      Atomic, but orders no other access of this thread.
  acquire      What the thread that released the value did before is visible to what follows here.
  release      What this thread did before is visible to whoever acquires the value written here.
  acq_rel      Both: acquire on the value read, release on the value written.
  sc           Sequentially consistent: all such fences stand in one order that every thread agrees on, and order like `.acq_rel` besides.
  volatile     Performed as written, never merged or dropped; the memory model treats it like `.relaxed.sys`.
mmio: access to devices
  mmio         The location may be a register of a device: exactly one access of this size is made, each time.
scope: scope
  cta          Among the threads of the own CTA only; others may see the operation torn into a read and a write.
  cluster      Among the threads of the own cluster.
  gpu          Among all threads of this GPU.
  sys          Among all threads of the system: this GPU, other GPUs and the host.
  gl           Among all threads of this GPU; the name that `membar` has for `.gpu`.
space: state space
  global       The address lies in global memory.
  shared       The address lies in the shared memory of the own CTA, as with `.shared::cta`.
  shared::cta  The address lies in the shared memory of the own CTA.
  shared::cluster  The address lies in the shared memory of some CTA of the own cluster.
  const        The address lies in constant memory, which no thread can write.
  local        The address lies in local memory, which belongs to one thread.
  param        The address is that of a parameter.
  param::entry  The address is that of a kernel's parameter.
  param::func  The address is that of a parameter or result of a function.
op: operation
  and          Bitwise and. {d = *a; *a = d & b}
  or           Bitwise or. {d = *a; *a = d | b}
  xor          Bitwise exclusive or. {d = *a; *a = d ^ b}
  cas          Compare and swap: memory becomes `c` if it equals `b`, and stays otherwise. {d = *a; *a = (d == b) ? c : d}
  exch         Exchange: memory becomes `b`. {d = *a; *a = b}
  add          Addition; integers wrap around, floating point rounds once, to nearest even. {d = *a; *a = d + b}
  inc          Counts up and wraps to zero once the bound `b` is reached. {d = *a; *a = (d >= b) ? 0 : d + 1}
  dec          Counts down and wraps to the bound `b` from zero or from above the bound. {d = *a; *a = (d == 0 || d > b) ? b : d - 1}
  min          Minimum. {d = *a; *a = min(d, b)}
  max          Maximum. {d = *a; *a = max(d, b)}
  popc         Counts the threads whose predicate is true.
noftz: subnormal handling
  noftz        Subnormal numbers are kept, as operands and as results.
  ftz          Subnormal numbers become zero.
hint: cache hint
  L2::cache_hint  A 64-bit cache policy follows as last operand; it advises the L2 cache and changes no result.
vec: vector size
  v2           Two adjacent elements, in braces; each is an access of its own, the whole is not one.
  v4           Four adjacent elements, in braces; each is an access of its own, the whole is not one.
  v8           Eight adjacent elements, in braces; each is an access of its own, the whole is not one.
  v16
sync: synchronization
  sync         All threads that are named run it together and wait for each other.
aligned: alignment of the warp
  aligned      All threads of the warp run this very instruction; otherwise the behaviour is undefined.
proxy: proxy
  alias        Accesses to the same bytes through different virtual addresses.
  async        The asynchronous proxy, through which bulk copies and the tensor cores go.
  async::generic  From the asynchronous proxy to the usual one.
  tensormap::generic  From the usual proxy to the one that reads tensor maps.
restrict: restriction
  sync_restrict::shared::cta  Only accesses to this CTA's shared memory are ordered.
  sync_restrict::shared::cluster  Only accesses to the shared memory of the cluster's CTAs are ordered.
  sync_restrict::shared::cluster::read  Only reads of the shared memory of the cluster's CTAs are ordered.
  sync_restrict::read  Only reads are ordered.
fabric: fabric proxy
  fabric::fabric   Accesses through the fabric before it are ordered against accesses through the fabric after it.
  fabric::generic  Accesses through the fabric before it are ordered against the usual ones after it.
  generic::fabric  The usual accesses before it are ordered against those through the fabric after it.
layout: layout
  layout::v0   The first layout of a barrier in memory; this is the default.
  layout::v1   The second layout of a barrier in memory.
multicast: receivers
  multicast::cluster::32b  To the barriers at the same place in the CTAs of the cluster that a mask of 32 bits names.
override: replacement
  override::global_address  The tensor begins at the address that is given, and not at the map's.
override_sizes: replaced sizes
  override::global_dim  The size of the tensor is the one that is given, and not the map's.
  override::global_dim_stride  Sizes and strides of the tensor are those that are given, and not the map's.
phase_type: kind of phase
  phase_type::primary  The phase that arrivals complete.
  phase_type::conditional  The phase that is completed under a condition.
lane: source lane
  up           From the lane whose number is lower by `b`.
  down         From the lane whose number is higher by `b`.
  bfly         From the lane whose number is that of this one xor `b`.
  idx          From the lane whose number is `b`.
overlap: overlap of masks
  no_membermask_overlap  The masks of threads that run this at the same time do not overlap.
init: barriers in memory
  mbarrier_init  Only the `mbarrier.init` of this thread are ordered before.
phase: end of the phase
  noComplete   The arrivals do not end the phase.
dependents: event
  launch_dependents  Grids that depend on this one may be launched once all its CTAs have said so or ended.
  wait         Waits until the grids that this one depends on have ended and their memory is visible.
completion: completion mechanism
  mbarrier::complete_tx::bytes  The bytes are counted at the barrier in memory that `[mbar]` names.
  bulk_group   The operation belongs to this thread's current bulk group; `cp.async.bulk.wait_group` waits for it.
cop: cache operator
  ca           Cached at all levels.
  cg           Cached in L2 alone.
  cs           Likely to be used once: the first to be evicted.
  lu           The last use: the line need not be written back.
  cv           Fetched again each time.
  wb           Written back, at all levels.
  wt           Written through the L2 cache.
readonly: proxy
  proxy::readonly  The data is not written while the kernel runs.
level1: L1 priority
  L1::evict_normal  The usual priority in the L1 cache.
  L1::evict_unchanged  The priority in the L1 cache stays what it is.
  L1::evict_first  Among the first to leave the L1 cache.
  L1::evict_last  Among the last to leave the L1 cache.
  L1::no_allocate  Not kept in the L1 cache.
level2: L2 priority
  L2::evict_normal  The usual priority in the L2 cache.
  L2::evict_first  Among the first to leave the L2 cache.
  L2::evict_last  Among the last to leave the L2 cache.
  L2::evict_unchanged  The priority in the L2 cache stays what it is.
prefetch: prefetch size
  L1::32B      The 32 bytes around are a good thing to fetch into L1.
  L2::64B      The 64 bytes around are a good thing to fetch into L2.
  L2::128B     The 128 bytes around are a good thing to fetch into L2.
  L2::256B     The 256 bytes around are a good thing to fetch into L2.
nc: read-only path
  nc           Through the read-only path, which is not kept coherent: nothing may write the location while the kernel runs.
cache: cache
  L2           The L2 cache.
dim: dimension
  1d           A tensor of one dimension.
  2d           A tensor of two dimensions.
  3d           A tensor of three dimensions.
  4d           A tensor of four dimensions.
  5d           A tensor of five dimensions.
tile: layout
  tile         The box keeps the layout of the tensor; this is the default.
load_mode: layout
  im2col_no_offs  The box is made of the columns of an image, without offsets.
  tile::scatter4  Four rows of a two-dimensional tensor, each with its own coordinate.
mask: byte mask
  cp_mask      A 16-bit mask says which bytes of each 16 are copied.
vote: question
  any          Whether one is, or who has the same.
  all          Whether all are.
  uni          Whether all are the same.
  ballot       Who is, a bit for each thread.
absolute: absolute value
  abs          The magnitudes are compared.
nan: NaN handling
  NaN          A NaN among the inputs makes the result a NaN.
acc: precision of the sum
  acc::f32     Intermediate sums are kept in single precision.
  acc::f16     Intermediate sums are kept in half precision.
type: type
  b8           8 bits without a meaning.
  b16          16 bits without a meaning.
  b32          32 bits without a meaning.
  b64          64 bits without a meaning.
  b128         128 bits without a meaning.
  u8           An unsigned 8-bit integer.
  u16          An unsigned 16-bit integer.
  u32          An unsigned 32-bit integer.
  u64          An unsigned 64-bit integer.
  s8           A signed 8-bit integer.
  s16          A signed 16-bit integer.
  s32          A signed 32-bit integer.
  s64          A signed 64-bit integer.
  f16          A half-precision number (1 sign, 5 exponent, 10 fraction bits).
  f16x2        Two half-precision numbers side by side in 32 bits, each an access of its own.
  bf16         A bfloat16 number (1 sign, 8 exponent, 7 fraction bits).
  bf16x2       Two bfloat16 numbers side by side in 32 bits, each an access of its own.
  f32          A single-precision number.
  f64          A double-precision number.
  e4m3         An 8-bit floating-point number with 4 exponent and 3 fraction bits.
  e4m3x2       Two 8-bit floating-point numbers (4 exponent, 3 fraction bits) side by side in 16 bits.
  e4m3x4       Four 8-bit floating-point numbers (4 exponent, 3 fraction bits) side by side in 32 bits.
  e5m2         An 8-bit floating-point number with 5 exponent and 2 fraction bits.
  e5m2x2       Two 8-bit floating-point numbers (5 exponent, 2 fraction bits) side by side in 16 bits.
  e5m2x4       Four 8-bit floating-point numbers (5 exponent, 2 fraction bits) side by side in 32 bits.
  pred         A predicate.
";

/// Words that are legal on nothing here, by slot: `= …` names ours that people mean by it; then what to do instead.
const FOREIGN: &str = "
sem: memory ordering
  sc           = acq_rel release. Sequential consistency belongs to fences: put `fence.sc` of the same scope before an `.acquire` atomic (before a `.relaxed` one, if it is a `red`).
  seq_cst      = acq_rel release. PTX has no sequentially consistent atomic: put `fence.sc` of the same scope before an `.acquire` one (before a `.relaxed` one, if it is a `red`); `.acq_rel` (of a `red`: `.release`) is the most that a modifier gives.
  consume  = acquire. PTX has no consume ordering; `.acquire` is the one that includes it.
  monotonic  = relaxed. That is LLVM's name; in PTX it is `.relaxed`.
  acquire_release  = acq_rel. In PTX it is `.acq_rel`.
  volatile  An atomic is always performed; `.volatile` belongs to `ld` and `st`. `.relaxed.sys` says the same here.
  mmio         `.mmio` belongs to `ld` and `st`.
scope: scope
  system  = sys.
  device  = gpu.
  agent  = gpu.
  block  = cta.
  workgroup  = cta.
  gl  = gpu. `.gl` belongs to `membar`; the scope is `.gpu`.
space: state space
  local        Local memory belongs to one thread alone, so nothing is to be made atomic there; use plain `ld` and `st`.
  const        Constant memory cannot be written.
  param        Parameters cannot be changed atomically.
  param::entry Parameters cannot be changed atomically.
  param::func  Parameters cannot be changed atomically.
  reg          Registers belong to one thread; an atomic needs memory.
  tex          Texture memory cannot be changed atomically.
op: operation
  sub          There is no subtraction: negate `b` and write `.add`.
  mul          There is no atomic multiplication; it takes a loop around `.cas`.
  swap  = exch.
  xchg  = exch.
  exchange  = exch.
  cmpxchg  = cas.
  compare_exchange  = cas.
  popc         `.popc` belongs to `red.popc` of barriers.
  not          There is no atomic negation: `.xor` with all ones does it.
  nand         There is no such operation; it takes a loop around `.cas`.
hint: cache hint
  L1::cache_hint  = L2::cache_hint. Only the L2 cache takes a policy: `.L2::cache_hint`.
  L2::evict_first  An eviction priority goes into a policy (`createpolicy`), which `.L2::cache_hint` then takes.
  L2::evict_last   An eviction priority goes into a policy (`createpolicy`), which `.L2::cache_hint` then takes.
  L2::evict_normal An eviction priority goes into a policy (`createpolicy`), which `.L2::cache_hint` then takes.
  L2::128B     Prefetch sizes belong to `ld`.
  L2::256B     Prefetch sizes belong to `ld`.
  L2::64B      Prefetch sizes belong to `ld`.
  L1::no_allocate  Cache priorities belong to `ld` and `st`.
  ca           Cache operators belong to `ld` and `st`.
  cg           Cache operators belong to `ld` and `st`.
  cs           Cache operators belong to `ld` and `st`.
  cv           Cache operators belong to `ld` and `st`.
  wb           Cache operators belong to `ld` and `st`.
  wt           Cache operators belong to `ld` and `st`.
rounding: rounding
  rn           An atomic always rounds to nearest even.
  rz           An atomic always rounds to nearest even.
  rm           An atomic always rounds to nearest even.
  rp           An atomic always rounds to nearest even.
  sat          An atomic does not saturate.
  satfinite    An atomic does not saturate.
other: modifier
  async        The asynchronous form is an instruction of its own: `red.async`, spelled with `.async` first.
  sync         `.sync` belongs to instructions of a whole warp.
  bulk         Bulk reductions are `cp.reduce.async.bulk`.
  NaN          Only the arithmetic `min` and `max` take `.NaN`.
type: type
  f32x2
  u16x2
  s16x2
  pred         A predicate is no memory type.
  b1
  tf32
  e2m1x2
  u128
  s128
  i8
  i16
  i32  = u32 s32.
  i64  = u64 s64.
  fp16  = f16.
  half  = f16.
  fp32  = f32.
  float  = f32.
  fp64  = f64.
  double  = f64.
";

static OURS: LazyLock<Vec<WordEntry>> = LazyLock::new(|| read(WORDS));
static THEIRS: LazyLock<Vec<WordEntry>> = LazyLock::new(|| read(FOREIGN));

fn read(text: &'static str) -> Vec<WordEntry> {
    let mut slot = "";
    let mut entries = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        match line.strip_prefix("  ") {
            None => slot = line.split(':').next().unwrap_or(line),
            Some(line) => {
                let (word, about) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
                entries.push(WordEntry { word, slot, about: about.trim() });
            }
        }
    }
    entries
}

/// The words that some instruction takes, or that are known as PTX words, slot by slot.
pub fn entries() -> &'static [WordEntry] {
    &OURS
}

/// The entry of a word that some instruction takes.
pub fn entry(word: &str) -> Option<&'static WordEntry> {
    OURS.iter().find(|entry| entry.word == word)
}

/// The entry of a word that no instruction takes, but that people write.
pub fn foreign(word: &str) -> Option<&'static WordEntry> {
    THEIRS.iter().find(|entry| entry.word == word)
}

/// The slot of a word that some instruction takes.
pub(crate) fn slot_of(word: &str) -> Option<&'static str> {
    entry(word).map(|entry| entry.slot)
}

/// What a slot is called in a message.
pub fn title(slot: &str) -> &'static str {
    let titled = |text: &'static str| {
        text.lines().find_map(|line| line.split_once(": ").filter(|(name, _)| *name == slot)).map(|(_, title)| title)
    };
    titled(WORDS).or_else(|| titled(FOREIGN)).unwrap_or("modifier")
}

/// Of a word that no instruction takes: the words of ours that it stands for, and the advice.
pub(crate) fn advice(entry: &'static WordEntry) -> (impl Iterator<Item = &'static str>, &'static str) {
    let (alias, about) = match entry.about.strip_prefix("= ") {
        Some(rest) => rest.split_once('.').unwrap_or((rest, "")),
        None => ("", entry.about),
    };
    (alias.split(' ').filter(|word| !word.is_empty()), about.trim())
}

/// How many elements a vector word stands for.
pub(crate) fn lanes(word: &str) -> Option<u8> {
    word.strip_prefix('v')?.parse().ok()
}

/// What a word means, without a formula; empty where no instruction takes it.
pub(crate) fn about(word: &str) -> &'static str {
    entry(word).map_or("", |entry| formula(entry).0)
}

/// The formula of an operation, `d` being the old value: `*a = d + b` and the like; the description without it.
pub(crate) fn formula(entry: &WordEntry) -> (&'static str, Option<&'static str>) {
    match entry.about.split_once(" {") {
        Some((about, formula)) => (about, formula.strip_suffix('}')),
        None => (entry.about, None),
    }
}

/// What kind of types an operation wants, as half a sentence: "works on bits".
pub(crate) fn appetite(op: &str) -> &'static str {
    match op {
        "and" | "or" | "xor" => "works on bits",
        "exch" => "moves bits, whatever they mean",
        "cas" => "compares bits, whatever they mean",
        "inc" | "dec" => "counts in unsigned 32-bit integers",
        "min" | "max" => "compares numbers",
        "add" => "adds numbers",
        _ => "works on certain types only",
    }
}

/// A word that promises at least as much and is older.
pub(crate) fn wider(word: &str) -> Option<&'static str> {
    match word {
        "cluster" => Some("gpu"),
        "shared::cta" => Some("shared"),
        _ => None,
    }
}

/// What people did before a slot existed.
pub(crate) fn before(slot: &str) -> Option<&'static str> {
    match slot {
        "sem" => Some("older targets order by `membar` before or after a plain atomic"),
        "scope" => Some("without a scope the operation is visible to the whole GPU"),
        "hint" => Some("the hint is advice only; without it and its operand the result is the same"),
        _ => None,
    }
}
