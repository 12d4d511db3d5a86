//! The rows of barriers that live in memory.

pub(super) const TEXTS: [&str; 14] = [
    "
family  mbarrier.init
section Parallel Synchronization and Communication Instructions: mbarrier
about   Makes the 64-bit object at `[a]` a barrier that expects `count` arrivals in each phase.
slot .space  shared
slot .space  shared::cta                       PTX 7.8 sm_80
slot .layout layout::v0 layout::v1             PTX 9.3 sm_90
none .space  generic
form mbarrier.init{.space}{.layout}.b64                 [a], count
                                               PTX 7.0 sm_80
",
    "
family  mbarrier.check_layout
section Parallel Synchronization and Communication Instructions: mbarrier
about   Says whether the barrier at `[a]` was made with a layout.
slot .scope  cta cluster gpu sys
slot .space  shared shared::cta
slot .layout layout::v0 layout::v1
none .space  generic
form mbarrier.check_layout{.scope}{.space}.layout.b64  complete, [a]
                                               PTX 9.3 sm_90
",
    "
family  mbarrier.inval
section Parallel Synchronization and Communication Instructions: mbarrier
about   Ends the life of the barrier at `[a]`: its memory may be used otherwise from here on.
slot .space  shared
slot .space  shared::cta                       PTX 7.8 sm_80
none .space  generic
form mbarrier.inval{.space}.b64                [a]
                                               PTX 7.0 sm_80
",
    "
family  mbarrier.expect_tx
section Parallel Synchronization and Communication Instructions: mbarrier
about   Raises by `bytes` what asynchronous operations still have to complete before the current phase can end.
slot .sem    relaxed
slot .scope  cta cluster
slot .space  shared shared::cta shared::cluster
slot .multicast multicast::cluster::32b       PTX 9.4 sm_107f
none .space  generic
needs .sem with .scope
needs .scope with .sem
form mbarrier.expect_tx{.sem}{.scope}{.space}.b64    [a], bytes
                                               PTX 8.0 sm_90
form mbarrier.expect_tx{.sem}{.scope}{.space}.multicast.b64    [a], bytes, mask
  relaxed cta cluster shared::cluster multicast::cluster::32b   PTX 9.4 sm_107f
",
    "
family  mbarrier.complete_tx
section Parallel Synchronization and Communication Instructions: mbarrier
about   Counts `bytes` as completed by asynchronous operations, without one having happened.
slot .sem    relaxed
slot .scope  cta cluster
slot .space  shared shared::cta shared::cluster
slot .multicast multicast::cluster::32b       PTX 9.4 sm_107f
none .space  generic
needs .sem with .scope
needs .scope with .sem
form mbarrier.complete_tx{.sem}{.scope}{.space}.b64  [a], bytes
                                               PTX 8.0 sm_90
form mbarrier.complete_tx{.sem}{.scope}{.space}.multicast.b64  [a], bytes, mask
  relaxed cta cluster shared::cluster multicast::cluster::32b   PTX 9.4 sm_107f
",
    "
family  mbarrier.arrive
section Parallel Synchronization and Communication Instructions: mbarrier
about   Arrives `count` times (once, if none is given) at the barrier at `[a]`; `state` is the phase that this belongs to.
slot .sem    release                           PTX 8.0 sm_80
slot .sem    relaxed                           PTX 8.6 sm_90
slot .scope  cta                               PTX 8.0 sm_80
slot .scope  cluster                           PTX 8.0 sm_90
slot .space  shared
slot .space  shared::cta                       PTX 7.8 sm_80
slot .space  shared::cluster                   PTX 8.0 sm_90
slot .multicast multicast::cluster::32b       PTX 9.4 sm_107f
none .sem    release
none .scope  cta
none .space  generic
needs .sem with .scope
needs .scope with .sem
form mbarrier.arrive{.sem}{.scope}{.space}.b64       state, [a]{, count}
                                               PTX 7.0 sm_80
form mbarrier.arrive.noComplete{.sem}{.scope}{.space}.b64   state, [a], count
  release cta shared shared::cta               PTX 7.0 sm_80
form mbarrier.arrive{.sem}{.scope}{.space}.multicast.b64       state, [a]{, count}, mask
  release relaxed cta cluster shared::cluster multicast::cluster::32b   PTX 9.4 sm_107f
",
    "
family  mbarrier.arrive_drop
section Parallel Synchronization and Communication Instructions: mbarrier
about   Arrives at the barrier at `[a]` and takes part no more: later phases expect `count` arrivals less.
slot .sem    release                           PTX 8.0 sm_80
slot .sem    relaxed                           PTX 8.6 sm_90
slot .scope  cta                               PTX 8.0 sm_80
slot .scope  cluster                           PTX 8.0 sm_90
slot .space  shared
slot .space  shared::cta                       PTX 7.8 sm_80
slot .space  shared::cluster                   PTX 8.0 sm_90
slot .multicast multicast::cluster::32b       PTX 9.4 sm_107f
none .sem    release
none .scope  cta
none .space  generic
needs .sem with .scope
needs .scope with .sem
form mbarrier.arrive_drop{.sem}{.scope}{.space}.b64  state, [a]{, count}
                                               PTX 7.0 sm_80
form mbarrier.arrive_drop.noComplete{.sem}{.scope}{.space}.b64   state, [a], count
  release cta shared shared::cta               PTX 7.0 sm_80
form mbarrier.arrive_drop{.sem}{.scope}{.space}.multicast.b64  state, [a]{, count}, mask
  release relaxed cta cluster shared::cluster multicast::cluster::32b   PTX 9.4 sm_107f
",
    "
family  mbarrier.arrive.expect_tx
section Parallel Synchronization and Communication Instructions: mbarrier
about   Raises what the phase expects by `bytes`, then arrives once at the barrier at `[a]`.
slot .sem    release
slot .sem    relaxed                           PTX 8.6 sm_90
slot .scope  cta cluster
slot .space  shared shared::cta shared::cluster
slot .multicast multicast::cluster::32b       PTX 9.4 sm_107f
none .sem    release
none .scope  cta
none .space  generic
needs .sem with .scope
needs .scope with .sem
form mbarrier.arrive.expect_tx{.sem}{.scope}{.space}.b64       state, [a], bytes
                                               PTX 8.0 sm_90
form mbarrier.arrive.expect_tx{.sem}{.scope}{.space}.multicast.b64       state, [a], bytes, mask
  release relaxed cta cluster shared::cluster multicast::cluster::32b   PTX 9.4 sm_107f
",
    "
family  mbarrier.arrive_drop.expect_tx
section Parallel Synchronization and Communication Instructions: mbarrier
about   Raises what the phase expects by `bytes`, then arrives once at the barrier at `[a]` and takes part no more.
slot .sem    release
slot .sem    relaxed                           PTX 8.6 sm_90
slot .scope  cta cluster
slot .space  shared shared::cta shared::cluster
slot .multicast multicast::cluster::32b       PTX 9.4 sm_107f
none .sem    release
none .scope  cta
none .space  generic
needs .sem with .scope
needs .scope with .sem
form mbarrier.arrive_drop.expect_tx{.sem}{.scope}{.space}.b64  state, [a], bytes
                                               PTX 8.0 sm_90
form mbarrier.arrive_drop.expect_tx{.sem}{.scope}{.space}.multicast.b64  state, [a], bytes, mask
  release relaxed cta cluster shared::cluster multicast::cluster::32b   PTX 9.4 sm_107f
",
    "
family  mbarrier.test_wait
section Parallel Synchronization and Communication Instructions: mbarrier
about   Says, without waiting, whether the phase that `state` belongs to has ended.
slot .sem    acquire                           PTX 8.0 sm_80
slot .sem    relaxed                           PTX 8.6 sm_90
slot .scope  cta                               PTX 8.0 sm_80
slot .scope  cluster                           PTX 8.0 sm_90
slot .space  shared
slot .space  shared::cta                       PTX 7.8 sm_80
slot .phase_type  phase_type::primary               PTX 9.3 sm_90
none .sem    acquire
none .scope  cta
none .space  generic
needs .sem with .scope
needs .scope with .sem
form mbarrier.test_wait{.phase_type}{.sem}{.scope}{.space}.b64              complete, [a], state
                                               PTX 7.0 sm_80
",
    "
family  mbarrier.test_wait.parity
section Parallel Synchronization and Communication Instructions: mbarrier
about   Says, without waiting, whether the phase of the parity `parity` has ended.
slot .sem    acquire                           PTX 8.0 sm_80
slot .sem    relaxed                           PTX 8.6 sm_90
slot .scope  cta                               PTX 8.0 sm_80
slot .scope  cluster                           PTX 8.0 sm_90
slot .space  shared
slot .space  shared::cta                       PTX 7.8 sm_80
slot .phase_type  phase_type::primary phase_type::conditional               PTX 9.3 sm_90
none .sem    acquire
none .scope  cta
none .space  generic
needs .sem with .scope
needs .scope with .sem
form mbarrier.test_wait.parity{.phase_type}{.sem}{.scope}{.space}.b64       complete, [a], parity
                                               PTX 7.1 sm_80
",
    "
family  mbarrier.try_wait
section Parallel Synchronization and Communication Instructions: mbarrier
about   Waits a while, or `hint` nanoseconds, for the phase that `state` belongs to, and says whether it has ended.
slot .sem    acquire                           PTX 8.0 sm_90
slot .sem    relaxed                           PTX 8.6 sm_90
slot .scope  cta cluster                       PTX 8.0 sm_90
slot .space  shared shared::cta
slot .phase_type  phase_type::primary               PTX 9.3 sm_90
none .sem    acquire
none .scope  cta
none .space  generic
needs .sem with .scope
needs .scope with .sem
form mbarrier.try_wait{.phase_type}{.sem}{.scope}{.space}.b64               complete, [a], state{, hint}
                                               PTX 7.8 sm_90
",
    "
family  mbarrier.try_wait.parity
section Parallel Synchronization and Communication Instructions: mbarrier
about   Waits a while, or `hint` nanoseconds, for the phase of the parity `parity`, and says whether it has ended.
slot .sem    acquire                           PTX 8.0 sm_90
slot .sem    relaxed                           PTX 8.6 sm_90
slot .scope  cta cluster                       PTX 8.0 sm_90
slot .space  shared shared::cta
slot .phase_type  phase_type::primary phase_type::conditional               PTX 9.3 sm_90
none .sem    acquire
none .scope  cta
none .space  generic
needs .sem with .scope
needs .scope with .sem
form mbarrier.try_wait.parity{.phase_type}{.sem}{.scope}{.space}.b64        complete, [a], parity{, hint}
                                               PTX 7.8 sm_90
",
    "
family  mbarrier.pending_count
section Parallel Synchronization and Communication Instructions: mbarrier
about   Reads out of a state how many arrivals were still pending.
slot .layout layout::v0                        PTX 9.3 sm_90
form mbarrier.pending_count{.layout}.b64       d, state
                                               PTX 7.0 sm_80
",
];
