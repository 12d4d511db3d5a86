//! The rows of `multimem.ld_reduce`, `multimem.st` and `multimem.red`.

pub(super) const LD_REDUCE: &str = "
family  multimem.ld_reduce
atomic
section Data Movement and Conversion Instructions: multimem
about   Loads from every memory location behind a multimem address, combines the values, and returns the result.

slot .sem    weak relaxed acquire
slot .scope  cta cluster gpu sys
slot .space  global
slot .acc    acc::f32         PTX 8.2
slot .acc    acc::f16         PTX 8.6 sm_100f sm_101f sm_120a sm_121a

none .sem    weak
none .space  generic
use types

needs relaxed acquire with .scope
needs .scope with relaxed acquire
never weak with .scope

form multimem.ld_reduce{.sem}{.scope}{.global}.op.type             d, [a]
  and or xor    b32 b64                       PTX 8.1 sm_90
  add           u32 s32 u64 f32 f64           PTX 8.1 sm_90
  min max       u32 s32 u64 s64               PTX 8.1 sm_90
  min max       f16x2 bf16x2                  PTX 8.1 sm_90
  min max       e4m3x4 e5m2x4                 PTX 8.6 sm_100f sm_101f sm_120a sm_121a

form multimem.ld_reduce{.sem}{.scope}{.global}.op.vec.type         d, [a]
  add           v2 v4      f32                PTX 8.1 sm_90
  min max       v2 v4 v8   f16 bf16           PTX 8.1 sm_90
  min max       v2 v4      f16x2 bf16x2       PTX 8.1 sm_90
  min max       v4 v8      e4m3 e5m2          PTX 8.6 sm_100f sm_101f sm_120a sm_121a
  min max       v2 v4 v8   e4m3x2 e5m2x2      PTX 8.6 sm_100f sm_101f sm_120a sm_121a
  min max       v2 v4      e4m3x4 e5m2x4      PTX 8.6 sm_100f sm_101f sm_120a sm_121a

form multimem.ld_reduce{.sem}{.scope}{.global}.add{.acc}.type      d, [a]
  acc::f32      f16x2 bf16x2                  PTX 8.1 sm_90
  acc::f16      e4m3x4 e5m2x4                 PTX 8.6 sm_100f sm_101f sm_120a sm_121a

form multimem.ld_reduce{.sem}{.scope}{.global}.add{.acc}.vec.type  d, [a]
  acc::f32      v2 v4 v8   f16 bf16           PTX 8.1 sm_90
  acc::f32      v2 v4      f16x2 bf16x2       PTX 8.1 sm_90
  acc::f16      v4 v8      e4m3 e5m2          PTX 8.6 sm_100f sm_101f sm_120a sm_121a
  acc::f16      v2 v4 v8   e4m3x2 e5m2x2      PTX 8.6 sm_100f sm_101f sm_120a sm_121a
  acc::f16      v2 v4      e4m3x4 e5m2x4      PTX 8.6 sm_100f sm_101f sm_120a sm_121a
";

pub(super) const ST: &str = "
family  multimem.st
atomic
section Data Movement and Conversion Instructions: multimem
about   Stores `b` to every memory location behind a multimem address.

slot .sem    weak relaxed release
slot .scope  cta cluster gpu sys
slot .space  global

none .sem    weak
none .space  generic
use types

needs relaxed release with .scope
needs .scope with relaxed release
never weak with .scope
ignored      acc::f32 acc::f16

form multimem.st{.sem}{.scope}{.global}.type       [a], b
  b32 b64 u32 s32 u64 s64 f32 f64             PTX 8.1 sm_90
  f16x2 bf16x2                                PTX 8.1 sm_90
  e4m3x4 e5m2x4                               PTX 8.6 sm_100f sm_101f sm_120a sm_121a

form multimem.st{.sem}{.scope}{.global}.vec.type   [a], b
  v2 v4      f32 f16x2 bf16x2                 PTX 8.1 sm_90
  v2 v4 v8   f16 bf16                         PTX 8.1 sm_90
  v4 v8      e4m3 e5m2                        PTX 8.6 sm_100f sm_101f sm_120a sm_121a
  v2 v4 v8   e4m3x2 e5m2x2                    PTX 8.6 sm_100f sm_101f sm_120a sm_121a
  v2 v4      e4m3x4 e5m2x4                    PTX 8.6 sm_100f sm_101f sm_120a sm_121a
";

pub(super) const RED: &str = "
family  multimem.red
atomic
section Data Movement and Conversion Instructions: multimem
about   Combines every memory location behind a multimem address with `b`. Nothing is returned.

slot .sem    relaxed release
slot .scope  cta cluster gpu sys
slot .space  global

none .sem    relaxed
none .scope  sys
none .space  generic

needs .sem with .scope
needs .scope with .sem
ignored      acc::f32 acc::f16

use types

form multimem.red{.sem}{.scope}{.global}.op.type       [a], b
  and or xor    b32 b64                       PTX 8.1 sm_90
  add           u32 s32 u64 f32 f64           PTX 8.1 sm_90
  add           f16x2 bf16x2                  PTX 8.1 sm_90
  min max       u32 s32 u64 s64               PTX 8.1 sm_90

form multimem.red{.sem}{.scope}{.global}.op.vec.type   [a], b
  add           v2 v4      f32                PTX 8.1 sm_90
  add min max   v2 v4 v8   f16 bf16           PTX 8.1 sm_90
  add min max   v2 v4      f16x2 bf16x2       PTX 8.1 sm_90
";
