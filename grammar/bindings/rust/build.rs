//! Compiles the generated parsers. It needs a C compiler and nothing else.

fn main() {
    let (ptx, sass) = (std::path::Path::new("ptx/src"), std::path::Path::new("sass/src"));
    compile("tree-sitter-ptx", ptx, &["parser.c", "scanner.c"]);
    compile("tree-sitter-sass", sass, &["parser.c"]);
}

fn compile(library: &str, source: &std::path::Path, files: &[&str]) {
    cc::Build::new()
        .std("c11")
        .include(source)
        .files(files.iter().map(|file| source.join(file)))
        .opt_level(3)
        .warnings(false)
        .compile(library);
    println!("cargo:rerun-if-changed={}", source.display());
}
