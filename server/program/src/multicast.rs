//! Copies to several CTAs of a cluster.

/// The mbarriers that a copy to several CTAs of a cluster notifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MulticastSignal {
    /// That of each CTA that gets the bytes, at the same offset.
    Each,
    /// With `.cta_group::2`: for each CTA that gets the bytes, that of the CTA of its pair whose rank is even or odd as the rank of the CTA of the named one.
    OneOfPair,
}
