//! What a release consists of, made, checked and tried.

use std::path::Path;
use std::process::Command;

fn said(command: &mut Command) -> String {
    let output = command.output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{command:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

#[test]
fn a_release_has_an_archive_that_works_the_extension_and_true_checksums() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("release");
    let _ = std::fs::remove_dir_all(&folder);
    let make = |out: &Path| {
        let mut command = crate::vscode::node(".");
        said(command.arg(".ci/release").arg("--binary").arg(support::binary()).arg("--out").arg(out))
    };
    let made = make(&folder.join("one"));
    let files: Vec<_> = made.lines().map(Path::new).collect();
    let [archive, package, grammars, site, bill, _, sums] = files[..] else { panic!("seven files: {made}") };
    assert!(package.to_string_lossy().ends_with("-linux-x64.vsix") && package.exists());
    said(Command::new("sha256sum").arg("--check").arg(sums).current_dir(folder.join("one")));

    has_the_grammars(grammars, &folder);
    said(Command::new("tar").arg("-xzf").arg(site).arg("-C").arg(&folder));
    assert!(folder.join("site/docs/hidden-loop.html").is_file() && folder.join("site/docs/search.json").is_file());
    names_what_is_linked(bill);

    said(Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(&folder));
    let name = archive.file_name().expect("a name").to_string_lossy().replace(".tar.gz", "");
    let unpacked = folder.join(&name);
    for file in ["LICENSE-APACHE", "share/nvim/ptx-atomics/plugin/ptx-atomics.lua"] {
        assert!(unpacked.join(file).metadata().is_ok_and(|found| found.len() > 0), "{file}");
    }
    let readme = std::fs::read_to_string(unpacked.join("README.md")).expect("the README");
    let links = readme.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    let dead: Vec<_> = links.filter(|link| !link.contains("://") && !unpacked.join(link).exists()).collect();
    assert!(dead.is_empty(), "links of the archive's README that lead nowhere: {dead:?}");
    for language in ["ptx", "sass"] {
        let plugin = unpacked.join("share/nvim/ptx-atomics/queries").join(language).join("highlights.scm");
        let grammar = support::root().join("grammar").join(language).join("queries/highlights.scm");
        let bytes = |query: &Path| std::fs::read(query).expect("a query");
        assert_eq!(bytes(&plugin), bytes(&grammar), "the plugin's queries are the grammar's");
    }
    is_what_binstall_fetches(&archive.file_name().expect("a name").to_string_lossy(), &unpacked);
    let page = said(Command::new(unpacked.join("bin/ptx-atomics")).args(["explain", "atom.global.add.u32"]));
    assert!(page.contains("Operands"), "{page}");

    make(&folder.join("two"));
    let sums = |copy: &str| std::fs::read_to_string(folder.join(copy).join("SHA256SUMS")).expect("checksums");
    assert_eq!(sums("one"), sums("two"), "the same files, byte for byte, from the same command");
}

/// `cargo binstall` finds the archive and the program in it by the crate's metadata.
fn is_what_binstall_fetches(archive: &str, unpacked: &Path) {
    let mut metadata = Command::new("cargo");
    metadata.current_dir(support::root()).args(["metadata", "--no-deps", "--format-version", "1", "--offline"]);
    let metadata: serde_json::Value = serde_json::from_str(&said(&mut metadata)).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let program = packages.iter().find(|package| package["name"] == "ptx-atomics").expect("the program's crate");
    let (version, binstall) = (program["version"].as_str().expect("a version"), &program["metadata"]["binstall"]);
    let filled = |key: &str| {
        let mut text = binstall[key].as_str().expect("a template").to_owned();
        for (word, value) in [("name", "ptx-atomics"), ("bin", "ptx-atomics"), ("version", version), ("binary-ext", "")]
        {
            text = text.replace(&format!("{{ {word} }}"), value);
        }
        text
    };
    assert!(filled("pkg-url").ends_with(&format!("/{archive}")), "{} names no {archive}", filled("pkg-url"));
    let binary = unpacked.parent().expect("a folder").join(filled("bin-dir"));
    assert!(binary.is_file(), "{} is not in the archive", binary.display());
}

/// The npm package has what builds the parsers and the queries, and npm agrees on its files.
fn has_the_grammars(package: &Path, folder: &Path) {
    said(Command::new("tar").arg("-xzf").arg(package).arg("-C").arg(folder));
    for language in ["ptx", "sass"] {
        let source = folder.join("package").join(language).join("src");
        let library = folder.join(format!("{language}.so"));
        let mut files = vec![source.join("parser.c")];
        files.extend(Some(source.join("scanner.c")).filter(|scanner| scanner.exists()));
        said(Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg("-I").arg(&source).args(files));
        assert!(folder.join("package").join(language).join("queries/highlights.scm").is_file());
    }
    let manifest = std::fs::read_to_string(folder.join("package/package.json")).expect("a manifest");
    let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("JSON");
    assert_eq!(
        (&manifest["name"], &manifest["version"]),
        (&"tree-sitter-ptx".into(), &env!("CARGO_PKG_VERSION").into())
    );
}

/// The bill of materials lists crates that are linked, with checksums, and none that only tests use.
fn names_what_is_linked(bill: &Path) {
    let text = std::fs::read_to_string(bill).expect("a bill of materials");
    let bill: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let components = bill["components"].as_array().expect("components");
    let named = |name: &str| components.iter().find(|component| component["name"] == name);
    assert!(named("tree-sitter").is_some_and(|found| found["hashes"][0]["alg"] == "SHA-256"), "{text}");
    assert!(named("ptx-isa").is_some() && named("roxmltree").is_none() && named("cc").is_none());
}
