//! The Python module beside the binary: its own tests, with the program under test, from the source and as an installed wheel.

use std::process::Command;

#[test]
fn the_module_and_the_plugin_of_pytest() {
    let root = support::root();
    let python = root.join("tests/.tools/venv/bin/python");
    assert!(python.is_file(), "tests/install makes the environment");
    let output = Command::new(python)
        .args([
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-o",
            "tmp_path_retention_policy=failed",
            "tests/python",
        ])
        .current_dir(&root)
        .env("PTX_ATOMICS", support::binary())
        .env("PYTHONPATH", root.join("server/python"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("Python starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
}
