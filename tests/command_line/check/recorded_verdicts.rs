//! Kernels of `tests/evidence/verification`: `check` has the recorded verdicts.

/// Compares the verdicts of the kernels of a script with its table.
fn assert_recorded(script: &str) {
    let script = support::root().join("tests/evidence/verification").join(script);
    let mut command = std::process::Command::new("python3");
    let run =
        command.arg(script).arg("--check").env("PTX_ATOMICS", support::binary()).output().expect("python3 starts");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}

#[test]
fn synchronisation_of_libraries_has_the_recorded_verdicts() {
    assert_recorded("synchronisation.py");
}

#[test]
fn kernels_after_public_threads_are_refuted_before_and_proved_after_their_fix() {
    assert_recorded("threads.py");
}

#[test]
fn pipelines_need_each_of_their_fences_waits_and_arrivals() {
    assert_recorded("pipelines.py");
}

#[test]
fn kernels_with_tensor_memory_need_each_of_their_fences_waits_and_commits() {
    assert_recorded("tensor_memory.py");
}

#[test]
fn kernels_with_the_wrappers_of_ptx_are_refuted_with_each_mistake() {
    assert_recorded("ptx_wrappers.py");
}

#[test]
fn right_kernels_are_proved_and_wrong_ones_refuted() {
    assert_recorded("twins.py");
}
