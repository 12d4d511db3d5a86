//! The rows of what guides the L2 cache: policies and priorities.

pub(super) const FRACTIONAL: &str = "
family  createpolicy.fractional
section Data Movement and Conversion Instructions: createpolicy
about   Makes a cache policy that gives the fraction `b` of the accesses the first priority (all, if none is given), and the others the second.

slot .primary     L2::evict_last L2::evict_normal L2::evict_first L2::evict_unchanged
slot .secondary   L2::evict_first L2::evict_unchanged

none .secondary   L2::evict_unchanged

form createpolicy.fractional.primary{.secondary}.b64           policy{, fraction}
  PTX 7.4 sm_80
";

pub(super) const RANGE: &str = "
family  createpolicy.range
section Data Movement and Conversion Instructions: createpolicy
about   Makes a cache policy that gives the first `primary` bytes from `[a]` on the first priority, and the rest of `total` bytes the second.

slot .primary     L2::evict_last L2::evict_normal L2::evict_first L2::evict_unchanged
slot .secondary   L2::evict_first L2::evict_unchanged

none .secondary   L2::evict_unchanged
none .space       generic

form createpolicy.range{.global}.primary{.secondary}.b64       policy, [a], primary, total
  PTX 7.4 sm_80
";

pub(super) const CVT: &str = "
family  createpolicy.cvt
section Data Movement and Conversion Instructions: createpolicy
about   Makes a cache policy of an access property that the host has made.

form createpolicy.cvt.L2.b64                                   policy, property
  PTX 7.4 sm_80
";

pub(super) const APPLY: &str = "
family  applypriority
section Data Movement and Conversion Instructions: applypriority
about   Gives the `size` bytes from `[a]` on their normal eviction priority in the L2 cache again.

none .space       generic

form applypriority{.global}.L2::evict_normal                   [a], size
  PTX 7.4 sm_80
";

pub(super) const DISCARD: &str = "
family  discard
section Data Movement and Conversion Instructions: discard
about   Drops the `size` bytes from `[a]` on from the cache without writing them back: their contents are undefined from here on.

none .space       generic

form discard{.global}.L2                                       [a], size
  PTX 7.4 sm_80
";
