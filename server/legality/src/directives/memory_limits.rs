//! Limits of static memory, which the assembler checks when it generates code: shared memory of a kernel, constant memory of a module.

use diagnostics::registry::INVALID_DECLARATION;
use diagnostics::{Context, Diagnostic};
use foldhash::{HashMap, HashSet};
use isa::target::{MAX_CONSTANT, Target};
use std::ops::Range;
use syntax::{
    DeclarationKind, Declarator, DeclaredType, FunctionBody, FunctionHead, Item, LintFile, Operand, Token,
    VariableHead, WalkEvent, alignment, type_bits,
};

/// The word of a declaration, which white space follows, unlike a modifier.
const SHARED_DECLARATIONS: [&str; 3] = [".shared ", ".shared\t", ".shared\n"];

/// The spaces that have limits.
const SPACES: [&str; 2] = [".shared", ".const"];

/// Bytes and their alignment.
#[derive(Clone, Copy)]
struct StaticBytes {
    bytes: u64,
    alignment: u64,
}

/// The end of a variable after others that end at a byte.
fn end_after(end: u64, storage: StaticBytes) -> u64 {
    end.checked_next_multiple_of(storage.alignment.max(1)).map_or(u64::MAX, |start| start.saturating_add(storage.bytes))
}

/// Checks constant memory, and the shared memory of each kernel.
pub(super) fn check(file: &LintFile, items: &[Item], context: &Context, diagnostics: &mut Vec<Diagnostic>) {
    let mut shared: Vec<(String, StaticBytes)> = Vec::new();
    let (mut constant, mut names) = (0, HashSet::default());
    // The tokens of a head include the initial values, which may be long.
    let may_count = |item: &&Item| !item.is_function() && SPACES.iter().any(|space| file.holds(item.range(), space));
    for item in items.iter().filter(may_count) {
        let Some(variable) = item.head().and_then(|head| head.variable()) else { continue };
        // Measured: in a module to be linked, what is `.extern` is no memory of its own.
        if variable.linkage.text == ".extern" {
            continue;
        }
        for declarator in &variable.declarators {
            let Some(storage) = storage(&variable.storage, declarator) else { continue };
            match &*variable.storage.space.text {
                ".shared" => shared.push((declarator.name.text.to_string(), storage)),
                ".const" if names.insert(declarator.name.text.to_string()) => {
                    let end = end_after(constant, storage);
                    if constant <= MAX_CONSTANT && end > MAX_CONSTANT {
                        diagnostics.push(too_much_constant(&variable, declarator, end));
                    }
                    constant = end;
                }
                _ => {}
            }
        }
    }
    if let Some(target) = context.module.target {
        check_shared(file, items, (&shared, target), diagnostics);
    }
}

/// The bytes of a variable; `None` if its type or its number of elements has none.
fn storage(declared: &DeclaredType, declarator: &Declarator) -> Option<StaticBytes> {
    let element = u64::from(type_bits(&declared.ty.text)? / 8).saturating_mul(declared.lanes().unwrap_or(1));
    let bytes = declarator.dimensions.iter().fold(element, |bytes, count| bytes.saturating_mul(*count));
    Some(StaticBytes { bytes, alignment: declared.alignment() })
}

fn too_much_constant(variable: &VariableHead, declarator: &Declarator, end: u64) -> Diagnostic {
    let message =
        format!("`.const` variables up to `{}` have {end} bytes, more than {MAX_CONSTANT}", declarator.name.text);
    Diagnostic::new(&INVALID_DECLARATION, declarator.name.range.clone(), message)
        .help("declare large variables in `.global`")
        .related(variable.storage.space.range.clone(), "constant memory is shared by all kernels of a module")
}

/// What a function takes of shared memory, and what it names.
#[derive(Default)]
struct FunctionUse {
    own: Vec<StaticBytes>,
    /// Names of its text that are shared variables of the module.
    variables: HashSet<String>,
    callees: Vec<String>,
}

/// Checks the shared memory of kernels, if the module has more than one of them may.
fn check_shared(
    file: &LintFile,
    items: &[Item],
    (variables, target): (&[(String, StaticBytes)], Target),
    diagnostics: &mut Vec<Diagnostic>,
) {
    let limit = target.max_static_shared();
    let of_module = variables.iter().fold(0, |end, (_, storage)| end_after(end, *storage));
    let whole = 0..file.text().len_bytes();
    let declares = |range: &Range<usize>| SHARED_DECLARATIONS.iter().any(|begin| file.holds(range.clone(), begin));
    if !declares(&whole) {
        return;
    }
    let functions = items.iter().filter(|item| item.is_function() && declares(&item.range()));
    let in_functions = functions.flat_map(own_variables).fold(0, end_after);
    if of_module.saturating_add(in_functions) <= limit {
        return;
    }
    let known: HashSet<&str> = variables.iter().map(|(name, _)| &**name).collect();
    let mut uses: HashMap<String, FunctionUse> = HashMap::default();
    let mut kernels = Vec::new();
    for item in items.iter().filter(|item| item.is_function()) {
        let Some(head) = item.head().and_then(|head| head.function()).filter(is_defined) else { continue };
        uses.insert(head.name.text.to_string(), function_use(file, item, &known));
        kernels.extend((head.kind.text == ".entry").then_some(head.name));
    }
    for kernel in &kernels {
        let bytes = shared_of(&kernel.text, &uses, variables);
        if bytes > limit {
            let message =
                format!("static shared memory of kernel `{}` has {bytes} bytes, more than {limit}", kernel.text);
            diagnostics.push(
                Diagnostic::new(&INVALID_DECLARATION, kernel.range.clone(), message)
                    .help("use dynamic shared memory, as in `.extern .shared .b8 buffer[];`"),
            );
        }
    }
}

fn is_defined(function: &FunctionHead) -> bool {
    function.body == FunctionBody::Defined
}

/// The shared variables that a function declares.
fn own_variables(item: &Item) -> Vec<StaticBytes> {
    let mut own = Vec::new();
    item.walk(|event| {
        if let WalkEvent::Declare(declared) = event
            && declared.kind == DeclarationKind::Variable
            && declared.space.text == ".shared"
            && let Some(bytes) = declared.bytes()
        {
            let alignment = alignment(declared.alignment, declared.element_bytes().unwrap_or(1));
            own.push(StaticBytes { bytes, alignment });
        }
    });
    own
}

/// Measured: a variable counts wherever it is named, and a function wherever it is called.
fn function_use(file: &LintFile, item: &Item, known: &HashSet<&str>) -> FunctionUse {
    let mut found = FunctionUse { own: own_variables(item), ..FunctionUse::default() };
    let range = item.range();
    let tokens = Operand::new(Token { text: file.slice(&range).into(), range }).tokens();
    found.variables =
        tokens.iter().filter(|token| known.contains(&*token.text)).map(|token| token.text.to_string()).collect();
    item.walk(|event| {
        if let WalkEvent::Instruction(instruction) = event
            && instruction.opcode().mnemonic.text == "call"
            && let Some(call) = instruction.call()
        {
            found.callees.push(call.function.token.text.to_string());
        }
    });
    found
}

/// The bytes of shared memory of a kernel and of the functions that it reaches.
fn shared_of(kernel: &str, uses: &HashMap<String, FunctionUse>, variables: &[(String, StaticBytes)]) -> u64 {
    let (mut reached, mut waiting) = (HashSet::default(), vec![kernel]);
    let (mut named, mut own) = (HashSet::default(), Vec::new());
    while let Some(name) = waiting.pop() {
        let Some(function) = uses.get(name).filter(|_| reached.insert(name)) else { continue };
        named.extend(function.variables.iter().map(String::as_str));
        own.extend_from_slice(&function.own);
        waiting.extend(function.callees.iter().map(String::as_str));
    }
    let of_module = variables.iter().filter(|(name, _)| named.contains(&**name)).map(|(_, storage)| *storage);
    of_module.chain(own).fold(0, end_after)
}
