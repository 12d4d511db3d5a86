//! The special registers.

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

/// Every special register, the most common first.
pub static SPECIAL_REGISTERS: &[SpecialRegister] = &[
    parts("%tid", "The index of the thread in its CTA."),
    parts("%ntid", "The number of threads in a CTA."),
    parts("%ctaid", "The index of the CTA in the grid."),
    parts("%nctaid", "The number of CTAs in the grid."),
    special("%laneid", ".u32", "The index of the thread in its warp, 0 to 31."),
    special("%warpid", ".u32", "The index of the warp in its CTA; it may change while the thread runs."),
    special("%nwarpid", ".u32", "The maximum number of warp indices."),
    special(
        "%smid",
        ".u32",
        "The index of the multiprocessor that runs the thread; it may change while the thread runs.",
    ),
    special("%nsmid", ".u32", "The maximum number of multiprocessor indices; some may be unused."),
    special("%gridid", ".u64", "The identifier of the grid launch."),
    special("%is_explicit_cluster", ".pred", "Whether the kernel was launched with clusters."),
    parts("%clusterid", "The index of the cluster in the grid."),
    parts("%nclusterid", "The number of clusters in the grid."),
    parts("%cluster_ctaid", "The index of the CTA in its cluster."),
    parts("%cluster_nctaid", "The number of CTAs in a cluster."),
    special("%cluster_ctarank", ".u32", "The rank of the CTA in its cluster."),
    special("%cluster_nctarank", ".u32", "The number of CTAs in the cluster."),
    special("%lanemask_eq", ".u32", "A mask with the bit of this lane."),
    special("%lanemask_le", ".u32", "A mask with the bits of this lane and the lanes below."),
    special("%lanemask_lt", ".u32", "A mask with the bits of the lanes below this one."),
    special("%lanemask_ge", ".u32", "A mask with the bits of this lane and the lanes above."),
    special("%lanemask_gt", ".u32", "A mask with the bits of the lanes above this one."),
    special("%clock", ".u32", "A 32-bit cycle counter, which wraps around."),
    special("%clock_hi", ".u32", "The upper half of the 64-bit cycle counter."),
    special("%clock64", ".u64", "A 64-bit cycle counter."),
    special(
        "%globaltimer",
        ".u64",
        "The global timer of the device in nanoseconds; its update frequency depends on the device.",
    ),
    special("%globaltimer_lo", ".u32", "The lower half of the global timer."),
    special("%globaltimer_hi", ".u32", "The upper half of the global timer."),
    special("%dynamic_smem_size", ".u32", "The size of dynamic shared memory, in bytes."),
    special("%total_smem_size", ".u32", "The size of all shared memory of the CTA, in bytes."),
    special("%aggr_smem_size", ".u32", "The size of all shared memory of the CTA and of the reserved part, in bytes."),
    special("%reserved_smem_offset_begin", ".b32", "The start of the reserved part of shared memory."),
    special("%reserved_smem_offset_end", ".b32", "The end of the reserved part of shared memory."),
    special("%reserved_smem_offset_cap", ".b32", "The maximum size of the reserved part of shared memory."),
    numbered("%reserved_smem_offset_", ".b32", 2, "An offset in the reserved part of shared memory."),
    special("%current_graph_exec", ".u64", "The graph that launched this kernel; 0 if there is none."),
    numbered("%envreg", ".b32", 32, "A register that the driver initializes."),
    numbered("%pm", ".u32", 8, "A performance counter."),
];

/// The wide performance counters, `%pm0_64` to `%pm7_64`.
static WIDE_COUNTER: SpecialRegister = special("%pm_64", ".u64", "A 64-bit performance counter.");

impl SpecialRegister {
    /// The widths of integer types that `mov` reads it with, in bits. Measured: registers that early versions declared with another width can still be read with it.
    pub fn widths(&self) -> &'static [u32] {
        match (self.name, self.ty) {
            ("%tid" | "%ntid" | "%ctaid" | "%nctaid", _) => &[16, 32],
            ("%gridid", _) => &[16, 32, 64],
            (_, ".u64") => &[64],
            (_, ".pred") => &[],
            _ => &[32],
        }
    }
}

/// The special register of a name.
pub fn find(name: &str) -> Option<&'static SpecialRegister> {
    if let Some(narrow) = name.strip_suffix("_64") {
        return find(narrow).filter(|special| special.name == "%pm").map(|_| &WIDE_COUNTER);
    }
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = name[base.len()..].parse::<u32>().ok();
    SPECIAL_REGISTERS.iter().find(|special| match special.count {
        0 => special.name == name,
        count => special.name == base && number.is_some_and(|number| number < count),
    })
}

/// Whether a name is predefined in PTX.
pub fn is_special(name: &str) -> bool {
    name == "WARP_SZ" || find(name).is_some()
}
