//! Names of C++ and Rust as their authors wrote them, from the mangled names that compilers write into PTX and SASS.

use cpp_demangle::{DemangleOptions, ParseOptions};
use std::borrow::Cow;
use std::fmt::{Error, Result, Write};

/// The most bytes of a demangled name. A short mangled name can be the mangling of a very long one.
const LONGEST: usize = 2000;
/// The most characters of a short name; template arguments are left out of longer ones.
const SHORT: usize = 64;

/// A mangled name in readable form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DemangledName {
    /// The name with its parameters: `ns::scale<float>(float*, int)`.
    pub full: String,
    /// The name alone, without long template arguments: `ns::scale<float>`.
    pub short: String,
}

impl DemangledName {
    /// The parameters, after the name: `(float*, int)`; the whole name if the short one leaves something out.
    pub fn parameters(&self) -> &str {
        self.full.strip_prefix(&self.short).unwrap_or(&self.full)
    }
}

/// The demangled form of a name of the Itanium C++ ABI or of Rust, or of a parameter of such a function; `None` for other names.
pub fn demangle(name: &str) -> Option<DemangledName> {
    if !name.starts_with("_Z") && !name.starts_with("_R") {
        return None;
    }
    let (symbol, parameter) = split_parameter(name);
    // PTX has no dots in names, so LLVM replaces them.
    let symbol = symbol.replace("_$_", ".");
    let (full, short) = rust(&symbol).or_else(|| cpp(&symbol))?;
    let short = shorten(&short).into_owned() + parameter;
    Some(DemangledName { full: full + parameter, short })
}

/// The short demangled form of a name, or the name itself if it is not mangled. For messages.
pub fn readable(name: &str) -> Cow<'_, str> {
    demangle(name).map_or(Cow::Borrowed(name), |demangled| Cow::Owned(demangled.short))
}

/// Splits the suffix off that compilers append to a function's name to name its parameters: `_param_0`.
fn split_parameter(name: &str) -> (&str, &str) {
    let symbol = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let symbol = symbol.strip_suffix("_param_").filter(|_| symbol.len() < name.len()).unwrap_or(name);
    name.split_at(symbol.len())
}

fn rust(symbol: &str) -> Option<(String, String)> {
    let demangled = rustc_demangle::try_demangle(symbol).ok()?;
    // The older scheme of Rust uses nested names of C++, with a hash at the end.
    let hash = symbol.trim_end_matches('E').rsplit_once("17h").map(|(_, hash)| hash);
    let is_hash = |hash: &str| hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !symbol.starts_with("_R") && !hash.is_some_and(is_hash) {
        return None;
    }
    let mut text = BoundedText::default();
    write!(text, "{demangled:#}").ok()?;
    Some((text.0.clone(), text.0))
}

fn cpp(symbol: &str) -> Option<(String, String)> {
    let parsed = cpp_demangle::Symbol::new_with_options(symbol, &ParseOptions::default()).ok()?;
    let render = |options: DemangleOptions| {
        let mut text = BoundedText::default();
        parsed.structured_demangle(&mut text, &options.hide_expression_literal_types()).ok().map(|()| text.0)
    };
    let short = render(DemangleOptions::new().no_params().no_return_type())?;
    // What is too long with its parameters still has a name.
    let full = render(DemangleOptions::new().no_return_type()).unwrap_or_else(|| short.clone());
    Some((full, short))
}

/// A text of at most [`LONGEST`] bytes.
#[derive(Default)]
struct BoundedText(String);

impl Write for BoundedText {
    fn write_str(&mut self, text: &str) -> Result {
        if self.0.len() + text.len() > LONGEST {
            return Err(Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

/// A name without template arguments if it is long, and without its outer namespaces if it is still too long.
fn shorten(name: &str) -> Cow<'_, str> {
    if name.chars().count() <= SHORT {
        return Cow::Borrowed(name);
    }
    let plain = without_arguments(name);
    let count = plain.chars().count();
    if count <= SHORT {
        return Cow::Owned(plain);
    }
    let ends = plain.char_indices().map(|(at, _)| at);
    let from = ends.clone().nth(count - SHORT).unwrap_or_default();
    match plain[from..].find("::") {
        Some(inner) => Cow::Owned(format!("…{}", &plain[from + inner..])),
        None => Cow::Owned(format!("{}…", &plain[..ends.clone().nth(SHORT).unwrap_or(plain.len())])),
    }
}

/// A name with `<…>` and `(…)` for each list of template arguments or parameters. Operators such as `operator<` are kept.
fn without_arguments(name: &str) -> String {
    let mut text = String::new();
    let mut depth = 0_usize;
    let mut rest = name;
    while let Some(next) = rest.chars().next() {
        if depth == 0
            && let Some(operator) = operator(rest)
        {
            text.push_str(operator);
            rest = &rest[operator.len()..];
            continue;
        }
        rest = &rest[next.len_utf8()..];
        match next {
            '<' | '(' => {
                if depth == 0 {
                    text.push_str(if next == '<' { "<…>" } else { "(…)" });
                }
                depth += 1;
            }
            '>' | ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => text.push(next),
            _ => {}
        }
    }
    text
}

/// The operator at the start of a text whose name has brackets.
fn operator(text: &str) -> Option<&str> {
    const SYMBOLS: [&str; 11] = ["<<=", ">>=", "<=>", "<<", ">>", "<=", ">=", "->", "()", "<", ">"];
    let symbol = text.strip_prefix("operator")?;
    let found = SYMBOLS.into_iter().find(|word| symbol.starts_with(word))?;
    text.get(.."operator".len() + found.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(mangled: &str) -> (String, String) {
        let found = demangle(mangled).unwrap_or_else(|| panic!("{mangled}"));
        (found.short, found.full)
    }

    #[test]
    fn names_of_cpp_and_rust_are_demangled() {
        for (mangled, short, full) in [
            ("_Z4scanPii", "scan", "scan(int*, int)"),
            ("_Z4scanPii_param_1", "scan_param_1", "scan(int*, int)_param_1"),
            ("_ZN8counters4binsE", "counters::bins", "counters::bins"),
            ("_Z5scaleIfLi4EEvPT_", "scale<float, 4>", "scale<float, 4>(float*)"),
            ("_ZN6kernel3add17h0123456789abcdefE", "kernel::add", "kernel::add"),
            ("_RNvC6kernel3add", "kernel::add", "kernel::add"),
            ("_ZN3FooltERKS_", "Foo::operator<", "Foo::operator<(Foo const&)"),
        ] {
            assert_eq!(names(mangled), (short.to_owned(), full.to_owned()), "{mangled}");
        }
        assert_eq!(demangle("_Z5scaleIfLi4EEvPT_").unwrap().parameters(), "(float*)");
    }

    #[test]
    fn other_names_are_left_alone() {
        for name in
            ["", "kernel", "_Z", "_R", "_Zero", "_Reg", "_param_0", "_Z_param_0", "%r1", "_ZN4scan", "_Z4scan\u{e9}"]
        {
            assert_eq!(demangle(name), None, "{name}");
            assert_eq!(readable(name), name);
        }
    }

    #[test]
    fn long_names_have_no_template_arguments() {
        let long = "Averyveryveryverylongtypename".repeat(3);
        let mangled = format!("_ZN3gpu6kernelI{}{long}EEvPT_", long.len());
        assert_eq!(names(&mangled).0, "gpu::kernel<…>");
        assert!(names(&mangled).1.contains(&long));
        let nested = format!("_ZN{}{long}6kernelEv", long.len());
        assert_eq!(names(&nested).0, "…::kernel");
        let flat = names(&format!("_Z{}{long}v", long.len())).0;
        assert!(flat.starts_with("Avery") && flat.ends_with('…') && flat.chars().count() == SHORT + 1, "{flat}");
        assert_eq!(shorten(&format!("a<{long}>::operator<< <int>(b, {long})")), "a<…>::operator<< <…>(…)");
        assert_eq!(shorten(&format!("a<{long}>::operator()<int>")), "a<…>::operator()<…>");
    }

    #[test]
    fn names_that_expand_without_end_are_bounded() {
        // Each type has the one before it twice as arguments.
        let levels: String = (0..30).map(|level| format!("S_IS{0}_S{0}_E", base_36(level))).collect();
        let found = demangle(&format!("_Z1f1AIiiE{levels}")).unwrap();
        assert_eq!((&*found.short, &*found.full), ("f", "f"));
        let found = demangle(&format!("_Z1fI1AIiiE{levels}Evv"));
        assert_eq!(found, None);
        assert_eq!(demangle(&format!("_Z1f{}i", "P".repeat(100_000))), None);
    }

    /// The number of a substitution.
    fn base_36(number: u32) -> char {
        char::from_digit(number, 36).unwrap_or('0').to_ascii_uppercase()
    }

    #[test]
    fn random_names_do_not_panic() {
        let mut rng = fastrand::Rng::with_seed(14);
        let parts = [
            "_Z", "N", "E", "I", "S_", "S0_", "T_", "P", "K", "3foo", "i", "L", "Li4E", "U", "l", "v", "J", "D", "C1",
            "_R", "Nv", "B_", "17h", "$",
        ];
        for _ in 0..20_000 {
            let length = rng.usize(1..20);
            let name: String = (0..length).map(|_| parts[rng.usize(..parts.len())]).collect();
            let _ = demangle(&format!("_Z{name}"));
            let _ = demangle(&format!("_R{name}"));
        }
    }
}
