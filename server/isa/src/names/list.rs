//! The names of instructions and modifiers, as recorded in `tests/evidence/names`.

/// The names of instructions.
pub(super) const INSTRUCTIONS: &str = "
abs activemask add addc alloca and applypriority applypriority.async.bulk applypriority.async.bulk.tensor atom bar bar.arrive bar.cta
bar.cta.arrive bar.cta.red bar.red bar.warp barrier barrier.arrive barrier.cluster.arrive barrier.cluster.wait barrier.cta barrier.cta.arrive
barrier.cta.red barrier.red bfe bfi bfind bmsk bra brev brkpt brx.idx call clmad.hi clmad.lo clusterlaunchcontrol.query_cancel
clusterlaunchcontrol.try_cancel.async clz cnot copysign cos cp.async cp.async.bulk cp.async.bulk.commit_group cp.async.bulk.prefetch
cp.async.bulk.prefetch.tensor cp.async.bulk.tensor cp.async.bulk.wait_group cp.async.commit_group cp.async.mbarrier.arrive cp.async.wait_all
cp.async.wait_group cp.reduce.async.bulk cp.reduce.async.bulk.tensor createpolicy.cvt createpolicy.fractional createpolicy.range cvt cvt.pack cvta
cvta.to discard div div.full dp2a dp2a.hi dp2a.lo dp4a elect ex2 exit fabric.submit fabric.submit.commit_group fabric.try_atom.async
fabric.try_get.async fabric.try_get.async.tensor fabric.try_pullred.async fabric.try_put.async fabric.try_put.async.tensor fabric.try_red.async
fabric.try_red.async.tensor fabric.wait fence fence.proxy fma fns getctarank griddepcontrol isspacep istypep ld ldmatrix ldu lg2 lop3 mad mad.hi
mad.lo mad.wide mad24.hi mad24.lo madc.hi madc.lo mapa match max mbarrier.arrive mbarrier.arrive.expect_tx mbarrier.arrive_drop
mbarrier.arrive_drop.expect_tx mbarrier.check_layout mbarrier.complete_tx mbarrier.expect_tx mbarrier.init mbarrier.inval mbarrier.pending_count
mbarrier.test_wait mbarrier.test_wait.parity mbarrier.try_wait mbarrier.try_wait.parity membar membar.proxy min mma mov movmatrix mul mul.hi
mul.lo mul.wide mul24.hi mul24.lo multimem.cp.async.bulk multimem.cp.reduce.async.bulk multimem.ld_reduce multimem.red multimem.red.async
multimem.st multimem.st.async nanosleep neg not or pmevent pmevent.mask popc prefetch prefetchu prmt rcp red red.async redux rem ret rsqrt sad
selp set setmaxnreg.dec setmaxnreg.inc setp shf.l shf.r shfl shl shr sin slct spcompress spdecompress sqrt st st.async st.bulk stackrestore
stacksave stmatrix sub subc suld.b suq sured.b sured.p sust.b sust.p szext tanh tcgen05.alloc tcgen05.commit tcgen05.cp tcgen05.dealloc
tcgen05.fence tcgen05.ld tcgen05.ld.red tcgen05.ld.red.spcompress tcgen05.ld.spcompress tcgen05.mma tcgen05.mma.ws tcgen05.relinquish_alloc_permit
tcgen05.shift tcgen05.st tcgen05.wait tensormap.cp_fenceproxy tensormap.query.alloc_class_large tensormap.replace testp tex tex.base tex.grad
tex.level tld4 trace.mark trap txq txq.level vabsdiff vabsdiff2 vabsdiff4 vadd vadd2 vadd4 vavrg2 vavrg4 vmad vmax vmax2 vmax4 vmin vmin2 vmin4
vote vset vset2 vset4 vshl vshr vsub vsub2 vsub4 wgmma.commit_group wgmma.fence wgmma.mma_async wgmma.wait_group wmma.load.a wmma.load.b
wmma.load.c wmma.mma wmma.store.d xor
";

/// The modifiers that consist of letters.
pub(super) const MODIFIERS: &str = "
NaN a abs acq_rel acquire acube add alias aligned all alloc alloc_large alloc_same alloc_small and any approx array_size ashift async b ballot
bfly block_scale box_dim bulk_group ca cas cc cg channel_data_type channel_order clamp cluster col cond const cp cp_mask cs cta cube cv dealloc
dec depth dis down ecl ecr element_stride elemtype en eq equ evict_first evict_last evict_normal evict_unchanged exch exclusive fabric fill_mode
filter_mode finite force_unnormalized_coords ftz g ge get_first_ctaid geu gl global global_address global_dim global_stride gpu gt gtu height hi
hs idx ignore_oob inc infinite interleave_layout inv invall is_canceled launch_dependents ld le leu lo local ls lt ltu lu max maxabs mbarrier
mbarrier_init memory_layout min mma mmio multicast multimem nan nc ne negA negB neu noComplete no_allocate no_membermask_overlap noftz noinc
normal normalized_coords notanumber num num_mipmap_levels num_samples number oob or param po popc pred pzo r rank read relaxed release relu rm rmi
rn rna rni row rp rpi rs rz rzi safeadd samplerref sat satfinite sc scratch shared shift shiftamt sp st subnormal surfref swizzle_atomicity
swizzle_mode sync sys tensormap tex texref thread tile trans transA transB trap uni up valid_addr volatile wait wb weak width wrap wt xor xorsign
zero
";
