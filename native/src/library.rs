//! The DSL modules that a kernel is compiled with, parsed once, and of the prelude only what the kernel can reach.
//!
//! The compiler copies every module for every kernel, twice, which was a third of the time of a short one.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

use cutile_compiler::ast::Module;
use cutile_compiler::registry::CUTILE_MODULES;
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit_mut::VisitMut;
use syn::{Attribute, Item, ItemMod};

/// The compiler reaches its own functions by names that it makes, so these modules stay whole.
const COMPILER_MODULES: &str = "cutile::";

type Words = HashSet<String>;

/// One module; of each function that may be left out, the words of its text.
struct Shelf {
    module: Module,
    functions: HashMap<usize, Words>,
}

/// Kernels after which the library is parsed anew. Every text that the compiler parses, also those that it makes itself,
/// leaves its positions in a table of the thread, most of a megabyte for a kernel; they go all at once or not at all.
const KERNELS_A_LIBRARY: u32 = 64;

thread_local! {
    static KERNELS: Cell<u32> = const { Cell::new(0) };
    static LIBRARY: RefCell<Option<Vec<Shelf>>> = const { RefCell::new(None) };
    static NAMES: RefCell<HashMap<String, &'static str>> = RefCell::new(HashMap::new());
}

/// Module names live as long as the process; the same few come back for every kernel.
pub fn interned(name: &str) -> &'static str {
    NAMES.with(|names| {
        *names
            .borrow_mut()
            .entry(name.to_string())
            .or_insert_with(|| Box::leak(name.to_string().into_boxed_str()))
    })
}

/// To be called when this thread holds no syntax tree but the library: now and then it drops that and all positions.
pub fn renew() {
    let kernels = KERNELS.get() + 1;
    KERNELS.set(kernels % KERNELS_A_LIBRARY);
    if kernels == KERNELS_A_LIBRARY {
        LIBRARY.take();
        proc_macro2::extra::invalidate_current_thread_spans();
    }
}

fn words_into(tokens: TokenStream, words: &mut Words) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => {
                words.insert(ident.to_string());
            }
            TokenTree::Group(group) => words_into(group.stream(), words),
            _ => {}
        }
    }
}

fn words_of(syntax: &impl ToTokens) -> Words {
    let mut words = Words::new();
    words_into(syntax.to_token_stream(), &mut words);
    words
}

fn items(module: &Module) -> &[Item] {
    module
        .ast()
        .content
        .as_ref()
        .map_or(&[], |(_, items)| items)
}

fn with_syntax(module: &Module, syntax: ItemMod) -> Module {
    let mut copy =
        Module::with_span_base(interned(module.name()), syntax, module.span_base().clone());
    copy.set_absolute_path(module.absolute_path().to_string());
    copy
}

/// Comments for readers are attributes to the compiler, a third of what it would copy.
struct WithoutComments;

impl VisitMut for WithoutComments {
    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        attributes.retain(|attribute| !attribute.path().is_ident("doc"));
    }
}

impl Shelf {
    fn new(module: &Module) -> Self {
        let mut syntax = module.ast().clone();
        WithoutComments.visit_item_mod_mut(&mut syntax);
        let module = with_syntax(module, syntax);
        let is_whole = module.absolute_path().starts_with(COMPILER_MODULES);
        let functions = items(&module)
            .iter()
            .enumerate()
            .filter(|(_, item)| !is_whole && matches!(item, Item::Fn(_)))
            .map(|(index, item)| (index, words_of(item)))
            .collect();
        Self { module, functions }
    }

    fn name(&self, index: usize) -> String {
        match &items(&self.module)[index] {
            Item::Fn(function) => function.sig.ident.to_string(),
            _ => unreachable!("only functions are left out"),
        }
    }

    /// The module without the functions that `reached` does not name.
    fn pruned(&self, reached: &Words) -> Module {
        if self.functions.is_empty() {
            return self.module.clone();
        }
        let is_kept = |index: &usize| {
            !self.functions.contains_key(index) || reached.contains(&self.name(*index))
        };
        let all = items(&self.module);
        let kept = (0..all.len())
            .filter(is_kept)
            .map(|index| all[index].clone());
        let shell = self.module.ast();
        let syntax = ItemMod {
            attrs: shell.attrs.clone(),
            vis: shell.vis.clone(),
            unsafety: shell.unsafety,
            mod_token: shell.mod_token,
            ident: shell.ident.clone(),
            content: shell
                .content
                .as_ref()
                .map(|(brace, _)| (*brace, kept.collect())),
            semi: shell.semi,
        };
        with_syntax(&self.module, syntax)
    }
}

/// The words of the kernel, and of every function that has the name of such a word.
fn reached_from(kernel: &ItemMod, library: &[Shelf]) -> Words {
    let mut functions: HashMap<String, Vec<&Words>> = HashMap::new();
    let mut open: Vec<String> = words_of(kernel).into_iter().collect();
    for shelf in library {
        for (index, words) in &shelf.functions {
            functions.entry(shelf.name(*index)).or_default().push(words);
        }
        if !shelf.functions.is_empty() {
            let fixed = items(&shelf.module).iter().enumerate();
            let fixed = fixed.filter(|(index, _)| !shelf.functions.contains_key(index));
            fixed.for_each(|(_, item)| open.extend(words_of(item)));
        }
    }
    let mut reached = Words::new();
    while let Some(word) = open.pop() {
        if let Some(texts) = functions.get(&word) {
            if !reached.contains(&word) {
                open.extend(texts.iter().copied().flatten().cloned());
            }
        }
        reached.insert(word);
    }
    reached
}

/// Every registered module once, aliases dropped, without the functions that the kernel cannot reach.
pub fn modules_for(kernel: &ItemMod) -> Vec<Module> {
    LIBRARY.with(|cell| {
        let mut library = cell.borrow_mut();
        let library = library.get_or_insert_with(|| {
            let mut seen = HashSet::new();
            CUTILE_MODULES
                .iter()
                .map(|entry| (entry.build)())
                .filter(|module| seen.insert(module.absolute_path().to_string()))
                .map(|module| Shelf::new(&module))
                .collect()
        });
        let reached = reached_from(kernel, library);
        library.iter().map(|shelf| shelf.pruned(&reached)).collect()
    })
}
