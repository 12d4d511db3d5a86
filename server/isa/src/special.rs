//! The special registers: names that PTX itself gives a meaning.

/// A special register.
#[derive(Debug)]
pub struct SpecialRegister {
    /// Its name; of a numbered family (`%envreg0` to `%envreg31`) without the number.
    pub name: &'static str,
    /// Its type.
    pub ty: &'static str,
    /// Whether it has the parts `.x`, `.y` and `.z`.
    pub parts: bool,
    /// How many there are of a numbered family; 0 for a single register.
    pub count: u32,
    /// What it holds.
    pub summary: &'static str,
}

const fn special(name: &'static str, ty: &'static str, summary: &'static str) -> SpecialRegister {
    SpecialRegister { name, ty, parts: false, count: 0, summary }
}

const fn parts(name: &'static str, summary: &'static str) -> SpecialRegister {
    SpecialRegister { name, ty: ".u32", parts: true, count: 0, summary }
}

const fn numbered(name: &'static str, ty: &'static str, count: u32, summary: &'static str) -> SpecialRegister {
    SpecialRegister { name, ty, parts: false, count, summary }
}

/// Every special register, the ones that people write most first.
pub static SPECIAL_REGISTERS: &[SpecialRegister] = &[
    parts("%tid", "The thread's place in its CTA."),
    parts("%ntid", "The size of a CTA, in threads."),
    parts("%ctaid", "The CTA's place in the grid."),
    parts("%nctaid", "The size of the grid, in CTAs."),
    special("%laneid", ".u32", "The thread's place in its warp, 0 to 31."),
    special("%warpid", ".u32", "The warp's number in its CTA; it may change while the thread runs."),
    special("%nwarpid", ".u32", "How many warp numbers there can be."),
    special("%smid", ".u32", "The multiprocessor that the thread runs on; it may change while the thread runs."),
    special("%nsmid", ".u32", "How many multiprocessor numbers there can be; not all need be in use."),
    special("%gridid", ".u64", "The number of the grid launch."),
    special("%is_explicit_cluster", ".pred", "Whether the kernel was launched with clusters."),
    parts("%clusterid", "The cluster's place in the grid."),
    parts("%nclusterid", "The size of the grid, in clusters."),
    parts("%cluster_ctaid", "The CTA's place in its cluster."),
    parts("%cluster_nctaid", "The size of a cluster, in CTAs."),
    special("%cluster_ctarank", ".u32", "The CTA's number in its cluster, all dimensions in one."),
    special("%cluster_nctarank", ".u32", "How many CTAs the cluster has."),
    special("%lanemask_eq", ".u32", "A mask with the bit of the own lane."),
    special("%lanemask_le", ".u32", "A mask with the bits of the lanes up to the own."),
    special("%lanemask_lt", ".u32", "A mask with the bits of the lanes below the own."),
    special("%lanemask_ge", ".u32", "A mask with the bits of the lanes from the own on."),
    special("%lanemask_gt", ".u32", "A mask with the bits of the lanes above the own."),
    special("%clock", ".u32", "A cycle counter; it wraps."),
    special("%clock_hi", ".u32", "The upper half of the 64-bit cycle counter."),
    special("%clock64", ".u64", "A cycle counter of 64 bits."),
    special(
        "%globaltimer",
        ".u64",
        "A timer of the whole device, in nanoseconds; how often it ticks depends on the device.",
    ),
    special("%globaltimer_lo", ".u32", "The lower half of the device's timer."),
    special("%globaltimer_hi", ".u32", "The upper half of the device's timer."),
    special("%dynamic_smem_size", ".u32", "The shared memory that the launch asked for, in bytes."),
    special("%total_smem_size", ".u32", "All shared memory of the CTA, in bytes."),
    special("%aggr_smem_size", ".u32", "All shared memory of the CTA and what the system reserves, in bytes."),
    special("%reserved_smem_offset_begin", ".b32", "Where the reserved part of shared memory begins."),
    special("%reserved_smem_offset_end", ".b32", "Where the reserved part of shared memory ends."),
    special("%reserved_smem_offset_cap", ".b32", "How much of shared memory is reserved at most."),
    numbered("%reserved_smem_offset_", ".b32", 2, "An offset in the reserved part of shared memory."),
    special("%current_graph_exec", ".u64", "The graph that launched this kernel; 0 if none did."),
    numbered("%envreg", ".b32", 32, "A register that the driver fills."),
    numbered("%pm", ".u32", 8, "A performance counter."),
];

/// The special register of a name.
pub fn find(name: &str) -> Option<&'static SpecialRegister> {
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = name[base.len()..].parse::<u32>().ok();
    SPECIAL_REGISTERS.iter().find(|special| match special.count {
        0 => special.name == name,
        count => special.name == base && number.is_some_and(|number| number < count),
    })
}

/// Whether a name has a meaning of its own in PTX.
pub fn is_special(name: &str) -> bool {
    name == "WARP_SZ" || find(name).is_some()
}
