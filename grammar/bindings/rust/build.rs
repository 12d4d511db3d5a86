//! Compiles the generated parser. It needs a C compiler and nothing else.

fn main() {
    let source = std::path::Path::new("ptx/src");
    cc::Build::new()
        .std("c11")
        .include(source)
        .file(source.join("parser.c"))
        .file(source.join("scanner.c"))
        .opt_level(3)
        .warnings(false)
        .compile("tree-sitter-ptx");
    println!("cargo:rerun-if-changed=ptx/src");
}
