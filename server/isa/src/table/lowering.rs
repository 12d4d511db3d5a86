//! The rows that say what machine code a PTX atomic becomes. See `lowering.rs` for the notation.
//!
//! Derived from `tests/evidence/lowering`, which `ptxas` 13.5 and `nvdisasm` wrote.

pub(crate) const TEXT: &str = "
type  multimem.ld_reduce  u32 b32                                  ->  .32
type  u32 b32 b16                                                  ->
type  s32                                                          ->  .S32
type  u64 b64                                                      ->  .64
type  s64                                                          ->  .S64
type  b128                                                         ->  .128
type  f64                                                          ->  .F64.RN
type  f32  multimem.ld_reduce                                      ->  .F32@lanes.RN
type  f32  noftz                                                   ->  .F32@lanes.RN
type  f32                                                          ->  .F32@lanes.FTZ.RN
type  f16 f16x2                                                    ->  .F16@lanes.RN
type  bf16 bf16x2                                                  ->  .BF16@lanes.RN
type  e4m3 e4m3x2 e4m3x4                                           ->  .E4M3@lanes.RN
type  e5m2 e5m2x2 e5m2x4                                           ->  .E5M2@lanes.RN

width  8bit 16bit 32bit                                            ->
width  64bit                                                       ->  .64
width  128bit                                                      ->  .128

scope  multimem.ld_reduce                                          ->  .STRONG.SYS
scope  weak                                                        ->
scope  cta  sm_75                                                  ->  .STRONG.CTA
scope  cta                                                         ->  .STRONG.SM
scope  cluster gpu                                                 ->  .STRONG.GPU
scope  sys                                                         ->  .STRONG.SYS

// `<` in code: what is ordered before the access.
<  release acq_rel  cta                                            ->  MEMBAR.ALL.CTA
<  release acq_rel  cluster gpu  sm_75 sm_80 sm_86                 ->  MEMBAR.ALL.GPU ERRBAR
<  release acq_rel  sys          sm_75 sm_80 sm_86                 ->  MEMBAR.ALL.SYS ERRBAR
<  release acq_rel  cluster gpu                                    ->  MEMBAR.ALL.GPU ERRBAR CGAERRBAR
<  release acq_rel  sys                                            ->  MEMBAR.ALL.SYS ERRBAR CGAERRBAR
<                                                                  ->

// `>` in code: what is ordered after it.
>  acquire acq_rel  cluster gpu sys                                ->  CCTL.IVALL
>  acquire  multimem.ld_reduce                                     ->  CCTL.IVALL
>                                                                  ->

code  atom red  global  b16 f16 bf16  scalar  sm_75 sm_80 sm_86    ->  < { ATOMG.E.CAS@scope } >
code  atom red  global  b16 f16 bf16  scalar                       ->  { < ATOMG.E.CAS@scope > }
code  red       global  sm_75 sm_80 sm_86                          ->  < RED.E.@op@type@scope
code  red       global                                             ->  < REDG.E.@op@type@scope
code  atom      global  cas exch                                   ->  < ATOMG.E.@op@type@scope >
code  atom      global  unused  relaxed release  sm_75 sm_80 sm_86 ->  < RED.E.@op@type@scope
code  atom      global  unused  relaxed release                    ->  < REDG.E.@op@type@scope
code  atom      global                                             ->  < ATOMG.E.@op@type@scope >

code  atom red  generic  b16 f16  scalar  sm_75                    ->  < LD.E.SYS { ATOM.E.CAS@scope } >
code  atom red  generic  b16 f16  scalar  sm_80 sm_86              ->  < LD.E { ATOM.E.CAS@scope } >
code  atom      generic  cas exch  b64    sm_75 sm_80 sm_86        ->  < ATOM.E.@op@type@scope local >
code  atom red  generic  b64 u64 s64 f64 f32 f16x2  sm_75          ->  < ATOM.E.@op@type@scope QSPC.E.S { LDS.U@width ATOMS.CAST.SPIN@width } local >
code  atom red  generic  b64 u64 s64 f64 f32 f16x2  sm_80 sm_86    ->  < ATOM.E.@op@type@scope QSPC.E.S { LDS@width ATOMS.CAST.SPIN@width } local >
code  atom red  generic  sm_75 sm_80 sm_86                         ->  < ATOM.E.@op@type@scope >

code  atom red  generic shared::cluster  b16 f16 bf16  scalar      ->  LD.E { < ATOM.E.CAS@scope > }
code  atom      generic shared::cluster  cas exch  b64             ->  < ATOM.E.@op@type@scope > local
code  atom red  generic shared::cluster  f32 f64  scalar           ->  < ATOM.E.@op@type@scope > QSPC.E.S { LDS@width ATOMS.CAST.SPIN@width } QSPC.E.D { LD.E@width ATOM.E.CAST.SPIN@width.STRONG.SM } local
code  atom red  generic shared::cluster  b64 u64 s64 f16x2 bf16x2  scalar  ->  < ATOM.E.@op@type@scope > QSPC.E.S { LDS@width ATOMS.CAST.SPIN@width } local
code  atom red  generic shared::cluster                            ->  < ATOM.E.@op@type@scope >

code  atom red  shared  b16 f16       sm_75                        ->  < LDS.U { ATOMS.CAS }
code  atom red  shared  b16 f16       sm_80 sm_86                  ->  < LDS { ATOMS.CAS }
code  atom red  shared  b16 f16 bf16                               ->  LDS { < ATOMS.CAS > }
code  atom      shared  cas exch      sm_75 sm_80 sm_86            ->  < ATOMS.@op@type
code  atom      shared  cas exch                                   ->  < ATOMS.@op@type >
code  atom red  shared  b64 u64 s64 f64 f32 f16x2  sm_75           ->  < { LDS.U@width ATOMS.CAST.SPIN@width }
code  atom red  shared  b64 u64 s64 f64 f32 f16x2  sm_80 sm_86     ->  < { LDS@width ATOMS.CAST.SPIN@width }
code  atom red  shared  b64 u64 s64 f64 f32 f16x2 bf16x2           ->  { LDS@width ATOMS.CAST.SPIN@width }
code  atom red  shared  sm_75 sm_80 sm_86                          ->  < ATOMS.@op@type
code  atom red  shared                                             ->  < ATOMS.@op@type >

code  multimem.red                                                 ->  < REDG.E.@op@type@scope
code  multimem.st         global                                   ->  < STG.E@width@scope
code  multimem.st         generic                                  ->  < ST.E@width@scope
code  multimem.ld_reduce  acc::f32  sm_90                          ->  LDGMC.E.F32ADD@type@scope >
code  multimem.ld_reduce  acc::f16 acc::f32                        ->  LDGMC.E.HPADD@type@scope >
code  multimem.ld_reduce                                           ->  LDGMC.E.@op@type@scope >

// In place of the code, where the value is the constant 1.
one  atom red  shared  add u32  sm_75                              ->
one  atom      shared  add u32  acquire acq_rel  sm_80 sm_86       ->
one  atom      shared  add u32  unused                             ->  < ATOMS.POPC.INC.32 >
one  red       shared  add u32                                     ->  < ATOMS.POPC.INC.32 >

// Before the code, where all lanes are known to have one address.
sum  cas exch inc dec                                              ->
sum  b16 b64 b128 u64 s64 f16 f16x2 bf16 bf16x2 f32 f64            ->
sum  atom used  add                                                ->  SHFL.IDX SHFL.UP
sum  atom used                                                     ->
sum  atom acquire acq_rel  sm_75 sm_80 sm_86  add                  ->  SHFL.IDX SHFL.UP
sum  atom acquire acq_rel  sm_75 sm_80 sm_86                       ->
sum  multimem.ld_reduce multimem.st                                ->
sum  sm_75                                                         ->  SHFL.BFLY
sum  min max  sm_100                                               ->  CREDUX.@op@type
sum  add                                                           ->  REDUX.SUM@type
sum  and                                                           ->  REDUX@type
sum  or xor min max                                                ->  REDUX.@op@type
";
