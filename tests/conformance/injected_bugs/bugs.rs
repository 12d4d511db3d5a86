//! A bug for each rule, to be injected at an atomic.
//!
//! Rules without one here: those on legality, on comments, and on `asm` statements, which have tests of their own; rules on loops are tested by `main.rs`.

use crate::module::{Atomic, InjectedBug, Module};
use support::{Rng, pick};

/// Injects a bug; `None` where it is not possible.
type Inject = fn(&Site, &mut Rng) -> Option<InjectedBug>;

/// A rule's code, and the bug that it has to find.
pub const BUGS: &[(&str, Inject)] = &[
    ("misaligned-offset", misaligned_offset),
    ("offset-outside", offset_outside),
    ("truncated-immediate", truncated_immediate),
    ("address-space", address_space),
    ("unused-result", unused_result),
    ("generic-red", generic_red),
    ("hidden-loop", hidden_loop),
    ("emulated-atomic", emulated_atomic),
    ("flushed-subnormals", flushed_subnormals),
    ("unordered-sum", flushed_subnormals),
    ("narrow-scope", narrow_scope),
    ("mixed-scopes", mixed_scopes),
    ("multimem-address", multimem_address),
    ("torn-access", torn_access),
    ("one-sided-order", one_sided_order),
    ("doubled-fence", doubled_fence),
    ("unguarded-store", unguarded_store),
    ("duplicate-lane", duplicate_lane),
    ("dead-atomic", dead_atomic),
    ("implicit-scope", implicit_scope),
    ("implicit-cta", implicit_cta),
    ("deprecated-membar", deprecated_membar),
    ("volatile-access", volatile_access),
    ("assembler-crash", assembler_crash),
    ("modifier-order", modifier_order),
];

/// The atomic at which a bug is injected.
pub struct Site<'a> {
    module: &'a Module,
    atomic: &'a Atomic,
    /// Index of the address operand.
    at: usize,
    ty: String,
    address: String,
    /// The address without its offset.
    base: String,
    global: bool,
    scalar: bool,
    ordered: Option<&'static str>,
}

impl<'a> Site<'a> {
    pub fn new(module: &'a Module, atomic: &'a Atomic) -> Option<Self> {
        let at = atomic.address();
        let address = atomic.operands[at].clone();
        Some(Site {
            module,
            atomic,
            at,
            ty: atomic.words.last()?.clone(),
            base: address.trim_matches(['[', ']']).split('+').next()?.to_owned(),
            address,
            global: atomic.has("global"),
            scalar: !atomic.has("v2") && !atomic.has("v4") && !atomic.has("v8"),
            ordered: ["acquire", "release", "acq_rel"].into_iter().find(|sem| atomic.has(sem)),
        })
    }

    fn insert(&self, lines: &[&str], bug_at: usize) -> Option<InjectedBug> {
        Some(self.module.before(self.atomic, lines, bug_at))
    }
}

fn misaligned_offset(site: &Site, rng: &mut Rng) -> Option<InjectedBug> {
    let module = site.module;
    let a = site.atomic;
    let at = site.at;
    let address = &site.address;
    let base = &site.base;
    let offset = 1 + rng.usize(..a.size().max(2) as usize - 1) as i64 + a.size() * rng.usize(..3) as i64;
    (a.size() > 1 && !address.contains('+'))
        .then(|| module.replace(a, &a.with(|a| a.operands[at] = format!("[{base}+{offset}]"))))
}

fn offset_outside(site: &Site, rng: &mut Rng) -> Option<InjectedBug> {
    let module = site.module;
    let a = site.atomic;
    let at = site.at;
    let global = site.global;
    let offset = *pick(rng, &[16, 32, -16, 1024]);
    global.then(|| module.replace(a, &a.with(|a| a.operands[at] = format!("[injected+{offset}]"))))
}

fn truncated_immediate(site: &Site, rng: &mut Rng) -> Option<InjectedBug> {
    let module = site.module;
    let a = site.atomic;
    let at = site.at;
    let ty = &site.ty;
    let scalar = site.scalar;
    let large = pick(rng, &["0x1ffffffff", "4294967296", "-3000000000", "0xffffffffff"]);
    let fits = scalar && ["u32", "s32", "b32"].contains(&ty.as_str());
    fits.then(|| module.replace(a, &a.with(|a| a.operands[at + 1] = (*large).to_owned())))
}

fn address_space(site: &Site, rng: &mut Rng) -> Option<InjectedBug> {
    let module = site.module;
    let a = site.atomic;
    let base = &site.base;
    let global = site.global;
    let before = module.function_before(a);
    let cvta = before.iter().rposition(|line| line.contains("cvta.to.global") && line.contains(&format!("{base},")))?;
    let line = a.function + cvta;
    let space = pick(rng, &["cvta.to.shared", "cvta.to.const", "cvta.to.local"]);
    let text = module.lines[line].replace("cvta.to.global", space);
    let mut bug = module.with(line, &[text], 0);
    bug.line += a.line - line;
    global.then_some(bug)
}

fn unused_result(site: &Site, _: &mut Rng) -> Option<InjectedBug> {
    let module = site.module;
    let a = site.atomic;
    let ty = &site.ty;
    let scalar = site.scalar;
    let register = match ty.as_str() {
        "f32" => "f32",
        "f64" => "f64",
        "u64" | "s64" | "b64" => "b64",
        "u32" | "s32" | "b32" | "f16x2" | "bf16x2" => "b32",
        _ => return None,
    };
    let by = a.with(|a| {
        a.words[0] = "atom".to_owned();
        a.operands.insert(0, "injected_r".to_owned());
    });
    (a.words[0] == "red" && scalar)
        .then(|| module.with(a.line, &[format!(".reg .{register} injected_r;"), by.text()], 1))
}

fn generic_red(site: &Site, _: &mut Rng) -> Option<InjectedBug> {
    let module = site.module;
    let a = site.atomic;
    let base = &site.base;
    let global = site.global;
    let known = module.function_before(a).iter().any(|line| line.contains(&format!("cvta.to.global.u64 \t{base},")));
    let by = a.with(|a| {
        a.words.retain(|word| word != "global");
        if a.words[0] == "atom" {
            a.words[0] = "red".to_owned();
            a.operands.remove(0);
        }
    });
    (global && known).then(|| module.replace(a, &by))
}

fn hidden_loop(site: &Site, _: &mut Rng) -> Option<InjectedBug> {
    let module = site.module;
    let address = &site.address;
    let global = site.global;
    let line = format!("red.global.add.noftz.f16 {address}, injected_h;");
    let known = module.target >= 70 && global;
    known.then(|| site.insert(&[".reg .b16 injected_h;", "mov.b16 injected_h, 0;", &line], 2)).flatten()
}

fn emulated_atomic(site: &Site, rng: &mut Rng) -> Option<InjectedBug> {
    let global = site.global;
    let line = pick(
        rng,
        &[
            "red.shared.add.f32 [injected_s], 0f3F800000;",
            "red.shared.add.u64 [injected_s], 1;",
            "red.shared.max.s64 [injected_s], 2;",
        ],
    );
    global.then(|| site.insert(&[line], 0)).flatten()
}

fn flushed_subnormals(site: &Site, _: &mut Rng) -> Option<InjectedBug> {
    let address = &site.address;
    let global = site.global;
    global
        .then(|| site.insert(&[".reg .f32 injected_f;", &format!("red.global.add.f32 {address}, injected_f;")], 1))
        .flatten()
}

fn narrow_scope(site: &Site, _: &mut Rng) -> Option<InjectedBug> {
    let module = site.module;
    let a = site.atomic;
    let global = site.global;
    let ordered = site.ordered;
    let known = module.target >= 60 && global;
    if known && !a.has("gpu") && !a.has("sys") && !a.has("cta") && module.is_parameter(a) {
        let place = 1 + usize::from(ordered.is_some() || a.has("relaxed"));
        return Some(module.replace(a, &a.with(|a| a.words.insert(place, "cta".to_owned()))));
    }
    known.then(|| site.insert(&["atom.cta.global.inc.u32 injected_r, [injected+4], 7;"], 0)).flatten().map(|mut bug| {
        bug.text = bug.text.replacen(
            "atom.cta.global.inc.u32 injected_r,",
            ".reg .b32 injected_r; atom.cta.global.inc.u32 injected_r,",
            1,
        );
        bug
    })
}

fn mixed_scopes(site: &Site, rng: &mut Rng) -> Option<InjectedBug> {
    let module = site.module;
    let a = site.atomic;
    let address = &site.address;
    let global = site.global;
    let sys = ["ld.relaxed.sys.global.u32 injected_r, ", "atom.sys.global.or.b32 injected_r, "];
    let other = format!("{}{address};", pick(rng, &sys[..1]));
    let own =
        a.words[0] == "atom" && a.size() == 4 && global && module.is_parameter(a) && !a.has("sys") && !a.has("cta");
    (own && module.target >= 70).then(|| site.insert(&[".reg .b32 injected_r;", &other], 2)).flatten()
}

fn multimem_address(site: &Site, _: &mut Rng) -> Option<InjectedBug> {
    let module = site.module;
    let base = &site.base;
    let global = site.global;
    let new = module.target >= 90
        && global
        && module.lines.iter().any(|line| line.starts_with(".version 8.") || line.starts_with(".version 9."));
    new.then(|| site.insert(&[&format!("multimem.red.relaxed.sys.global.add.u32 [{base}], 1;")], 1)).flatten()
}

fn torn_access(site: &Site, _: &mut Rng) -> Option<InjectedBug> {
    let module = site.module;
    let address = &site.address;
    let global = site.global;
    let lines = [".reg .b32 injected_r; .reg .pred injected_p;", "mov.b32 injected_r, 0;"];
    let add = format!("atom.global.add.noftz.f16x2 injected_r, {address}, injected_r;");
    let test = "setp.eq.s32 injected_p, injected_r, 0;";
    (module.target >= 60 && global).then(|| site.insert(&[lines[0], lines[1], &add, test], 2)).flatten()
}

fn one_sided_order(site: &Site, rng: &mut Rng) -> Option<InjectedBug> {
    let module = site.module;
    let a = site.atomic;
    let ordered = site.ordered;
    let bare = !["gpu", "sys", "cta", "cluster", "relaxed"].iter().any(|word| a.has(word)) && ordered.is_none();
    let sem = if a.words[0] == "red" { "release.gpu" } else { *pick(rng, &["acquire.gpu", "release.gpu"]) };
    let mut bug = module.replace(a, &a.with(|a| a.words.insert(1, "injected".to_owned())));
    for order in [".acq_rel", ".acquire", ".release"] {
        bug.text = bug.text.replace(order, ".relaxed");
    }
    bug.text = bug.text.replace("membar.", "// ").replace("fence.", "// ").replace(".injected", &format!(".{sem}"));
    (bare && module.target >= 70).then_some(bug)
}

fn doubled_fence(site: &Site, _: &mut Rng) -> Option<InjectedBug> {
    let module = site.module;
    let a = site.atomic;
    let ordered = site.ordered;
    let scope = ["cta", "gpu", "sys"].into_iter().find(|scope| a.has(scope))?;
    let fence = format!("fence.acq_rel.{scope};");
    match ordered? {
        "acquire" => Some(module.with(a.line, &[a.text(), fence], 1)),
        _ => site.insert(&[&fence], 0),
    }
}

fn unguarded_store(site: &Site, _: &mut Rng) -> Option<InjectedBug> {
    let module = site.module;
    let a = site.atomic;
    let address = &site.address;
    let shared = (a.has("shared") && !address.contains('%'))
        .then(|| site.insert(&[&format!("st.shared.u32 {address}, 0;")], 0))
        .flatten();
    let own = || site.insert(&["st.shared.u32 [injected_s], 0;", "red.shared.add.u32 [injected_s], 1;"], 0);
    (module.target < 70).then(|| shared.or_else(own)).flatten()
}

fn duplicate_lane(site: &Site, rng: &mut Rng) -> Option<InjectedBug> {
    let module = site.module;
    let a = site.atomic;
    let list = a.operands.first().filter(|first| a.words[0] == "atom" && first.starts_with('{'))?;
    let lanes: Vec<&str> = list.trim_matches(['{', '}']).split(',').map(str::trim).collect();
    let (from, to) = (rng.usize(..lanes.len() - 1), lanes.len() - 1);
    let mut doubled = lanes.clone();
    doubled[to] = lanes[from];
    Some(module.replace(a, &a.with(|a| a.operands[0] = format!("{{{}}}", doubled.join(", ")))))
}

fn dead_atomic(site: &Site, rng: &mut Rng) -> Option<InjectedBug> {
    match rng.usize(..3) {
        0 => site.insert(
            &[
                ".reg .pred injected_p;",
                "setp.ne.s32 injected_p, 1, 1;",
                "@injected_p red.global.add.u32 [injected], 1;",
            ],
            2,
        ),
        1 => site.insert(
            &[".reg .pred injected_p;", "mov.pred injected_p, 1;", "@!injected_p red.global.add.u32 [injected], 1;"],
            2,
        ),
        _ => site.insert(&["bra injected_l;", "red.global.add.u32 [injected], 1;", "injected_l:"], 1),
    }
}

fn implicit_scope(site: &Site, _: &mut Rng) -> Option<InjectedBug> {
    let module = site.module;
    let a = site.atomic;
    let bare = !["gpu", "sys", "cta", "cluster"].iter().any(|word| a.has(word));
    (bare && module.target >= 60).then(|| module.with(a.line, &[a.text()], 0))
}

fn implicit_cta(site: &Site, _: &mut Rng) -> Option<InjectedBug> {
    let module = site.module;
    (module.target >= 30).then(|| site.insert(&["red.shared.add.u32 [injected_s], 1;"], 0)).flatten()
}

fn deprecated_membar(site: &Site, rng: &mut Rng) -> Option<InjectedBug> {
    let module = site.module;
    let line = *pick(rng, &["membar.gl;", "membar.sys;", "membar.cta;"]);
    (module.target >= 70).then(|| site.insert(&[line], 0)).flatten()
}

fn volatile_access(site: &Site, _: &mut Rng) -> Option<InjectedBug> {
    let module = site.module;
    let address = &site.address;
    let global = site.global;
    let line = format!("ld.volatile.global.u32 injected_r, {address};");
    (module.target >= 70 && global).then(|| site.insert(&[".reg .b32 injected_r;", &line], 1)).flatten()
}

fn assembler_crash(site: &Site, _: &mut Rng) -> Option<InjectedBug> {
    let module = site.module;
    let address = &site.address;
    let global = site.global;
    let line = format!("atom.global.add.v2.f32 injected_v, {address}, injected_v;");
    (module.target >= 90 && global).then(|| site.insert(&[".reg .v2 .f32 injected_v;", &line], 1)).flatten()
}

fn modifier_order(site: &Site, _: &mut Rng) -> Option<InjectedBug> {
    let module = site.module;
    let a = site.atomic;
    let scalar = site.scalar;
    let last = a.words.len() - 1;
    (last > 2 && scalar).then(|| module.replace(a, &a.with(|a| a.words.swap(last, last - 1))))
}
