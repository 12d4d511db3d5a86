//! The rows of what the threads of a warp work out together before one of them issues an atomic.

pub(super) const REDUX: &str = "
family  redux
section Parallel Synchronization and Communication Instructions: redux.sync
about   Combines `b` of all threads that `membermask` names and gives each of them the result.

repeats sync
use overlap

form redux.sync.op{.overlap}.type                         d, b, membermask
  and or xor     b32                            PTX 7.0 sm_80
  add min max    u32 s32                        PTX 7.0 sm_80

repeats NaN

form redux.sync.op{.abs}{.NaN}{.overlap}.f32              d, b, membermask
  min max                                       PTX 8.6 sm_100f
";

pub(super) const MATCH: &str = "
family  match
section Parallel Synchronization and Communication Instructions: match.sync
about   Says which threads of the warp have the same value in `b` (`.any`), or whether all have (`.all`).

repeats sync
use overlap

form match.vote.sync{.overlap}.type                       d, b, membermask
  any all   b32 b64                             PTX 6.0 sm_70
";

pub(super) const SHFL: &str = "
family  shfl
section Data Movement and Conversion Instructions: shfl.sync
about   Reads a register of another thread of the warp.

repeats sync
use overlap

form shfl.sync.lane{.overlap}.b32               d, a, b, c, membermask
  up down bfly idx                              PTX 5.1 sm_30

form shfl.lane.b32                              d, a, b, c
  up down bfly idx                              PTX 3.0 sm_30 until PTX 6.4 sm_70
";

pub(super) const VOTE: &str = "
family  vote
section Parallel Synchronization and Communication Instructions: vote.sync
about   Combines a predicate of all threads that `membermask` names; without `.sync`, of all that run it together.

repeats sync uni
use overlap

form vote.sync.vote{.overlap}.type              d, predicate, membermask
  any all uni   pred                            PTX 5.1 sm_30
  ballot        b32                             PTX 5.1 sm_30

form vote.vote.type                             d, predicate
  any all uni   pred                            PTX 1.2 sm_12 until PTX 6.4 sm_70
  ballot        b32                             PTX 2.0 sm_20 until PTX 6.4 sm_70
";

pub(super) const ACTIVEMASK: &str = "
family  activemask
section Parallel Synchronization and Communication Instructions: activemask
about   Says which threads of the warp are running this instruction together.

form activemask.b32                             d
  PTX 6.2 sm_30
";
