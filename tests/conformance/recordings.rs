//! The recordings agree with the installed assembler, with `tests/run --full`.

use std::process::Command;

/// The scripts, from the root of the repository.
const SCRIPTS: [&str; 10] = [
    "tests/evidence/syntax/record.py",
    "tests/evidence/operands/record.py",
    "tests/evidence/operands/values.py",
    "tests/evidence/constants/record.py",
    "tests/evidence/directives/record.py",
    "tests/evidence/lowering/record.py",
    "tests/evidence/lowering/modules.py",
    "tests/evidence/disassembly/record.py",
    "tests/fixtures/compiled/make.py",
    "tests/fixtures/reference/record.py",
];

#[test]
fn recordings_match_the_assembler() {
    if !support::full() {
        return;
    }
    let ptxas = support::ptxas().expect("tests/install puts the assembler into tests/.tools/bin");
    for script in SCRIPTS {
        let mut command = Command::new("python3");
        command.arg(support::root().join(script)).arg("--check").env("PTX_ATOMICS_PTXAS", &ptxas);
        let out = command.output().expect("python3 starts");
        let output = [out.stdout, out.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        assert!(out.status.success(), "{script}: what is recorded is not what the assembler says now:\n{output}");
    }
}
