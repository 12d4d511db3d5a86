use super::Reachability;

/// The numbers of the statements that are certain for a device.
fn certain(text: &str, arch: u32) -> Vec<usize> {
    let reach = Reachability::of(text);
    let all = text.match_indices("asm(").map(|(at, _)| at).enumerate();
    all.filter(|(_, at)| reach.certain(*at).contains(arch)).map(|(number, _)| number).collect()
}

#[test]
fn kernels_and_what_they_call_are_compiled() {
    let text = "
        static __device__ void called() { asm(\"\"); }
        static __device__ void alone() { asm(\"\"); }
        template <class T> __device__ void made(T) { asm(\"\"); }
        template <class T> __device__ void never(T) { asm(\"\"); }
        __device__ void elsewhere() { asm(\"\"); }
        __device__ void newer() { asm(\"\"); }
        struct S { __device__ void f() { asm(\"\"); } };
        namespace n { extern \"C\" __global__ void __launch_bounds__(128) k() {
            called(); made<int>(1); S().f(); asm(\"\");
        #if FOO || __CUDA_ARCH__ >= 900
            newer();
        #endif
            if constexpr (sizeof(int) == 4) { never(1); }
        } }";
    assert_eq!(certain(text, 750), [0, 2, 4, 7]);
    assert_eq!(certain(text, 900), [0, 2, 4, 5, 7]);
}

#[test]
fn overloads_and_conditions_that_the_compiler_knows_are_open() {
    let text = "
        inline __device__ void f(int) { asm(\"\"); }
        inline __device__ void f(float) { asm(\"\"); }
        __global__ void k(int x) { f(x); if (x > 3) asm(\"\"); if (USE_TMA) asm(\"\"); }
        #define M() asm(\"\")
        template <int N, int M = (N > 3)> __global__ void t() { asm(\"\"); }
        template <int N = 0> __device__ void u(int a = {}, B b = {1}) { asm(\"\"); }";
    assert_eq!(certain(text, 800), [2]);
}

#[test]
fn braces_that_make_no_sense_leave_all_open() {
    let text = "
        __global__ void k(int x) {
        #if A
          if (x) {
        #else
          if (!x) {
        #endif
            asm(\"\"); } }
        template <int N> __global__ void t() { asm(\"\"); }";
    assert_eq!(certain(text, 800), [0usize; 0]);
    assert_eq!(certain("} asm(\"\");", 800), [0usize; 0]);
    assert_eq!(certain("asm(\"\");", 800), [0]);
}
