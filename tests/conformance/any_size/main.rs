//! `check --any-size` against runs: no launch has a data race of a kernel that is proved to have none.

mod generated;

use diagnostics::{Context, Snapshot};
use kernel::KernelModule;
use kernel::any_size::LaunchSizes;
use kernel::arguments::launch::{KernelLaunch, prepare};
use machine::run;
use program::{Dimensions, ProblemKind};
use std::num::NonZeroUsize;
use support::{Rng, pick};
use symbolic::any_size::{AnySizeResult, Atom, LaunchAssumption, NumberType, Polynomial, Terms};
use syntax::LintFile;

/// A launch, and where a thread is in it.
#[derive(Clone, Copy, Debug)]
struct LaunchedThread {
    grid: [u32; 3],
    block: [u32; 3],
    thread: [u32; 3],
    cta: [u32; 3],
    /// The numbers `n` and `m`, which lie behind two pointers.
    numbers: [u32; 2],
    iteration: i128,
}

/// The value of a number in a thread; `None` if it depends on memory.
fn value(terms: &Terms, number: &Polynomial, thread: &LaunchedThread) -> Option<i128> {
    let mut sum = 0;
    for (monomial, coefficient) in number.terms() {
        let mut product = coefficient;
        for atom in monomial {
            product *= atom_value(terms, terms.get(*atom), thread)?;
        }
        sum += product;
    }
    Some(sum)
}

fn atom_value(terms: &Terms, atom: &Atom, thread: &LaunchedThread) -> Option<i128> {
    let of = |number| value(terms, number, thread);
    Some(match atom {
        Atom::ThreadIndex(axis) => thread.thread[*axis].into(),
        Atom::BlockSize(axis) => thread.block[*axis].into(),
        Atom::CtaIndex(axis) => thread.cta[*axis].into(),
        Atom::GridSize(axis) => thread.grid[*axis].into(),
        Atom::Parameter(offset @ (16 | 20), 4) => thread.numbers[(*offset as usize - 16) / 4].into(),
        Atom::Iteration(..) => thread.iteration,
        Atom::Quotient(one, other) => of(one)?.div_euclid(of(other)?),
        Atom::Xor(one, other, _) => of(one)? ^ of(other)?,
        Atom::Minimum(one, other) => of(one)?.min(of(other)?),
        Atom::Maximum(one, other) => of(one)?.max(of(other)?),
        Atom::Typed(number, ty) => in_type(of(number)?, *ty),
        _ => return None,
    })
}

fn in_type(number: i128, ty: NumberType) -> i128 {
    let (least, _) = ty.interval();
    (number - least).rem_euclid(1 << ty.bits()) + least
}

/// Whether what a proof supposes certainly holds for a launch, but for accesses that are out of bounds.
fn holds(result: &AnySizeResult, launch: &LaunchedThread) -> bool {
    let threads = Dimensions(launch.block);
    let ctas = Dimensions(launch.grid);
    result.assumptions.iter().all(|assumption| match assumption {
        LaunchAssumption::BlockSize(axis, most) => launch.block[*axis] <= *most,
        LaunchAssumption::GridSize(axis) => launch.grid[*axis] == 1,
        LaunchAssumption::Distinct(..) | LaunchAssumption::InBounds(_) => true,
        LaunchAssumption::NoWrap(no_wrap) => {
            let (least, most) = no_wrap.ty.interval();
            let stays = |thread: u64, cta: u64, iteration: i128| {
                let (thread, cta) = (threads.position(thread), ctas.position(cta));
                let place = LaunchedThread { thread, cta, iteration, ..*launch };
                value(&result.terms, &no_wrap.number, &place).is_some_and(|value| value >= least && value <= most)
            };
            // Loops have at most nine iterations.
            (0..threads.count()).all(|thread| (0..ctas.count()).all(|cta| (0..10).all(|at| stays(thread, cta, at))))
        }
    })
}

fn random_launch(rng: &mut Rng, required: Option<Dimensions>) -> LaunchedThread {
    let number = |rng: &mut Rng| match rng.u32(..5) {
        0 => *pick(rng, &[0x8000_0000u32, 0x4000_0000, 0xffff_ffff, 0x7fff_ffff, 0x8000_0001, 0xffff_fff0]),
        1 => rng.u32(..4),
        _ => rng.u32(..70),
    };
    let block = match (required, rng.u32(..4)) {
        (Some(required), _) => required.0,
        (None, 0) => [rng.u32(1..9), rng.u32(1..5), 1],
        (None, _) => [*pick(rng, &[1, 2, 3, 5, 8, 31, 32, 33, 40, 64]), 1, 1],
    };
    let numbers = [number(rng), number(rng)];
    LaunchedThread { grid: [rng.u32(1..4), 1, 1], block, thread: [0; 3], cta: [0; 3], numbers, iteration: 0 }
}

/// What the kernels showed.
#[derive(Debug, Default)]
struct ComparedKernels {
    proved: usize,
    /// The launches of proved kernels for which all assumptions hold.
    launches: usize,
    /// The kernels that are not proved and have a race in one of the launches.
    racing: usize,
}

/// Compares the verdict of a kernel with runs.
fn compare(rng: &mut Rng, text: &str, compared: &mut ComparedKernels) {
    let snapshot = Snapshot::new(LintFile::parse(text), Default::default());
    let context = Context::new(&snapshot).module;
    let mut module = KernelModule::of(&snapshot.file, context);
    let proof =
        module.prove_any_size("k", &LaunchSizes::ALL).unwrap_or_else(|error| panic!("{}\n{text}", error.message));
    let is_proved = proof.unknown.is_empty();
    compared.proved += usize::from(is_proved);
    let kernel = module.lower_code("k").expect("a kernel");
    let mut has_race = false;
    for _ in 0..6 {
        let mut launch = random_launch(rng, kernel.bounds.block);
        if kernel.bounds.most_threads.is_some_and(|most| Dimensions(launch.block).count() > most) {
            launch.block = [8, 1, 1];
        }
        if is_proved && !holds(&proof.result, &launch) {
            continue;
        }
        let words = generated::BUFFER_WORDS;
        let arguments = [
            format!("a=u32[{words}]"),
            format!("b=u32[{words}]"),
            format!("n=u32={}", launch.numbers[0]),
            format!("m=u32={}", launch.numbers[1]),
        ];
        let wanted = KernelLaunch {
            kernel: "k".to_owned(),
            grid: Dimensions(launch.grid),
            block: Some(Dimensions(launch.block)),
            arguments: arguments.into(),
            seed: rng.u64(..),
            ..KernelLaunch::default()
        };
        let mut no_file = |path: &str, _| Err(format!("{path} is no argument of a test"));
        let prepared = prepare(&mut module, &wanted, 300_000, &mut no_file);
        let prepared = prepared.unwrap_or_else(|_| panic!("no launch of\n{text}"));
        let result = run(&prepared.kernel.program, &prepared.launch, prepared.memory.memory.clone(), NonZeroUsize::MIN)
            .expect("a run");
        let has = |wanted: fn(&ProblemKind) -> bool| result.problems.iter().any(|problem| wanted(&problem.kind));
        let races = has(|kind| matches!(kind, ProblemKind::DataRace { .. }));
        let is_in_bounds = !has(|kind| matches!(kind, ProblemKind::OutOfBounds { .. }));
        has_race |= races;
        if is_proved && is_in_bounds {
            compared.launches += 1;
            assert!(!races, "{launch:?} races: {:?}\n{:?}\n{text}", result.problems, proof.assumptions);
        }
    }
    compared.racing += usize::from(has_race && !is_proved);
}

#[test]
fn no_proved_kernel_races() {
    let kernels = if support::full() { 10_000 } else { 120 };
    let mut rng = Rng::with_seed(71);
    let mut compared = ComparedKernels::default();
    for _ in 0..kernels {
        let text = generated::kernel(&mut rng);
        compare(&mut rng, &text, &mut compared);
    }
    println!("{kernels} kernels: {compared:?}");
    assert!(compared.proved * 7 > kernels && compared.launches > kernels / 3, "{compared:?}");
    assert!(compared.racing * 10 > kernels, "{compared:?}");
}
