//! The rows of reductions and stores that complete later: `red.async`, `st.async`, `st.bulk`, bulk copies that reduce.

pub(super) const RED_ASYNC: &str = "
family  red.async
section Parallel Synchronization and Communication Instructions: red.async
about   Combines memory with `b` some time later, without waiting: in another CTA's shared memory, where a barrier counts it, or in global memory.

slot .sem         relaxed
slot .sem         release                                PTX 8.7 sm_100
slot .mmio        mmio                                   PTX 8.7 sm_100
slot .scope       cluster gpu sys
slot .space       global                                 PTX 8.7 sm_100
slot .space       shared::cluster
slot .completion  mbarrier::complete_tx::bytes

none .space       generic

form red.async.relaxed.cluster{.space}.mbarrier::complete_tx::bytes.op.type    [a], b, [mbar]
  shared::cluster    and or xor    b32                   PTX 8.1 sm_90
  shared::cluster    add           u32 s32 u64 s64       PTX 8.1 sm_90
  shared::cluster    inc dec       u32                   PTX 8.1 sm_90
  shared::cluster    min max       u32 s32               PTX 8.1 sm_90

form red.async.sem.scope{.space}.op.type                 [a], b
  gpu sys  global    and or xor    b32                   PTX 8.1 sm_90
  gpu sys  global    add           u32 s32 u64 s64       PTX 8.1 sm_90
  gpu sys  global    inc dec       u32                   PTX 8.1 sm_90
  gpu sys  global    min max       u32 s32               PTX 8.1 sm_90

form red.async.mmio.release.sys{.space}.op.type          [a], b
  global             and or xor    b32                   PTX 8.1 sm_90
  global             add           u32 s32 u64 s64       PTX 8.1 sm_90
  global             inc dec       u32                   PTX 8.1 sm_90
  global             min max       u32 s32               PTX 8.1 sm_90
";

pub(super) const ST_ASYNC: &str = "
family  st.async
section Data Movement and Conversion Instructions: st.async
about   Stores `b` some time later, without waiting: to another CTA's shared memory, where a barrier counts it, or to global memory.

slot .sem         weak
slot .sem         release                                PTX 8.7 sm_100
slot .mmio        mmio                                   PTX 8.7 sm_100
slot .scope       cluster gpu sys
slot .space       global                                 PTX 8.7 sm_100
slot .space       shared shared::cta shared::cluster
slot .completion  mbarrier::complete_tx::bytes

none .space       generic
never cluster     with weak shared shared::cta

form st.async{.weak}{.scope}{.space}.mbarrier::complete_tx::bytes{.vec}.type   [a], b, [mbar]
  cluster  shared shared::cta shared::cluster  v2 v4  b32 u32 s32 f32   PTX 8.1 sm_90
  cluster  shared shared::cta shared::cluster  v2     b64 u64 s64 f64   PTX 8.1 sm_90

form st.async{.weak}{.scope}{.space}.mbarrier::complete_tx::bytes.type         [a], b, [mbar]
  cluster  shared shared::cta shared::cluster  b8 u8 s8 b16 u16 s16     PTX 8.1 sm_90
  cluster  shared shared::cta shared::cluster  b128                     PTX 9.2 sm_90

form st.async{.weak}.space{.vec}.type                                          [a], b, [mbar]
  shared shared::cta  v2 v4  b32 u32 s32 f32   PTX 8.1 sm_90
  shared shared::cta  v2     b64 u64 s64 f64   PTX 8.1 sm_90

form st.async{.weak}.space.type                                                [a], b, [mbar]
  shared shared::cta  b8 u8 s8 b16 u16 s16     PTX 8.1 sm_90
  shared shared::cta  b128                     PTX 9.2 sm_90

form st.async{.weak}.type                                                      [a], b
  b8 u8 s8 b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64   PTX 8.1 sm_90

form st.async{.weak}.global.type                                               [a], b
  b8 u8 s8 b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64   PTX 8.1 sm_90

form st.async{.release}.scope{.global}.type                                    [a], b
  gpu sys  b8 u8 s8 b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64   PTX 8.1 sm_90

form st.async.mmio.release.sys{.global}.type                                   [a], b
  b8 u8 s8 b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64   PTX 8.1 sm_90
";

pub(super) const ST_BULK: &str = "
family  st.bulk
section Data Movement and Conversion Instructions: st.bulk
about   Fills `size` bytes of shared memory from `[a]` on with zeros.

none .space       generic

form st.bulk{.weak}{.shared::cta}                [a], size, 0
  PTX 8.6 sm_100
";

pub(super) const BULK: &str = "
family  cp.reduce.async.bulk
section Data Movement and Conversion Instructions: cp.reduce.async.bulk
about   Combines `size` bytes of an array with as many from this CTA's shared memory, element by element, some time later; each element is updated on its own.

slot .dst         global shared::cluster
slot .src         shared::cta
slot .completion  bulk_group mbarrier::complete_tx::bytes
slot .hint        L2::cache_hint

before .dst       with .src
use types

form cp.reduce.async.bulk.global.src.bulk_group{.hint}.op.type          [a], [source], size{, policy}
  and or xor      b32 b64                                  PTX 8.0 sm_90
  add             u32 s32 u64 f32 f64                      PTX 8.0 sm_90
  inc dec         u32                                      PTX 8.0 sm_90
  min max         u32 s32 u64 s64 f16 bf16                 PTX 8.0 sm_90

form cp.reduce.async.bulk.global.src.bulk_group{.hint}.add.noftz.type   [a], [source], size{, policy}
  f16 bf16                                                 PTX 8.0 sm_90
  f32                                                      PTX 9.4 sm_90

form cp.reduce.async.bulk.shared::cluster.src.mbarrier::complete_tx::bytes.op.type   [a], [source], size, [mbar]
  and or xor      b32                                      PTX 8.0 sm_90
  add             u32 s32 u64                              PTX 8.0 sm_90
  inc dec         u32                                      PTX 8.0 sm_90
  min max         u32 s32                                  PTX 8.0 sm_90
";

pub(super) const TENSOR: &str = "
family  cp.reduce.async.bulk.tensor
section Data Movement and Conversion Instructions: cp.reduce.async.bulk.tensor
about   Combines a box of a tensor in global memory with as many elements from this CTA's shared memory, some time later; each element is updated on its own.

slot .dim         1d 2d 3d 4d 5d
slot .dst         global
slot .src         shared::cta
slot .hint        L2::cache_hint
slot .scope       cta cluster gpu sys
slot .override    override::global_address                 PTX 9.4 sm_107f
slot .override_sizes override::global_dim override::global_dim_stride   PTX 9.4 sm_107f

before .dst       with .src
ignored           cta cluster gpu sys

form cp.reduce.async.bulk.tensor.dim.dst.src.op{.tile}.bulk_group{.hint}   [map, {coordinates}], [source]{, policy}
                       and or xor add inc dec min max                      PTX 8.0 sm_90

form cp.reduce.async.bulk.tensor.dim.dst.src.op.load_mode.bulk_group{.hint}   [map, {coordinates}], [source]{, policy}
  3d 4d 5d  im2col_no_offs  and or xor add inc dec min max                 PTX 8.0 sm_90
  2d        tile::scatter4  and or xor add inc dec min max                 PTX 8.6 sm_100f sm_101f

form cp.reduce.async.bulk.tensor.dim.dst.src.op{.tile}.override{.override_sizes}.bulk_group{.hint}   [map, address, {coordinates}], [source]{, policy}
  1d           and or xor add inc dec min max override::global_address override::global_dim          PTX 9.4 sm_107f
  2d 3d 4d 5d  and or xor add inc dec min max override::global_address override::global_dim_stride   PTX 9.4 sm_107f

form cp.reduce.async.bulk.tensor.dim.dst.src.op.load_mode.override.bulk_group{.hint}   [map, address, {coordinates}], [source]{, policy}
  3d 4d 5d  im2col_no_offs  and or xor add inc dec min max override::global_address   PTX 9.4 sm_107f
  2d        tile::scatter4  and or xor add inc dec min max override::global_address   PTX 9.4 sm_107f
";

pub(super) const MULTIMEM_COPY: &str = "
family  multimem.cp.async.bulk
section Data Movement and Conversion Instructions: multimem.cp.async.bulk
about   Copies `size` bytes from this CTA's shared memory to every location behind a multimem address, some time later.

slot .sem         weak relaxed                       PTX 9.3 sm_90
slot .scope       cta cluster gpu sys                PTX 9.3 sm_90
slot .dst         global
slot .src         shared::cta
slot .mask        cp_mask                            PTX 9.1 sm_100

before .dst       with .src

form multimem.cp.async.bulk{.weak}.dst.src.bulk_group{.mask}                 [a], [source], size{, mask}
  PTX 9.1 sm_90

form multimem.cp.async.bulk.dst.src.bulk_group{.mask}.b128                   [a], [source], size{, mask}
  PTX 9.1 sm_90

form multimem.cp.async.bulk.sem.scope.dst.src.bulk_group{.mask}.b128         [a], [source], size{, mask}
  relaxed                                            PTX 9.3 sm_90
";

pub(super) const MULTIMEM_BULK: &str = "
family  multimem.cp.reduce.async.bulk
section Data Movement and Conversion Instructions: multimem.cp.reduce.async.bulk
about   Combines `size` bytes behind a multimem address with as many from this CTA's shared memory, at every location, some time later.

slot .dst         global shared::cluster
slot .src         shared::cta
slot .completion  bulk_group mbarrier::complete_tx::bytes

before .dst       with .src
use types

form multimem.cp.reduce.async.bulk.global.src.bulk_group.op.type          [a], [source], size
  and or xor      b32 b64                                  PTX 9.1 sm_90
  add             u32 s32 u64 f32 f64                      PTX 9.1 sm_90
  inc dec         u32                                      PTX 9.1 sm_90
  min max         u32 s32 u64 s64 f16 bf16                 PTX 9.1 sm_90

form multimem.cp.reduce.async.bulk.global.src.bulk_group.add.noftz.type   [a], [source], size
  f16 bf16                                                 PTX 9.1 sm_90
  f32                                                      PTX 9.4 sm_90
";
