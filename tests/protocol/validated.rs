//! Every message of whole sessions is valid for an independent implementation of the protocol, with the capabilities
//! of real clients. `validated.py` checks it, with lsprotocol and pytest-lsp from `tests/.tools`.

use std::process::Command;

#[test]
fn every_message_is_of_the_protocol() {
    let python = support::root().join("tests/.tools/venv/bin/python");
    let script = support::root().join("tests/protocol/validated.py");
    let output = Command::new(&python).arg(script).arg(support::binary()).output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}: run tests/install", python.display()));
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(output.status.success(), "{said}");
    assert!(said.starts_with("8 clients, ") && said.contains(" 0 breaches"), "{said}");
}
