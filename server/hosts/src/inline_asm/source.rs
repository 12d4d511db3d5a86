//! Recognises source code in the text of a literal.

/// What the text of a literal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LiteralSourceCode {
    /// CUDA C++ with `asm` statements.
    Cuda,
    /// A PTX module.
    Ptx,
}

impl LiteralSourceCode {
    /// What a text is; `None` if it is something else, or not certainly complete source.
    pub fn of(text: &str) -> Option<Self> {
        let code = if is_module(text) {
            LiteralSourceCode::Ptx
        } else if text.contains("asm") && (text.contains("__global__") || text.contains("__device__")) {
            LiteralSourceCode::Cuda
        } else {
            return None;
        };
        (!is_template(text, code)).then_some(code)
    }
}

/// Whether a text is one from which a source is made: `{{`, `{0}` and `${name}` are replaced, and `%s` in a module, which prints nothing.
fn is_template(text: &str, code: LiteralSourceCode) -> bool {
    let is_conversion = |(at, _)| {
        let mut rest = text[at + 1..].chars();
        rest.next().is_some_and(|c| "sdiu".contains(c))
            && !rest.next().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    ["{{", "${", "{%"].iter().any(|part| text.contains(part))
        || (0..10).any(|n| text.contains(&format!("{{{n}}}")))
        || code == LiteralSourceCode::Ptx && text.match_indices('%').any(is_conversion)
}

/// Whether a text begins with `.version`, has a `.target`, and is not the first part of a module.
fn is_module(text: &str) -> bool {
    let mut rest = text.trim_start();
    loop {
        let comment = if rest.starts_with("//") {
            rest.find('\n')
        } else if rest.starts_with("/*") {
            rest.find("*/").map(|end| end + 2)
        } else {
            break;
        };
        let Some(end) = comment else { return false };
        rest = rest[end..].trim_start();
    }
    let version = rest.strip_prefix(".version").map(str::trim_start);
    let is_balanced = || rest.matches('{').count() == rest.matches('}').count();
    version.is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()) && version.contains(".target"))
        && is_balanced()
}
