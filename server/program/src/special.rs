//! Special registers.

use crate::lanes::WARP_SIZE;
use crate::launch::kernel_launch::GridSizes;

/// A special register whose value the machine knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecialValue {
    /// `%tid` in a dimension.
    ThreadIndex(usize),
    /// `%ntid` in a dimension.
    BlockSize(usize),
    /// `%ctaid` in a dimension.
    CtaIndex(usize),
    /// `%nctaid` in a dimension.
    GridSize(usize),
    /// `%clusterid` in a dimension.
    ClusterIndex(usize),
    /// `%nclusterid` in a dimension.
    ClusterCount(usize),
    /// `%cluster_ctaid` in a dimension.
    CtaInCluster(usize),
    /// `%cluster_nctaid` in a dimension.
    ClusterSize(usize),
    /// `%cluster_ctarank`
    CtaRank,
    /// `%cluster_nctarank`
    CtaRanks,
    /// `%is_explicit_cluster`
    IsCluster,
    /// `%laneid`
    Lane,
    /// `%warpid`
    Warp,
    /// `%nwarpid`
    Warps,
    /// `%smid`
    Multiprocessor,
    /// `%nsmid`
    Multiprocessors,
    /// `%lanemask_eq` and its like.
    LaneMask(LaneRelation),
    /// `%clock`, `%clock64` and `%globaltimer`: instructions that the grid has executed.
    Clock,
    /// `%clock_hi`, `%globaltimer_hi`
    ClockHigh,
    /// `%dynamic_smem_size`
    DynamicShared,
    /// `%total_smem_size`, `%aggr_smem_size`
    TotalShared,
    /// `%envreg1` (shift 32) and `%envreg2` (shift 0): a part of the address of memory in which the CTAs of a cooperative launch meet. No document
    /// says so; it is what `cooperative_groups` reads.
    GridWorkspace(u32),
    /// A register that is always zero here: `%gridid`, other `%envreg`, `%pm`.
    Zero,
}

impl SpecialValue {
    /// Whether it changes from one read of a thread to the next.
    pub const fn is_clock(self) -> bool {
        matches!(self, Self::Clock | Self::ClockHigh)
    }
}

/// The lanes of a lane mask, by their relation to the lane itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneRelation {
    /// The lane itself.
    Equal,
    /// Lower lanes.
    Less,
    /// Lower lanes and itself.
    LessOrEqual,
    /// Higher lanes.
    Greater,
    /// Higher lanes and itself.
    GreaterOrEqual,
}

impl LaneRelation {
    /// The mask of a lane.
    pub const fn mask(self, lane: u32) -> u32 {
        let below = (1 << lane) - 1;
        match self {
            Self::Equal => 1 << lane,
            Self::Less => below,
            Self::LessOrEqual => below | 1 << lane,
            Self::Greater => !(below | 1 << lane),
            Self::GreaterOrEqual => !below,
        }
    }
}

impl SpecialValue {
    /// A special register by its name without `%`, such as `tid.x`; `None` if the machine does not have it.
    pub fn parse(name: &str) -> Option<Self> {
        let (base, dimension) = match name.rsplit_once('.') {
            Some((base, "x")) => (base, 0),
            Some((base, "y")) => (base, 1),
            Some((base, "z")) => (base, 2),
            _ => (name, 0),
        };
        let relation = |word: &str| {
            Some(match word {
                "eq" => LaneRelation::Equal,
                "lt" => LaneRelation::Less,
                "le" => LaneRelation::LessOrEqual,
                "gt" => LaneRelation::Greater,
                "ge" => LaneRelation::GreaterOrEqual,
                _ => return None,
            })
        };
        Some(match base {
            "tid" => Self::ThreadIndex(dimension),
            "ntid" => Self::BlockSize(dimension),
            "ctaid" => Self::CtaIndex(dimension),
            "nctaid" => Self::GridSize(dimension),
            "clusterid" => Self::ClusterIndex(dimension),
            "nclusterid" => Self::ClusterCount(dimension),
            "cluster_ctaid" => Self::CtaInCluster(dimension),
            "cluster_nctaid" => Self::ClusterSize(dimension),
            "cluster_ctarank" => Self::CtaRank,
            "cluster_nctarank" => Self::CtaRanks,
            "is_explicit_cluster" => Self::IsCluster,
            "laneid" => Self::Lane,
            "warpid" => Self::Warp,
            "nwarpid" => Self::Warps,
            "smid" => Self::Multiprocessor,
            "nsmid" => Self::Multiprocessors,
            "clock" | "clock64" | "globaltimer" | "globaltimer_lo" => Self::Clock,
            "clock_hi" | "globaltimer_hi" => Self::ClockHigh,
            "dynamic_smem_size" => Self::DynamicShared,
            "total_smem_size" | "aggr_smem_size" => Self::TotalShared,
            "envreg1" => Self::GridWorkspace(32),
            "envreg2" => Self::GridWorkspace(0),
            "gridid" | "current_graph_exec" => Self::Zero,
            _ if ["envreg", "pm", "reserved_smem_offset_"].iter().any(|zero| base.starts_with(zero)) => Self::Zero,
            _ => Self::LaneMask(relation(base.strip_prefix("lanemask_")?)?),
        })
    }
}

/// Where a thread is in its launch.
#[derive(Clone, Copy, Debug)]
pub struct LaunchPosition {
    /// The sizes of its grid.
    pub sizes: GridSizes,
    /// The position of its CTA in the grid.
    pub cta: [u32; 3],
    /// The position of its CTA in the cluster.
    pub cta_in_cluster: [u32; 3],
    /// The rank of its CTA in the cluster.
    pub rank: u32,
    /// Its number in the CTA.
    pub thread: u32,
}

impl SpecialValue {
    /// The value in a thread; `None` if it depends on more than the launch.
    pub fn at(self, place: &LaunchPosition) -> Option<u64> {
        let LaunchPosition { sizes, cta, cta_in_cluster, rank, thread } = *place;
        let lane = thread % WARP_SIZE;
        Some(match self {
            Self::ThreadIndex(axis) => sizes.block.position(thread.into())[axis].into(),
            Self::BlockSize(axis) => sizes.block.0[axis].into(),
            Self::CtaIndex(axis) => cta[axis].into(),
            Self::GridSize(axis) => sizes.grid.0[axis].into(),
            Self::ClusterIndex(axis) => (cta[axis] / sizes.cluster.0[axis]).into(),
            Self::ClusterCount(axis) => (sizes.grid.0[axis] / sizes.cluster.0[axis]).into(),
            Self::CtaInCluster(axis) => cta_in_cluster[axis].into(),
            Self::ClusterSize(axis) => sizes.cluster.0[axis].into(),
            Self::CtaRank => rank.into(),
            Self::CtaRanks => sizes.cluster.count(),
            Self::IsCluster => u64::from(sizes.cluster.count() > 1),
            Self::Lane => lane.into(),
            Self::Warp => (thread / WARP_SIZE).into(),
            Self::Warps => sizes.block.count().div_ceil(WARP_SIZE.into()),
            Self::LaneMask(relation) => relation.mask(lane).into(),
            Self::DynamicShared => sizes.dynamic_shared.into(),
            Self::Zero => 0,
            Self::Multiprocessor
            | Self::Multiprocessors
            | Self::Clock
            | Self::ClockHigh
            | Self::TotalShared
            | Self::GridWorkspace(_) => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lane_masks() {
        let masks = |lane| {
            [LaneRelation::Less, LaneRelation::LessOrEqual, LaneRelation::Greater, LaneRelation::GreaterOrEqual]
                .map(|relation| relation.mask(lane))
        };
        assert_eq!(masks(0), [0, 1, 0xffff_fffe, 0xffff_ffff]);
        assert_eq!(masks(31), [0x7fff_ffff, 0xffff_ffff, 0, 0x8000_0000]);
    }

    #[test]
    fn names() {
        assert_eq!(SpecialValue::parse("ctaid.y"), Some(SpecialValue::CtaIndex(1)));
        assert_eq!(SpecialValue::parse("lanemask_ge"), Some(SpecialValue::LaneMask(LaneRelation::GreaterOrEqual)));
        assert_eq!(SpecialValue::parse("nothing"), None);
    }
}
