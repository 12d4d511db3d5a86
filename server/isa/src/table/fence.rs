//! The rows of fences: `fence`, `fence.proxy`, and their older name `membar`.

pub(super) const FENCE: &str = "
family  fence
section Parallel Synchronization and Communication Instructions: membar, fence
about   Orders what this thread did in memory before it against what it does after it, for all threads in its scope that take part in the same pattern.

slot .sem       sc acq_rel acquire release
slot .scope     cta gpu sys
slot .scope     cluster                        PTX 7.8 sm_90
slot .restrict  sync_restrict::shared::cta sync_restrict::shared::cluster    PTX 8.6 sm_90
slot .restrict  sync_restrict::read            PTX 9.5 sm_90
slot .proxy     async                          PTX 8.0 sm_90

none .sem       acq_rel
ignored         async

form fence{.sem}.scope
  sc acq_rel                                   PTX 6.0 sm_70

form fence.sem.scope
  acquire release                              PTX 8.6 sm_90

form fence.acquire.restrict.cluster
  sync_restrict::shared::cluster               PTX 8.6 sm_90

form fence.release.restrict.cluster
  sync_restrict::shared::cta                   PTX 8.6 sm_90

form fence.alias.release.restrict.sys
  sync_restrict::read                          PTX 9.5 sm_90

form fence.alias.mbarrier_init.release.restrict.cluster
  sync_restrict::read                          PTX 9.5 sm_90

form fence.mbarrier_init.release{.restrict}.cluster
  sync_restrict::shared::cta sync_restrict::shared::cluster    PTX 8.0 sm_90
";

pub(super) const PROXY: &str = "
family  fence.proxy
section Parallel Synchronization and Communication Instructions: membar, fence
about   Orders accesses to the same memory that go through different proxies: the usual one, that of asynchronous copies, that of tensor maps, or other addresses of the same bytes.

slot .proxy     alias async async::generic tensormap::generic
slot .sem       acq_rel acquire release
slot .scope     cta cluster gpu sys
slot .space     global shared::cta shared::cluster shared
slot .restrict  sync_restrict::shared::cta sync_restrict::shared::cluster    PTX 8.6 sm_90
slot .restrict  sync_restrict::shared::cluster::read    PTX 9.4 sm_90
slot .fabric    fabric::fabric fabric::generic generic::fabric

form fence.proxy.alias{.restrict}
                                               PTX 7.5 sm_70

form fence.proxy.alias.sem.sys{.restrict}
  acquire release                              PTX 9.4 sm_90

form fence.proxy.fabric.alias.sem.scope{.space}{.restrict}
  acquire release  sys                         PTX 9.3 sm_100
  acq_rel                                      PTX 9.3 sm_100

form fence.proxy.async{.space}{.restrict}
  global shared::cta shared::cluster           PTX 8.0 sm_90

form fence.proxy.tensormap::generic.acquire.scope   [a], 128
                                               PTX 8.3 sm_90

form fence.proxy.proxy.sem.scope{.space}{.restrict}
  tensormap::generic  release acq_rel          PTX 8.3 sm_90
  async::generic      acq_rel                  PTX 8.3 sm_90

form fence.proxy.async::generic.acquire.restrict.cluster{.space}
  sync_restrict::shared::cluster               PTX 8.6 sm_90

form fence.proxy.async::generic.release.restrict.cluster{.space}
  sync_restrict::shared::cta                   PTX 8.6 sm_90

form fence.proxy.async::generic.release.restrict.scope{.space}
  sync_restrict::shared::cluster::read cta cluster    PTX 9.4 sm_90
";

pub(super) const MEMBAR: &str = "
family  membar
section Parallel Synchronization and Communication Instructions: membar, fence
about   The older name of `fence.sc`: orders this thread's accesses for its CTA, the GPU or the whole system.

slot .scope     cta gl sys

form membar.scope
  cta gl                                       PTX 1.4
  sys                                          PTX 2.0 sm_20
";

pub(super) const MEMBAR_PROXY: &str = "
family  membar.proxy
section Parallel Synchronization and Communication Instructions: membar, fence
about   The older name of `fence.proxy`.

slot .proxy     alias async

form membar.proxy.proxy
  alias                                        PTX 7.5 sm_60
  async                                        PTX 8.0 sm_90
";
