//! The functions and variables of a PTX module, before lowering.

use isa::types::Type;
use kernel::arguments::bounds::LaunchBounds;
use program::Dimensions;
use std::collections::BTreeMap;
use std::ops::Range;
use syntax::{Declaration, DeclarationKind, LintFile, WalkEvent};

/// A function of the source.
#[derive(Default)]
pub struct Body<'a> {
    pub name: String,
    pub code: Vec<syntax::Instruction<'a>>,
    /// The index of the instruction after each label.
    pub labels: BTreeMap<String, usize>,
    pub parameters: Vec<String>,
    pub widths: Widths,
    /// The CTAs of a cluster, if a directive says how many.
    pub cluster: Option<u64>,
}

/// The widths of the registers of a function, in bits.
#[derive(Clone, Debug, Default)]
pub struct Widths(Vec<(String, Option<u64>, u32)>);

impl Widths {
    fn declare(&mut self, declaration: &Declaration) {
        let ty = declaration.ty.text.trim_start_matches('.');
        let bits = if ty == "pred" { Some(1) } else { Type::parse(ty).map(Type::bits) };
        self.0.extend(bits.map(|bits| (declaration.name.text.to_string(), declaration.count, bits)));
    }

    /// The width of a register; 64 if it is not declared in the function.
    pub fn of(&self, name: &str) -> u32 {
        let is_it = |(known, count, _): &&(String, Option<u64>, u32)| match (name.strip_prefix(&**known), count) {
            (Some(rest), None) => rest.is_empty(),
            (Some(rest), Some(count)) => rest.parse::<u64>().is_ok_and(|number| number < *count),
            (None, _) => false,
        };
        self.0.iter().rev().find(is_it).map_or(64, |(.., bits)| *bits)
    }
}

/// A variable of the module.
pub struct ModuleVariable {
    /// Whether it is shared memory of a CTA.
    pub shared: bool,
    /// The size of its elements in bytes.
    pub bytes: u32,
    /// Where it is in shared memory, if it is there.
    pub window: Range<u64>,
}

/// The functions and the variables of a module.
pub fn read(file: &LintFile) -> (Vec<Body<'_>>, BTreeMap<String, ModuleVariable>) {
    let mut bodies: Vec<Body> = Vec::new();
    let mut symbols = BTreeMap::new();
    let mut depth = 0usize;
    let mut name = None;
    syntax::walk(file, |event| match event {
        WalkEvent::EnterFunction => {
            depth += 1;
            bodies.push(Body { name: name.take().unwrap_or_default(), ..Body::default() });
        }
        WalkEvent::EnterBlock => depth += 1,
        WalkEvent::Leave => depth = depth.saturating_sub(1),
        WalkEvent::Declare(declaration) => match (declaration.kind, bodies.last_mut().filter(|_| depth > 0)) {
            (DeclarationKind::Function, _) => name = Some(declaration.name.text.into_owned()),
            (DeclarationKind::Label, Some(body)) => {
                body.labels.insert(declaration.name.text.into_owned(), body.code.len());
            }
            (DeclarationKind::Register, Some(body)) => body.widths.declare(&declaration),
            (DeclarationKind::Variable, Some(body)) if declaration.space.text == ".param" => {
                body.parameters.push(declaration.name.text.into_owned());
            }
            (DeclarationKind::Variable, _) => {
                let bytes = Type::parse(declaration.ty.text.trim_start_matches('.')).map_or(4, |ty| ty.bits() / 8);
                let shared = declaration.space.text.starts_with(".shared");
                let lanes =
                    declaration.vector.text.strip_prefix(".v").and_then(|lanes| lanes.parse().ok()).unwrap_or(1);
                let elements = declaration.elements.unwrap_or(0);
                let window = 0..elements.saturating_mul(lanes).saturating_mul(bytes.into());
                symbols.insert(declaration.name.text.into_owned(), ModuleVariable { shared, bytes, window });
            }
            _ => {}
        },
        WalkEvent::Instruction(instruction) => {
            if let Some(body) = bodies.last_mut() {
                body.code.push(instruction);
            }
        }
    });
    let heads = file.module_items();
    for head in heads.iter().filter_map(|item| item.head()?.function()) {
        if let Some(body) = bodies.iter_mut().find(|body| body.name == head.name.text) {
            body.cluster = LaunchBounds::of(&head).cluster.map(Dimensions::count);
        }
    }
    (bodies, symbols)
}
