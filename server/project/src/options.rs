//! The options of a compiler in a compilation database: which targets they name, and which of them a compilation of one source may have.

use crate::includes::normalize;
use std::path::Path;

/// Options of which a value follows, as a part of the word or as the next one.
const WITH_VALUE: [&str; 5] = ["-I", "-isystem", "-D", "-U", "-std"];

/// Options without a value.
const ALONE: [&str; 8] = [
    "--expt-relaxed-constexpr",
    "--expt-extended-lambda",
    "-expt-relaxed-constexpr",
    "-expt-extended-lambda",
    "--extended-lambda",
    "-extended-lambda",
    "--use_fast_math",
    "-use_fast_math",
];

/// The options of a command, run in a folder, that a compilation may have; of several targets the last one.
pub fn allowed(words: &[String], folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut words_left = words.iter().map(String::as_str).peekable();
    while let Some(word) = words_left.next() {
        if ALONE.contains(&word) {
            found.push(word.to_owned());
            continue;
        }
        let Some(option) = WITH_VALUE.iter().rev().find(|option| word.starts_with(**option)) else { continue };
        let own = word[option.len()..].trim_start_matches('=');
        let value = if own.is_empty() { words_left.next().unwrap_or_default() } else { own };
        if !value.chars().all(is_plain) || value.is_empty() || value.starts_with(['-', '@']) {
            continue;
        }
        match *option {
            "-I" | "-isystem" => {
                let path = normalize(&folder.join(value));
                // The folder of the command can have other characters.
                let path = path.to_str().filter(|path| path.chars().all(is_plain));
                found.extend(path.map(|path| format!("-I{path}")));
            }
            "-std" => found.push(format!("-std={value}")),
            _ => found.push(format!("{option}{value}")),
        }
    }
    let target = targets(words).into_iter().rfind(|name| name.starts_with("sm_") && name.chars().all(is_plain));
    found.extend(target.map(|target| format!("-arch={target}")));
    found
}

/// Whether a character means itself to every shell: compilers start their parts by one.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_-+=./,:@".contains(c)
}

/// Compiler options that name targets. The value follows after `=` or as the next argument.
const OPTIONS: [&str; 6] =
    ["-arch", "--gpu-architecture", "-gencode", "--generate-code", "--cuda-gpu-arch", "--offload-arch"];

/// The targets of a command, in order.
pub fn targets(words: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let (option, value) =
            word.split_once('=').map_or((word.as_str(), None), |(option, value)| (option, Some(value)));
        if !OPTIONS.contains(&option) {
            continue;
        }
        let next = if value.is_none() { words.peek().map(|word| word.as_str()) } else { None };
        let Some(value) = value.or(next) else { continue };
        // Of `arch=compute_90,code=[sm_90,compute_90]`, the virtual architecture determines which PTX is valid.
        let names = match value.split_once("arch=") {
            Some((_, rest)) => rest.split(',').next().unwrap_or_default(),
            None => value,
        };
        found.extend(names.split(',').map(|name| name.replace("compute_", "sm_")));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_harmless_options_are_allowed() {
        let allowed = |words: &str| {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            allowed(&words, Path::new("/b")).join(" ")
        };
        assert_eq!(
            allowed(
                "nvcc -Iinc -isystem ../d -D N=4 -DM -UX -std=c++20 --expt-relaxed-constexpr -arch=sm_90 -c a.cu -o a.o"
            ),
            "-I/b/inc -I/d -DN=4 -DM -UX -std=c++20 --expt-relaxed-constexpr -arch=sm_90"
        );
        assert_eq!(
            allowed("nvcc -gencode arch=compute_80,code=sm_80 -gencode=arch=compute_90a,code=sm_90a"),
            "-arch=sm_90a"
        );
        for word in [
            "-ccbin ./evil",
            "--compiler-bindir=./evil",
            "@options",
            "-optf options",
            "--options-file=options",
            "-Xcompiler -fplugin=./evil.so",
            "-fplugin=./evil.so",
            "-include ./evil.h",
            "-D$(evil)",
            "-DN=`evil`",
            "-I ;evil",
            "-I -ccbin",
            "-I @options",
            "-std=c++20\"evil",
            "-arch=sm_90;evil",
            "--run",
            "-keep-dir=/",
            "-o /etc/passwd",
        ] {
            assert_eq!(allowed(&format!("nvcc {word} a.cu")), "", "{word}");
        }
    }
}
