// oldest: 90
// versions: 12.9 13.5
// What came with sm_90: clusters, mbarriers, bulk and tensor copies, warpgroup products, register hints.
typedef unsigned long long u64;
typedef unsigned u32;

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(128) clusters(int *p)
{
    __shared__ int cell;
    u32 rank, size;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    u32 here = (u32)__cvta_generic_to_shared(&cell), there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"((rank + 1) % size));
    asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(there), "r"(rank) : "memory");
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
    p[rank] = cell;
    asm volatile("griddepcontrol.launch_dependents;\n\tgriddepcontrol.wait;" ::: "memory");
}

extern "C" __global__ void bulk(char *g, u64 *map, int x, int y)
{
    __shared__ __align__(128) char tile[4096];
    __shared__ u64 barrier;
    u32 b = (u32)__cvta_generic_to_shared(&barrier), t = (u32)__cvta_generic_to_shared(tile), done;
    u64 state;
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(b) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], 4096;" : "=l"(state) : "r"(b) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" :: "r"(t), "l"(g), "r"(b) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 :: "r"(t), "l"(map), "r"(x), "r"(y), "r"(b) : "memory");
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, 0}], [%4], {%5};"
                 :: "r"(t), "l"(map), "r"(x), "r"(y), "r"(b), "h"((short)1) : "memory");
    asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%0], [%1, {%2}], [%3], %4, %5;"
                 :: "r"(t), "l"(map), "r"(x), "r"(b), "h"((short)3), "l"(state) : "memory");
    asm volatile("{\n\t.reg .pred p;\n\tWAIT:\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t@p bra DONE;\n\tbra WAIT;\n\tDONE:\n\tselp.u32 %0, 1, 0, p;\n\t}"
                 : "=r"(done) : "r"(b), "r"(0) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" :: "l"(g), "r"(t), "r"(done * 16) : "memory");
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 64;" :: "l"(g), "r"(t) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" :: "l"(map), "r"(x), "r"(y), "r"(t) : "memory");
    asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group.read 0;" ::: "memory");
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" :: "l"(map), "r"(x), "r"(y) : "memory");
    asm volatile("prefetch.tensormap [%0];" :: "l"(map) : "memory");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" :: "r"(t), "r"(x), "r"(b) : "memory");
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, [%3];" :: "r"(t), "r"(x), "r"(y), "r"(b) : "memory");
}

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
extern "C" __global__ void products(float *d, u64 a, u64 b)
{
    float c[4] = {d[0], d[1], d[2], d[3]};
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %6, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0;\n}"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "l"(a), "l"(b), "r"(1));
    asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < 4; ++i) d[i] = c[i];
}
#endif

#if defined(__CUDA_ARCH_FEAT_SM100_ALL)
extern "C" __global__ void tensor_memory(u32 *p, u64 a, u64 b)
{
    __shared__ u32 slot;
    __shared__ u64 barrier;
    u32 s = (u32)__cvta_generic_to_shared(&slot), m = (u32)__cvta_generic_to_shared(&barrier), r[4];
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" :: "r"(s) : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %4, 0;\ntcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n}"
                 :: "r"(slot), "l"(a), "l"(b), "r"(p[0]), "r"(1) : "memory");
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" :: "r"(m) : "memory");
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x4.b32 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(slot));
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
    asm volatile("tcgen05.cp.cta_group::1.128x256b [%0], %1;" :: "r"(slot), "l"(a) : "memory");
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" :: "r"(slot));
    p[1] = r[0] + r[1] + r[2] + r[3];
}
#endif
