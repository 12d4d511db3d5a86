//! Functions with litmus tests in comments, and what is said about their claims.

use isa::Module;
use litmus::{ClaimDiagnostic, claim_diagnostics};
use syntax::LintFile;

/// A module with a claim about a thread, or a producer and a consumer.
pub(crate) fn module(claims: &str, functions: &str) -> String {
    format!(
        ".version 8.6\n.target sm_90a\n.address_size 64\n.shared .align 16 .b32 tile[4];\n.shared .align 8 .b64 full;\n\
         .global .align 16 .b32 out[4];\n{claims}\n{functions}"
    )
}

pub(crate) fn function(name: &str, body: &str) -> String {
    format!(
        ".visible .entry {name}(.param .u64 in)\n{{\n.reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<4>;\n{body}\nret;\n}}\n"
    )
}

/// The titles of the fixes of claims that do not hold, and the messages of those that cannot be decided.
pub(crate) fn answers(text: &str) -> Vec<String> {
    let diagnostics = claim_diagnostics(&LintFile::parse(text), &Module::default());
    let answer = |diagnostic| match diagnostic {
        ClaimDiagnostic::Contradicted { repair, message, .. } => repair.map_or(message, |repair| repair.title),
        ClaimDiagnostic::Undecided(error) => error.message,
    };
    diagnostics.into_iter().map(answer).collect()
}

/// A store that a bulk copy reads, with or without a proxy fence.
pub(crate) fn store(fence: &str) -> String {
    let body = format!(
        "st.shared.u32 [tile], 5;\n{fence}cp.async.bulk.global.shared::cta.bulk_group [out], [tile], 16;\n\
         cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nld.global.u32 %r2, [out];"
    );
    module("//! thread f @ cta 0\n//! forbid f:%r2 == 0", &function("f", &body))
}

/// Two matrices that threads write, and their product: in claims it is the sum of their first elements.
pub(crate) fn product(fence: &str, issue: &str, wait: &str) -> String {
    let body = format!(
        "st.shared.u32 [tile], 5;\nst.shared.u32 [other], 7;\n{fence}bar.sync 0;\n{issue}\
         mov.u32 %r0, tile;\nshr.u32 %r1, %r0, 4;\nand.b32 %r2, %r1, 16383;\ncvt.u64.u32 %rd0, %r2;\nor.b64 %rd1, %rd0, 34359803904;\n\
         mov.u32 %r3, other;\nshr.u32 %r4, %r3, 4;\nand.b32 %r5, %r4, 16383;\ncvt.u64.u32 %rd2, %r5;\n\
         wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%f0, %f1, %f2, %f3}}, %rd1, %rd2, 1, 1, 1, 0, 0;\n\
         wgmma.commit_group.sync.aligned;\n{wait}"
    );
    let function = function("f", &body).replace(".reg .b32 %r<4>;", ".reg .b32 %r<8>; .reg .f32 %f<4>;");
    let shared = ".shared .align 8 .b64 full;\n.shared .align 16 .b32 other[4];";
    module("//! thread f @ cta 0\n//! forbid f:%f0 != 12", &function).replace(".shared .align 8 .b64 full;", shared)
}
