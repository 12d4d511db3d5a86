//! The directives of PTX: their meanings, and where each is allowed.

/// DirectivePlace a directive is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DirectivePlace {
    /// Outside of functions.
    Module,
    /// In a body, as a statement.
    Body,
    /// In both.
    Both,
    /// Between a function's head and its body.
    Head,
    /// Within another directive.
    Inside,
}

/// A directive.
#[derive(Debug)]
pub(crate) struct DirectiveInfo {
    /// With its dot.
    pub word: &'static str,
    /// DirectivePlace it may be written.
    pub place: DirectivePlace,
    /// Its meaning, in a sentence.
    pub summary: &'static str,
    /// The rest of the directive as an editor's snippet; empty if the word is complete.
    pub rest: &'static str,
}

macro_rules! directives {
    ($($place:ident { $($word:literal $rest:literal $about:literal)* })*) => {
        /// Every directive, grouped by place.
        pub(crate) static DIRECTIVES: &[DirectiveInfo] =
            &[$($(DirectiveInfo { word: $word, place: DirectivePlace::$place, summary: $about, rest: $rest }),*),*];
    };
}

directives! {
    Module {
        ".version" " ${1:9.5}" "The PTX version that the module is written in. It must come first."
        ".target" " ${1:sm_90}" "The architecture that the module is for, and options such as `debug`."
        ".address_size" " ${1:64}" "The size of an address in bits, 32 or 64."
        ".entry" " ${1:kernel}(\n\t.param .u64 ${2:pointer}\n)\n{\n\t$0\n\tret;\n}" "A kernel: a function that the host launches."
        ".func" " ${1:function}()\n{\n\t$0\n\tret;\n}" "A function that kernels and other functions call."
        ".visible" "" "The name is visible to other modules."
        ".extern" "" "The name is defined in another module."
        ".weak" "" "The name is visible to other modules, one of which may define it instead."
        ".common" "" "The variable may be defined in several modules, which share one; the largest size is used."
        ".alias" " ${1:name}, ${2:function};" "A second name for a function."
        ".file" " ${1:1} \"${2:path}\"" "Assigns a number to a source file, for `.loc`."
        ".section" "" "Debug data, line by line."
    }
    Both {
        ".global" " .b32 ${1:name};" "A variable in global memory, which all threads and the host share."
        ".const" " .b32 ${1:name};" "A variable in constant memory, which the host fills and kernels read."
        ".shared" " .align 4 .b8 ${1:name}[${2:256}];" "A variable in the CTA's shared memory."
        ".tex" "" "A texture variable of the old kind; `.texref` in `.global` replaces it."
        ".pragma" " \"${1:nounroll}\";" "A hint for the assembler."
    }
    Body {
        ".reg" " .b32 ${1:%r}<${2:10}>;" "Declares registers; `%r<10>` stands for `%r0` to `%r9`."
        ".local" " .align 4 .b8 ${1:name}[${2:16}];" "A variable in local memory, which is private to the thread."
        ".param" " .b32 ${1:param0};" "A parameter; in a body, a variable that passes a parameter to a call."
        ".loc" " ${1:1} ${2:1} ${3:0}" "The place in the source that the next instructions come from: file, line, column."
        ".callprototype" " _ ();" "The type of a function that is called through a register."
        ".calltargets" " ${1:function};" "The functions that a call through a register may reach."
        ".branchtargets" " ${1:label};" "The labels that an indexed branch may reach."
    }
    Head {
        ".maxntid" " ${1:128}" "The largest CTA that the kernel may be launched with, in up to three dimensions."
        ".reqntid" " ${1:128}" "The CTA size that the kernel must be launched with."
        ".minnctapersm" " ${1:2}" "How many CTAs should fit on one multiprocessor."
        ".maxnctapersm" " ${1:2}" "How many CTAs should fit on one multiprocessor; `.minnctapersm` replaces it."
        ".maxnreg" " ${1:64}" "The most registers that a thread may use."
        ".noreturn" "" "The function never returns."
        ".reqnctapercluster" " ${1:2}" "The cluster size that the kernel must be launched with."
        ".explicitcluster" "" "The kernel must be launched with a cluster size."
        ".maxclusterrank" " ${1:8}" "The most CTAs that a cluster may have."
        ".blocksareclusters" "" "The launch counts clusters instead of CTAs."
        ".abi_preserve" " ${1:8}" "How many registers a callee preserves."
        ".abi_preserve_control" " ${1:8}" "How many control registers a callee preserves."
    }
    Inside {
        ".align" "" "The alignment in bytes, a power of two."
        ".ptr" "" "The parameter is a pointer: its space and alignment may follow."
        ".attribute" "" "Attributes of a variable or a function."
        ".managed" "" "The variable is in managed memory, which the host can access too."
        ".unified" "" "The name has one address in the host and all devices."
        ".v2" "" "A vector of two elements."
        ".v4" "" "A vector of four elements."
    }
}

/// The directive of a word.
pub(crate) fn find(word: &str) -> Option<&'static DirectiveInfo> {
    DIRECTIVES.iter().find(|directive| directive.word == word)
}

/// The types of declarations with their meanings, the most frequent first.
pub(crate) static TYPES: &[(&str, &str)] = &[
    (".b32", "32 untyped bits"),
    (".b64", "64 untyped bits"),
    (".pred", "a predicate, true or false"),
    (".u32", "a 32-bit unsigned integer"),
    (".s32", "a 32-bit signed integer"),
    (".f32", "a 32-bit floating-point number (binary32)"),
    (".u64", "a 64-bit unsigned integer"),
    (".s64", "a 64-bit signed integer"),
    (".f64", "a 64-bit floating-point number (binary64)"),
    (".b16", "16 untyped bits"),
    (".b8", "8 untyped bits"),
    (".b128", "128 untyped bits"),
    (".u16", "a 16-bit unsigned integer"),
    (".s16", "a 16-bit signed integer"),
    (".u8", "an 8-bit unsigned integer"),
    (".s8", "an 8-bit signed integer"),
    (".f16", "a 16-bit floating-point number (binary16)"),
    (".f16x2", "two 16-bit floating-point numbers (binary16)"),
    (".texref", "a reference to a texture"),
    (".samplerref", "a reference to a sampler"),
    (".surfref", "a reference to a surface"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use syntax::{SourceFile, syntax_errors};

    /// The text of a snippet with its default values.
    fn plain(snippet: &str) -> String {
        let mut text = String::new();
        let mut rest = snippet;
        while let Some(at) = rest.find('$') {
            text += &rest[..at];
            rest = &rest[at + 1..];
            match rest.strip_prefix('{') {
                Some(body) => {
                    let (place, after) = body.split_once('}').unwrap();
                    text += place.split_once(':').unwrap().1;
                    rest = after;
                }
                None => rest = &rest[1..],
            }
        }
        text + rest
    }

    #[test]
    fn every_snippet_is_ptx() {
        for directive in DIRECTIVES.iter().filter(|directive| !directive.rest.is_empty()) {
            let written = directive.word.to_owned() + &plain(directive.rest);
            let text = match directive.place {
                DirectivePlace::Module | DirectivePlace::Both => written,
                DirectivePlace::Body
                    if directive.word.ends_with("targets") || directive.word.ends_with("prototype") =>
                {
                    format!(".entry k() {{ L: {written} }}")
                }
                DirectivePlace::Body => format!(".entry k() {{ {written}\n }}"),
                DirectivePlace::Head if directive.word.starts_with(".abi") => format!(".func k() {written} {{ }}"),
                DirectivePlace::Head => format!(".entry k() {written} {{ }}"),
                DirectivePlace::Inside => panic!("{} has no place of its own", directive.word),
            };
            assert_eq!(syntax_errors(&SourceFile::parse(&text)), [], "{text}");
        }
    }

    #[test]
    fn every_type_can_be_declared() {
        for (ty, _) in TYPES {
            assert_eq!(syntax_errors(&SourceFile::parse(&format!(".entry k() {{ .reg {ty} x; }}"))), [], "{ty}");
        }
    }
}
