//! The rows of `red`.

pub(super) const TEXT: &str = "
family  red
atomic
section Parallel Synchronization and Communication Instructions: red
about   Combines memory with `b` and writes the result back, in one step that no other atomic in scope can split. Nothing is returned.

slot .sem    relaxed release                    PTX 6.0 sm_70
slot .scope  cta gpu sys                        PTX 5.0 sm_60
slot .scope  cluster                            PTX 7.8 sm_90
slot .space  global
slot .space  shared                             PTX 1.2 sm_12
slot .space  shared::cta                        PTX 7.8 sm_12
slot .space  shared::cluster                    PTX 7.8 sm_90
slot .hint   L2::cache_hint                     PTX 7.4 sm_80

none .sem    relaxed
none .scope  gpu
none .space  generic                            PTX 2.0 sm_20

never .hint  with shared shared::cta shared::cluster
use types

form red{.sem}{.scope}{.space}.op{.hint}.type               [a], b{, policy}
  and or xor    b32                PTX 1.2 sm_11
  and or xor    b64                PTX 3.1 sm_32
  add           u32 s32            PTX 1.2 sm_11
  add           u64                PTX 1.2 sm_12; with shared shared::cta PTX 2.0 sm_20
  add           f32                PTX 2.0 sm_20
  add           f64                PTX 5.0 sm_60
  inc dec       u32                PTX 1.2 sm_11
  min max       u32 s32            PTX 1.2 sm_11
  min max       u64 s64            PTX 3.1 sm_32

form red{.sem}{.scope}{.space}.add.noftz{.hint}.type        [a], b{, policy}
                f16                PTX 6.3 sm_70
                f16x2              PTX 6.2 sm_60
                bf16 bf16x2        PTX 7.8 sm_90
                f32                PTX 9.4 sm_90

form red{.sem}{.scope}{.global}.add{.hint}.vec.f32          [a], b{, policy}
  v2 v4                            PTX 8.1 sm_90

form red{.sem}{.scope}{.global}.add.noftz{.hint}.vec.f32    [a], b{, policy}
  v2 v4                            PTX 9.4 sm_90

form red{.sem}{.scope}{.global}.op.noftz{.hint}.vec.type    [a], b{, policy}
  add min max   v2 v4 v8   f16 bf16       PTX 8.1 sm_90
  add min max   v2 v4      f16x2 bf16x2   PTX 8.1 sm_90
";
