//! How the instructions of a command grow with its input, counted by valgrind: ten times as much of a shape takes at most fifteen times as many.
//!
//! `growth.json` has the shapes: a head, a unit that is repeated (`{i}` is its number, `{j}` the next one), what follows, and how often it is repeated at first.
//! The test takes those that once grew with the square; `PTX_ATOMICS_FULL=1` takes all of them, and `PTX_ATOMICS_SHAPE` those whose names contain a text.

use crate::scratch;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;

/// How many times as many instructions ten times as much may take.
const MAX_GROWTH: f64 = 15.0;

/// The shapes that are measured in each run: they took time that grew with the square of their length, one of each cause.
const ALWAYS: [&str; 18] = [
    "stray colon",
    "stray pairs",
    "run comments",
    "checked expectations",
    "unknown kernels",
    "wrong expectations",
    "barriers and shared arrays",
    "calls in Python",
    "comments in Python",
    "litmus comments",
    "stray block comment",
    "stray block comment in a kernel",
    "open comments",
    "kernels beside",
    "argument values",
    "launches and variables",
    "indents",
    "compared other instructions",
];

/// The text of a shape that repeats its unit so often.
fn text(shape: &Value, unit: &str, count: usize) -> String {
    let part = |key: &str| shape[key].as_str().unwrap_or_default();
    let repeated: String =
        (0..count).map(|at| unit.replace("{i}", &at.to_string()).replace("{j}", &(at + 1).to_string())).collect();
    let closed = part("close").repeat(count);
    format!("{}{repeated}{}{closed}{}", part("head"), part("middle"), part("tail"))
}

/// The instructions that the command of a shape takes, by valgrind; the error is what valgrind said where it gave no count, as where it was killed.
fn instructions(folder: &Path, shape: &Value, count: usize) -> Result<f64, String> {
    let part = |key: &str| shape[key].as_str().unwrap_or_default();
    let names = ["a", "b"].map(|name| format!("{name}.{}", part("extension")));
    fs::write(folder.join(&names[0]), text(shape, part("unit"), count)).unwrap();
    let arguments = match part("command") {
        "lint" => vec!["lint", "-q", "-j1", &names[0]],
        "fmt" => vec!["fmt", "--check", &names[0]],
        "run" => vec!["run", &names[0], "--arg", "p=u32[4096]"],
        _ => {
            fs::write(folder.join(&names[1]), text(shape, part("other"), count)).unwrap();
            vec!["diff", &names[0], &names[1]]
        }
    };
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]);
    // Threads that wait for each other count instructions, too.
    valgrind.env("RAYON_NUM_THREADS", "1");
    valgrind.arg(support::binary()).args(arguments).current_dir(folder).stdout(Stdio::null());
    let output = valgrind.output().expect("valgrind runs");
    let report = String::from_utf8_lossy(&output.stderr);
    let counted = report.lines().find_map(|line| line.split_once("I   refs:"));
    let Some((_, counted)) = counted else {
        return Err(format!("{} ({}): {}: {report}", part("name"), part("extension"), output.status));
    };
    Ok(counted.trim().replace(',', "").parse().expect("a number"))
}

/// How many times as many instructions ten times as much of a shape takes, and how many these are. What grows too fast is counted again, and the smaller
/// number counts: a thread that waits executes instructions, too, and more of them on a busy machine.
fn growth(folder: &Path, shape: &Value, count: usize) -> Result<(f64, f64), String> {
    let counted = || {
        let (few, many) = (instructions(folder, shape, count)?, instructions(folder, shape, 10 * count)?);
        Ok::<_, String>((many / few, many))
    };
    let first = counted()?;
    if first.0 <= MAX_GROWTH {
        return Ok(first);
    }
    let second = counted()?;
    Ok(if second.0 < first.0 { second } else { first })
}

/// The shapes that grow too fast, with how fast.
fn too_fast(shapes: Vec<&Value>) -> Vec<String> {
    let (left, found) = (Mutex::new(shapes), Mutex::new(Vec::new()));
    let lists = std::env::var_os("PTX_ATOMICS_LIST").is_some();
    thread::scope(|scope| {
        for worker in 0..thread::available_parallelism().map_or(1, usize::from) {
            let (left, found) = (&left, &found);
            scope.spawn(move || {
                let folder = scratch(&format!("growth-{worker}"));
                while let Some(shape) = { left.lock().unwrap().pop() } {
                    let count = shape["n"].as_u64().expect("a number") as usize;
                    let (growth, second) = match growth(&folder, shape, count) {
                        Ok(counted) => counted,
                        Err(problem) => {
                            println!("not counted: {problem}");
                            continue;
                        }
                    };
                    let line = format!("{} ({}): {growth:.1} times, {second:.2e}", shape["name"], shape["extension"]);
                    if lists {
                        println!("{line}");
                    }
                    if growth > MAX_GROWTH {
                        found.lock().unwrap().push(line);
                    }
                }
            });
        }
    });
    found.into_inner().unwrap()
}

#[test]
fn ten_times_as_much_takes_at_most_fifteen_times_as_many_instructions() {
    let is_full = support::full();
    if !is_full && Command::new("valgrind").arg("--version").output().is_err() {
        println!("valgrind is not installed: nothing is counted");
        return;
    }
    let all: Vec<Value> = serde_json::from_str(include_str!("growth.json")).expect("JSON");
    let name = |shape: &Value| shape["name"].as_str().unwrap_or_default().to_owned();
    for known in ALWAYS {
        assert!(all.iter().any(|shape| name(shape) == known), "no shape `{known}`");
    }
    let wanted = std::env::var("PTX_ATOMICS_SHAPE").ok();
    let chosen = all.iter().filter(|shape| match &wanted {
        Some(part) => name(shape).contains(part.as_str()),
        None => is_full || ALWAYS.contains(&&*name(shape)),
    });
    let slow = too_fast(chosen.collect());
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}
