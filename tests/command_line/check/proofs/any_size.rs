//! `check --any-size`: kernels without a race in any launch, and what that supposes.

use crate::run;
use serde_json::Value;

const KERNELS: &str = "tests/fixtures/any_size/kernels.ptx";

fn proofs(options: &[&str]) -> Vec<Value> {
    let output = run(&[&["check", KERNELS, "--any-size", "--format", "json"], options].concat());
    output.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn conditions(proof: &Value) -> Vec<&str> {
    let assumptions = proof["assumptions"].as_array().expect("assumptions");
    assumptions.iter().map(|one| one["condition"].as_str().expect("a condition")).collect()
}

/// Kernels without a race are proved, and no other one.
#[test]
fn right_kernels_are_proved() {
    let proofs = proofs(&[]);
    assert_eq!(proofs.len(), 17);
    for proof in proofs {
        let is_wrong = proof["kernel"].as_str().expect("a name").ends_with("_wrong");
        assert_eq!(proof["verdict"], if is_wrong { "unknown" } else { "proved" }, "{proof}");
        assert_eq!(proof["unknown"].as_array().map(Vec::is_empty), Some(!is_wrong), "{proof}");
    }
}

/// Wrap-around, dimensions and tiles are said.
#[test]
fn assumptions_are_printed() {
    let of = |kernel: &str| proofs(&["--kernel", kernel]).remove(0);
    let (scale, transpose) = (of("scale"), of("transpose"));
    let scale = conditions(&scale);
    assert!(scale.contains(&"%ctaid.x * %ntid.x + %tid.x <= 2147483647"), "{scale:?}");
    assert!(scale.contains(&"%ntid.y = 1") && scale.contains(&"%nctaid.z = 1"), "{scale:?}");
    assert!(scale.contains(&"accesses to `scale_param_2` do not overlap those to `scale_param_3`"), "{scale:?}");
    let transpose = conditions(&transpose);
    assert!(transpose.contains(&"%ntid.x <= 32") && transpose.contains(&"%ntid.y <= 32"), "{transpose:?}");
}

/// What the user supposes need not be supposed again.
#[test]
fn given_sizes_replace_assumptions() {
    let given = ["--kernel", "scale", "--assume", "%nctaid.x <= 1000", "--assume", "%ntid.y = 1"];
    let proof = proofs(&given).remove(0);
    let conditions = conditions(&proof);
    assert!(conditions.iter().all(|condition| !condition.contains("2147483647")), "{conditions:?}");
    assert!(!conditions.contains(&"%ntid.y = 1"), "{conditions:?}");
    let bad = run(&["check", KERNELS, "--any-size", "--kernel", "scale", "--assume", "%tid.x <= 3"]);
    assert_eq!(bad.code, 2);
    assert!(bad.stderr.contains("write a size or a parameter"), "{}", bad.stderr);
    let none = run(&["check", KERNELS, "--any-size", "--kernel", "scale", "--assume", "%ntid.x <= 0"]);
    assert!(none.code == 2 && none.stderr.contains("no launch is left"), "{}", none.stderr);
}

/// The text names the two accesses, and the exit codes are those of `check`.
#[test]
fn text_and_exit_codes() {
    let proved = run(&["check", KERNELS, "--any-size", "--kernel", "sum"]);
    assert_eq!(proved.code, 0);
    assert!(proved.stdout.starts_with("proved: no launch of `sum` has a data race\n"), "{}", proved.stdout);
    let unknown = run(&["check", KERNELS, "--any-size", "--kernel", "sum_wrong"]);
    assert_eq!(unknown.code, 3);
    let message = "access may overlap that of another thread of the block (line ";
    assert!(unknown.stdout.contains(message), "{}", unknown.stdout);
    let divergent = run(&["check", KERNELS, "--any-size", "--kernel", "divergent_wrong"]);
    assert!(divergent.stdout.contains("barrier may not be reached by all threads"), "{}", divergent.stdout);
}
