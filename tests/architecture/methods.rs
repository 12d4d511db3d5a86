//! Circles between the files that implement one type: methods of one file call those of another, and these call back.

use crate::sources;
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ExprCall, ExprMethodCall, ImplItem, ItemImpl, ItemMod, Type};

/// A type that is implemented in at most so many files is small enough to be read as a whole.
const MOST_FILES: usize = 3;

/// Types with a circle, each with the number of files in it and the reason. A circle that grows, or is gone, is an error.
const KNOWN: [(&str, &str, usize); 1] = [
    // A stop serves requests until one resumes the run, and an edit is a request that may lead to the next stop.
    ("dap", "Debugger", 4),
];

/// The methods of a type in one file, with what they call on `self`.
#[derive(Default)]
struct Methods {
    defined: BTreeSet<String>,
    called: BTreeSet<String>,
}

/// Collects the methods of each type of a file.
#[derive(Default)]
struct Collector {
    of: Option<String>,
    types: BTreeMap<String, Methods>,
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|one| {
        one.path().is_ident("cfg") && one.meta.require_list().is_ok_and(|list| list.tokens.to_string() == "test")
    })
}

impl Collector {
    fn call(&mut self, name: String) {
        if let Some(of) = &self.of {
            self.types.entry(of.clone()).or_default().called.insert(name);
        }
    }
}

impl<'ast> Visit<'ast> for Collector {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if !is_test(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_impl(&mut self, block: &'ast ItemImpl) {
        let Type::Path(path) = &*block.self_ty else { return };
        let (None, Some(name)) = (&block.trait_, path.path.segments.last()) else { return };
        let name = name.ident.to_string();
        for item in &block.items {
            if let ImplItem::Fn(method) = item {
                self.types.entry(name.clone()).or_default().defined.insert(method.sig.ident.to_string());
            }
        }
        let before = self.of.replace(name);
        visit::visit_item_impl(self, block);
        self.of = before;
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        if matches!(&*call.receiver, Expr::Path(path) if path.path.is_ident("self")) {
            self.call(call.method.to_string());
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        if let Expr::Path(path) = &*call.func {
            let segments = &path.path.segments;
            if segments.len() == 2 && segments[0].ident == "Self" {
                self.call(segments[1].ident.to_string());
            }
        }
        visit::visit_expr_call(self, call);
    }
}

/// The types of a crate by name, each with its files.
type Types = BTreeMap<String, BTreeMap<String, Methods>>;

fn types(texts: &[(String, String)]) -> Types {
    let mut types = Types::new();
    for (file, text) in texts {
        let mut collector = Collector::default();
        collector.visit_file(&syn::parse_file(text).unwrap_or_else(|error| panic!("{file}: {error}")));
        for (name, methods) in collector.types {
            types.entry(name).or_default().insert(file.clone(), methods);
        }
    }
    types
}

/// The files of a type that reach each other by calls of methods.
fn circle(files: &BTreeMap<String, Methods>) -> BTreeSet<&str> {
    let calls = |from: &Methods, to: &Methods| !from.called.is_disjoint(&to.defined);
    let mut reached: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, methods) in files {
        let next = files.iter().filter(|(to, other)| *to != from && calls(methods, other));
        reached.insert(from, next.map(|(to, _)| to.as_str()).collect());
    }
    loop {
        let mut changed = false;
        for from in files.keys() {
            let further: BTreeSet<&str> =
                reached[from.as_str()].iter().flat_map(|to| reached[to].iter().copied()).collect();
            let own = reached.get_mut(from.as_str()).expect("each file is there");
            let before = own.len();
            own.extend(further);
            changed |= own.len() != before;
        }
        if !changed {
            return files.keys().map(String::as_str).filter(|file| reached[file].contains(file)).collect();
        }
    }
}

/// The files of each crate without those of tests, by their paths below `src`, each with its text.
fn crates() -> BTreeMap<String, Vec<(String, String)>> {
    let mut by_crate: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for (path, text) in sources("server", ".rs") {
        let path =
            path.strip_prefix(support::root().join("server")).expect("below the folder").to_string_lossy().into_owned();
        let (Some((of, file)), false) = (path.split_once("/src/"), path.ends_with("tests.rs")) else { continue };
        by_crate.entry(of.to_owned()).or_default().push((file.to_owned(), text));
    }
    by_crate
}

/// A type that more files implement has no purpose that one can name: what is done with it becomes functions, in modules by what they do.
const MOST_FILES_OF_A_TYPE: usize = 8;

#[test]
fn no_type_is_implemented_in_more_files_than_one_can_name() {
    for (name, texts) in &crates() {
        for (ty, files) in types(texts) {
            let files: Vec<_> = files.into_keys().collect();
            assert!(files.len() <= MOST_FILES_OF_A_TYPE, "{name}: {ty} in {} files: {files:#?}", files.len());
        }
    }
}

/// The most fields of a type of the emulator and of what lowers to it.
const MOST_FIELDS: usize = 25;

#[test]
fn no_type_of_the_engine_has_more_fields_than_one_can_keep_in_mind() {
    let crates = crates();
    let mut largest = 0;
    for (file, text) in ["program", "ordering", "machine", "explorer", "kernel"].iter().flat_map(|name| &crates[*name])
    {
        for item in syn::parse_file(text).expect("Rust").items {
            let syn::Item::Struct(one) = item else { continue };
            largest = largest.max(one.fields.len());
            assert!(one.fields.len() <= MOST_FIELDS, "{file}: {} has {} fields", one.ident, one.fields.len());
        }
    }
    assert!(largest > 10, "{largest} fields");
}

#[test]
fn methods_of_a_type_call_each_other_in_no_circle_of_files() {
    let (mut found, mut large) = (Vec::new(), 0);
    for (name, texts) in &crates() {
        for (ty, files) in types(texts).iter().filter(|(_, files)| files.len() > MOST_FILES) {
            large += 1;
            let circle = circle(files);
            if !circle.is_empty() {
                found.push((
                    name.clone(),
                    ty.clone(),
                    circle.len(),
                    circle.into_iter().map(str::to_owned).collect::<Vec<_>>(),
                ));
            }
        }
    }
    assert!(large > 10, "{large} types in more than {MOST_FILES} files");
    let known = |(name, ty, count, _): &&(String, String, usize, Vec<String>)| {
        KNOWN.contains(&(name.as_str(), ty.as_str(), *count))
    };
    let new: Vec<_> = found.iter().filter(|one| !known(one)).collect();
    assert!(new.is_empty(), "circles of files: {new:#?}");
    assert_eq!(found.len(), KNOWN.len(), "a known circle is gone: take it out of the list");
}

#[test]
fn a_circle_of_methods_is_found() {
    let file =
        |name: &str, calls: &str| (name.to_owned(), format!("impl T {{ fn {name}(&self) {{ self.{calls}(); }} }}"));
    let texts = [file("a", "b"), file("b", "c"), file("c", "a"), file("d", "a")];
    let types = types(&texts);
    assert_eq!(circle(&types["T"]), BTreeSet::from(["a", "b", "c"]));
}
