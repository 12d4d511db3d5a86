//! The macros of compilers, of `<nv/target>` and of CUTLASS, and what they imply about the device architecture.
//!
//! To be extended when a compiler or library adds a macro.

use super::archs::Archs;
use super::condition::ArchCondition;

/// Whether a name is the architecture macro of the device.
pub(super) fn is_arch(name: &str) -> bool {
    matches!(name, "__CUDA_ARCH__" | "__CUDA_MINIMUM_ARCH__")
}

/// Prefixes of macros that depend on the compiler only.
const FREE: [&str; 24] = [
    "__CUDACC",
    "__NVCC__",
    "__CUDA__",
    "CUDA_VERSION",
    "CUDART_VERSION",
    "__cplusplus",
    "__GNUC",
    "__GNUG__",
    "__clang",
    "_MSC_",
    "__NVCOMPILER",
    "_NVHPC",
    "__INTEL_",
    "NDEBUG",
    "_WIN",
    "__linux__",
    "__unix__",
    "__LP64__",
    "_LP64",
    "__SIZEOF_INT128__",
    "__cccl_ptx_isa",
    "_CCCL_CUDA",
    "_CCCL_COMPILER",
    "_CCCL_OS",
];
/// Prefixes of macros of other processors.
const HOST: [&str; 22] = [
    "__x86_64",
    "__i386",
    "__amd64",
    "_M_X64",
    "_M_IX86",
    "_M_AMD64",
    "_M_ARM",
    "__aarch64__",
    "__arm__",
    "__ARM",
    "__powerpc",
    "__PPC",
    "__ppc",
    "__riscv",
    "__s390",
    "__loongarch",
    "__HIP",
    "__AMDGCN",
    "USE_ROCM",
    "__SYCL_DEVICE_ONLY__",
    "__SSE",
    "__AVX",
];

/// The condition that a predefined macro implies.
pub(super) fn predefined(name: &str) -> Option<ArchCondition> {
    let begins = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
    if let Some(number) = name.strip_prefix("__CUDA_ARCH_FEAT_SM").and_then(|rest| rest.strip_suffix("_ALL")) {
        let arch = number.parse::<u32>().ok()?.checked_mul(10)?;
        let exactly = ArchCondition::exactly(&Archs::between(arch, arch)).and(&ArchCondition::unknown());
        return Some(exactly.only_for_devices());
    }
    if name.starts_with("__CUDA_ARCH_") {
        return Some(ArchCondition::unknown().only_for_devices());
    }
    if name == "__NVPTX__" {
        return Some(ArchCondition::free().only_for_devices());
    }
    if let Some(provided) = provided(name) {
        return Some(provided);
    }
    match name {
        _ if begins(&HOST) || is_of_other_device(name) => Some(ArchCondition::host()),
        _ if begins(&FREE) => Some(ArchCondition::free()),
        _ => feature(name),
    }
}

/// The words of `<nv/target>`.
fn provided(name: &str) -> Option<ArchCondition> {
    let exactly = |low, high| Some(ArchCondition::exactly(&Archs::between(low, high)).only_for_devices());
    let arch = |prefix: &str| name.strip_prefix(prefix)?.parse::<u32>().ok()?.checked_mul(10);
    match name {
        "NV_IS_DEVICE" => return Some(ArchCondition::device()),
        "NV_ANY_TARGET" => return Some(ArchCondition::always()),
        "NV_IS_HOST" | "NV_NO_TARGET" => return Some(ArchCondition::never()),
        _ => {}
    }
    if let Some(arch) = arch("NV_PROVIDES_SM_") {
        return exactly(arch, u32::MAX);
    }
    arch("NV_IS_EXACTLY_SM_").and_then(|arch| exactly(arch, arch))
}

/// The macros of CUTLASS that enable code from an architecture on: `CUTE_ARCH_TMA_SM90_ENABLED`.
fn feature(name: &str) -> Option<ArchCondition> {
    let name = name.strip_prefix("CUTE_ARCH_").or_else(|| name.strip_prefix("CUTLASS_ARCH_"))?;
    let number = name.strip_suffix("_ENABLED")?.rsplit_once("SM")?.1;
    let arch = number.parse::<u32>().ok()?.checked_mul(10)?;
    Some(ArchCondition::at_least(Archs::between(arch, u32::MAX)).only_for_devices())
}

/// Whether a part of a macro's name is that of another maker's devices or of their compiler: `USE_HIP`.
fn is_of_other_device(name: &str) -> bool {
    let parts = || name.split('_').map(str::to_ascii_uppercase);
    let is_other = |part: String| {
        let is_gfx = part.strip_prefix("GFX").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        is_gfx || matches!(&*part, "HIP" | "HIPCC" | "ROCM" | "AMD" | "AMDGPU" | "AMDGCN" | "SYCL" | "MUSA")
    };
    let is_ours = |part: String| matches!(&*part, "CUDA" | "NVPTX" | "NVIDIA" | "NVCC");
    parts().any(is_other) && !parts().any(is_ours)
}
