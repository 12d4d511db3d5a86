//! The rows of barriers of a CTA, a warp and a cluster, and of what a grid waits for.

pub(super) const BARRIER: [&str; 8] = [
    "
family  barrier
section Parallel Synchronization and Communication Instructions: bar, barrier
about   Waits at barrier `a` of the CTA until `b` threads (or all) have arrived; what they did in memory before is then visible.
repeats sync
form barrier.sync{.aligned}                    a{, b}
                                               PTX 5.1 sm_30
",
    "
family  barrier.arrive
section Parallel Synchronization and Communication Instructions: bar, barrier
about   Arrives at barrier `a` of the CTA and goes on without waiting for the others.
form barrier.arrive{.aligned}                  a, b
                                               PTX 5.1 sm_30
",
    "
family  barrier.red
section Parallel Synchronization and Communication Instructions: bar, barrier
about   Waits at barrier `a` and combines the predicate `c` of all threads that take part.
form barrier.red.op{.aligned}.type             d, a{, b}, c
  popc      u32                                PTX 5.1 sm_30
  and or    pred                               PTX 5.1 sm_30
",
    "
family  barrier.cta
section Parallel Synchronization and Communication Instructions: bar, barrier
about   `barrier` with its reach, the CTA, written out: waits at barrier `a` until `b` threads (or all) have arrived.
repeats sync
form barrier.cta.sync{.aligned}                a{, b}
                                               PTX 7.8 sm_30
",
    "
family  barrier.cta.arrive
section Parallel Synchronization and Communication Instructions: bar, barrier
about   Arrives at barrier `a` of the CTA and goes on without waiting for the others.
form barrier.cta.arrive{.aligned}              a, b
                                               PTX 7.8 sm_30
",
    "
family  barrier.cta.red
section Parallel Synchronization and Communication Instructions: bar, barrier
about   Waits at barrier `a` and combines the predicate `c` of all threads that take part.
form barrier.cta.red.op{.aligned}.type         d, a{, b}, c
  popc      u32                                PTX 7.8 sm_30
  and or    pred                               PTX 7.8 sm_30
",
    CLUSTER_ARRIVE,
    CLUSTER_WAIT,
];

pub(super) const BAR: [&str; 7] = [
    "
family  bar
section Parallel Synchronization and Communication Instructions: bar, barrier
about   `barrier.sync.aligned` by its first name: all threads of a warp run it together, and wait at barrier `a` for `b` threads (or all).
slot .vote   any all                            PTX 6.0 sm_30
ignored      any all
repeats sync
form bar.sync                                  a{, b}
                                               PTX 1.0
",
    "
family  bar.arrive
section Parallel Synchronization and Communication Instructions: bar, barrier
about   Arrives at barrier `a` of the CTA and goes on without waiting for the others.
slot .vote   any                            PTX 6.0 sm_30
ignored      any
form bar.arrive                                a, b
                                               PTX 2.0 sm_20
",
    "
family  bar.red
section Parallel Synchronization and Communication Instructions: bar, barrier
about   Waits at barrier `a` and combines the predicate `c` of all threads that take part.
slot .vote   any                            PTX 6.0 sm_30
ignored      any
form bar.red.op.type                           d, a{, b}, c
  popc      u32                                PTX 2.0 sm_20
  and or    pred                               PTX 2.0 sm_20
",
    "
family  bar.cta
section Parallel Synchronization and Communication Instructions: bar, barrier
about   `bar` with its reach, the CTA, written out: waits at barrier `a` until `b` threads (or all) have arrived.
repeats sync
form bar.cta.sync                              a{, b}
                                               PTX 7.8 sm_20
",
    "
family  bar.cta.arrive
section Parallel Synchronization and Communication Instructions: bar, barrier
about   Arrives at barrier `a` of the CTA and goes on without waiting for the others.
form bar.cta.arrive                            a, b
                                               PTX 7.8 sm_20
",
    "
family  bar.cta.red
section Parallel Synchronization and Communication Instructions: bar, barrier
about   Waits at barrier `a` and combines the predicate `c` of all threads that take part.
form bar.cta.red.op.type                       d, a{, b}, c
  popc      u32                                PTX 7.8 sm_20
  and or    pred                               PTX 7.8 sm_20
",
    "
family  bar.warp
section Parallel Synchronization and Communication Instructions: bar.warp.sync
about   Waits until all threads of the warp that `membermask` names have arrived; their earlier accesses are then visible to each other.
repeats sync
use overlap
form bar.warp.sync{.overlap}                             membermask
                                               PTX 5.1 sm_30
",
];

const CLUSTER_ARRIVE: &str = "
family  barrier.cluster.arrive
section Parallel Synchronization and Communication Instructions: barrier.cluster
about   Marks this thread's arrival at the barrier of its cluster and goes on; `barrier.cluster.wait` waits for the others.

slot .sem       release relaxed                PTX 8.0 sm_90
none .sem       release

form barrier.cluster.arrive{.sem}{.aligned}
                                               PTX 7.8 sm_90
";

const CLUSTER_WAIT: &str = "
family  barrier.cluster.wait
section Parallel Synchronization and Communication Instructions: barrier.cluster
about   Waits until all threads of the cluster have arrived at its barrier.

slot .sem       acquire                        PTX 8.0 sm_90
none .sem       acquire

form barrier.cluster.wait{.sem}{.aligned}
                                               PTX 7.8 sm_90
";

pub(super) const GRID: &str = "
family  griddepcontrol
section Parallel Synchronization and Communication Instructions: griddepcontrol
about   Orders this grid against those that depend on it or that it depends on.

form griddepcontrol.dependents
  launch_dependents wait                       PTX 7.8 sm_90
";
