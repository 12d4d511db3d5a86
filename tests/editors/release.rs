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
    let [archive, package, sums] = files[..] else { panic!("three files: {made}") };
    assert!(package.to_string_lossy().ends_with("-linux-x64.vsix") && package.exists());
    said(Command::new("sha256sum").arg("--check").arg(sums).current_dir(folder.join("one")));

    said(Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(&folder));
    let name = archive.file_name().expect("a name").to_string_lossy().replace(".tar.gz", "");
    let unpacked = folder.join(&name);
    for file in [
        "LICENSE-APACHE",
        "share/man/man1/ptx-atomics.1",
        "share/completions/ptx-atomics.bash",
        "share/nvim/ptx-atomics/plugin/ptx-atomics.lua",
    ] {
        assert!(unpacked.join(file).metadata().is_ok_and(|found| found.len() > 0), "{file}");
    }
    for language in ["ptx", "sass"] {
        let plugin = unpacked.join("share/nvim/ptx-atomics/queries").join(language).join("highlights.scm");
        let grammar = support::root().join("grammar").join(language).join("queries/highlights.scm");
        let bytes = |query: &Path| std::fs::read(query).expect("a query");
        assert_eq!(bytes(&plugin), bytes(&grammar), "the plugin's queries are the grammar's");
    }
    let page = said(Command::new(unpacked.join("bin/ptx-atomics")).args(["explain", "atom.global.add.u32"]));
    assert!(page.contains("Operands"), "{page}");

    make(&folder.join("two"));
    let bytes = |copy: &str| std::fs::read(folder.join(copy).join(format!("{name}.tar.gz"))).expect("an archive");
    assert!(bytes("one") == bytes("two"), "the same archive, byte for byte, from the same command");
}
