//! The rows of `ld` and `st`.

pub(super) const LD: &str = "
family  ld
section Data Movement and Conversion Instructions: ld
about   Loads from memory into a register, or into several that stand in braces.

slot .mmio      mmio
slot .sem       weak relaxed acquire            PTX 6.0 sm_70
slot .sem       volatile                        PTX 1.1
slot .scope     cta gpu sys
slot .scope     cluster                         PTX 7.8 sm_90
slot .space     const global local param shared
slot .space     param::entry param::func        PTX 8.3
slot .space     shared::cta                     PTX 7.8
slot .space     shared::cluster                 PTX 7.8 sm_90
slot .cop       ca cg cs lu cv                  PTX 2.0 sm_20
slot .level1        L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate    PTX 7.4 sm_70
slot .level2        L2::evict_normal L2::evict_first L2::evict_last
slot .hint      L2::cache_hint                  PTX 7.4 sm_80
slot .prefetch  L1::32B L2::64B L2::128B        PTX 7.4 sm_75
slot .prefetch  L2::256B                        PTX 7.4 sm_80

none .sem       weak
none .space     generic                         PTX 2.0 sm_20

never .cop      with .level1
never .level1       with const local param param::entry param::func shared shared::cta shared::cluster
never .hint     with const local param param::entry param::func shared shared::cta shared::cluster
never .prefetch with const local param param::entry param::func shared shared::cta shared::cluster

form ld{.weak}{.space}{.cop}{.level1}{.hint}{.prefetch}{.vec}.type   d, [a]{, policy}
  b8 u8 s8 b16 u16 s16   v2 v4 v8   PTX 1.0
  b32 u32 s32 f32        v2 v4      PTX 1.0
  b64 u64 s64            v2         PTX 1.0
  f64                    v2         PTX 1.2 sm_13

form ld{.weak}{.space}{.cop}{.level1}{.hint}{.prefetch}.b128   d, [a]{, policy}
  PTX 8.3 sm_70

form ld{.weak}{.global}{.cop}{.level1}{.level2}{.hint}{.prefetch}.vec.type   d, [a]{, policy}
  v8  b32 u32 s32 f32             PTX 8.8 sm_100
  v4  b64 u64 s64 f64         PTX 8.8 sm_100

form ld.sem.scope{.space}{.level1}{.hint}{.prefetch}{.vec}.type   d, [a]{, policy}
  relaxed acquire  global shared shared::cta shared::cluster  b8 u8 s8 b16 u16 s16   v2 v4 v8   PTX 1.0
  relaxed acquire  global shared shared::cta shared::cluster  b32 u32 s32 f32        v2 v4      PTX 1.0
  relaxed acquire  global shared shared::cta shared::cluster  b64 u64 s64            v2         PTX 1.0
  relaxed acquire  global shared shared::cta shared::cluster  f64                    v2         PTX 1.2 sm_13

form ld.sem.scope{.space}{.level1}{.hint}{.prefetch}.b128   d, [a]{, policy}
  relaxed acquire  global shared shared::cta shared::cluster  PTX 8.3 sm_70; with sys PTX 8.4

form ld.sem.scope{.global}{.level1}{.level2}{.hint}{.prefetch}.vec.type   d, [a]{, policy}
  relaxed acquire  v8  b32 u32 s32 f32             PTX 8.8 sm_100
  relaxed acquire  v4  b64 u64 s64 f64         PTX 8.8 sm_100

form ld.volatile{.space}{.prefetch}{.vec}.type   d, [a]
  global shared shared::cta shared::cluster  b8 u8 s8 b16 u16 s16   v2 v4 v8   PTX 1.0
  global shared shared::cta shared::cluster  b32 u32 s32 f32        v2 v4      PTX 1.0
  global shared shared::cta shared::cluster  b64 u64 s64            v2         PTX 1.0
  global shared shared::cta shared::cluster  f64                    v2         PTX 1.2 sm_13

form ld.volatile{.space}{.prefetch}.b128   d, [a]
  global shared shared::cta shared::cluster  PTX 8.3 sm_70

form ld.volatile{.global}{.level2}{.prefetch}.vec.type   d, [a]
  v8  b32 u32 s32 f32             PTX 8.8 sm_100
  v4  b64 u64 s64 f64         PTX 8.8 sm_100

form ld.volatile.local{.vec}.type   d, [a]
  b8 u8 s8 b16 u16 s16   v2 v4 v8   PTX 9.1
  b32 u32 s32 f32        v2 v4      PTX 9.1
  b64 u64 s64            v2         PTX 9.1
  f64                    v2         PTX 9.1 sm_13

form ld.volatile.local.b128   d, [a]
  PTX 9.1 sm_70

form ld.mmio.sem.sys{.global}.type   d, [a]
  relaxed  b8 u8 s8 b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64   PTX 8.2 sm_70
  relaxed  b128   PTX 8.4 sm_70
  acquire  b8 u8 s8 b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64   PTX 9.3 sm_70
  acquire  b128   PTX 9.3 sm_70

form ld.global{.cop}{.level1}{.hint}{.prefetch}.nc{.vec}.type   d, [a]{, policy}
  ca cg cs  b8 u8 s8 b16 u16 s16   v2 v4 v8   PTX 3.1 sm_32
  ca cg cs  b32 u32 s32 f32        v2 v4      PTX 3.1 sm_32
  ca cg cs  b64 u64 s64            v2         PTX 3.1 sm_32
  ca cg cs  f64                    v2         PTX 3.1 sm_32

form ld.global{.cop}{.level1}{.hint}{.prefetch}.nc.b128   d, [a]{, policy}
  ca cg cs  PTX 8.3 sm_70

form ld.global{.cop}{.level1}{.level2}{.hint}{.prefetch}.nc.vec.type   d, [a]{, policy}
  ca cg cs  v8  b32 u32 s32 f32             PTX 8.8 sm_100
  ca cg cs  v4  b64 u64 s64 f64         PTX 8.8 sm_100

form ld{.global}.proxy::readonly{.vec}.type   d, [a]
  b8 u8 s8 b16 u16 s16   v2 v4 v8   PTX 9.4 sm_90
  b32 u32 s32 f32        v2 v4      PTX 9.4 sm_90
  b64 u64 s64 f64        v2         PTX 9.4 sm_90

form ld{.global}{.level2}.proxy::readonly.vec.type   d, [a]
  v8  b32 u32 s32 f32             PTX 9.4 sm_100
  v4  b64 u64 s64 f64         PTX 9.4 sm_100

form ld.global.proxy::readonly.nc{.vec}.type   d, [a]
  b8 u8 s8 b16 u16 s16   v2 v4 v8   PTX 9.4 sm_90
  b32 u32 s32 f32        v2 v4      PTX 9.4 sm_90
  b64 u64 s64 f64        v2         PTX 9.4 sm_90

form ld.global{.level2}.proxy::readonly.nc.vec.type   d, [a]
  v8  b32 u32 s32 f32             PTX 9.4 sm_100
  v4  b64 u64 s64 f64         PTX 9.4 sm_100
";

pub(super) const ST: &str = "
family  st
section Data Movement and Conversion Instructions: st
about   Stores a register, or several that stand in braces, to memory.

slot .mmio      mmio
slot .sem       weak relaxed release            PTX 6.0 sm_70
slot .sem       volatile                        PTX 1.1
slot .scope     cta gpu sys
slot .scope     cluster                         PTX 7.8 sm_90
slot .space     global local shared
slot .space     param                           PTX 2.0 sm_20
slot .space     param::func                     PTX 8.3 sm_20
slot .space     shared::cta                     PTX 7.8
slot .space     shared::cluster                 PTX 7.8 sm_90
slot .cop       wb cg cs wt                  PTX 2.0 sm_20
slot .level1        L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate    PTX 7.4 sm_70
slot .level2        L2::evict_normal L2::evict_first L2::evict_last
slot .hint      L2::cache_hint                  PTX 7.4 sm_80

none .sem       weak
none .space     generic                         PTX 2.0 sm_20

never .cop      with .level1
never .level1       with local param param::func shared shared::cta shared::cluster
never .hint     with local param param::func shared shared::cta shared::cluster

form st{.weak}{.space}{.cop}{.level1}{.hint}{.vec}.type   [a], b{, policy}
  b8 u8 s8 b16 u16 s16   v2 v4 v8   PTX 1.0
  b32 u32 s32 f32        v2 v4      PTX 1.0
  b64 u64 s64            v2         PTX 1.0
  f64                    v2         PTX 1.2 sm_13

form st{.weak}{.space}{.cop}{.level1}{.hint}.b128   [a], b{, policy}
  PTX 8.3 sm_70

form st{.weak}{.global}{.cop}{.level1}{.level2}{.hint}.vec.type   [a], b{, policy}
  v8  b32 u32 s32 f32             PTX 8.8 sm_100
  v4  b64 u64 s64 f64         PTX 8.8 sm_100

form st.sem.scope{.space}{.level1}{.hint}{.vec}.type   [a], b{, policy}
  relaxed release  global shared shared::cta shared::cluster  b8 u8 s8 b16 u16 s16   v2 v4 v8   PTX 1.0
  relaxed release  global shared shared::cta shared::cluster  b32 u32 s32 f32        v2 v4      PTX 1.0
  relaxed release  global shared shared::cta shared::cluster  b64 u64 s64            v2         PTX 1.0
  relaxed release  global shared shared::cta shared::cluster  f64                    v2         PTX 1.2 sm_13

form st.sem.scope{.space}{.level1}{.hint}.b128   [a], b{, policy}
  relaxed release  global shared shared::cta shared::cluster  PTX 8.3 sm_70; with sys PTX 8.4

form st.sem.scope{.global}{.level1}{.level2}{.hint}.vec.type   [a], b{, policy}
  relaxed release  v8  b32 u32 s32 f32             PTX 8.8 sm_100
  relaxed release  v4  b64 u64 s64 f64         PTX 8.8 sm_100

form st.volatile{.space}{.vec}.type   [a], b
  global shared shared::cta shared::cluster  b8 u8 s8 b16 u16 s16   v2 v4 v8   PTX 1.0
  global shared shared::cta shared::cluster  b32 u32 s32 f32        v2 v4      PTX 1.0
  global shared shared::cta shared::cluster  b64 u64 s64            v2         PTX 1.0
  global shared shared::cta shared::cluster  f64                    v2         PTX 1.2 sm_13

form st.volatile{.space}.b128   [a], b
  global shared shared::cta shared::cluster  PTX 8.3 sm_70

form st.volatile{.global}{.level2}.vec.type   [a], b
  v8  b32 u32 s32 f32             PTX 8.8 sm_100
  v4  b64 u64 s64 f64         PTX 8.8 sm_100

form st.volatile.local{.vec}.type   [a], b
  b8 u8 s8 b16 u16 s16   v2 v4 v8   PTX 9.1
  b32 u32 s32 f32        v2 v4      PTX 9.1
  b64 u64 s64            v2         PTX 9.1
  f64                    v2         PTX 9.1 sm_13

form st.volatile.local.b128   [a], b
  PTX 9.1 sm_70

form st.mmio.sem.sys{.global}.type   [a], b
  relaxed  b8 u8 s8 b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64   PTX 8.2 sm_70
  relaxed  b128   PTX 8.4 sm_70
  release  b8 u8 s8 b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64   PTX 9.3 sm_70
  release  b128   PTX 9.3 sm_70
";
