//! The call into cutile's compiler, and what comes back.

use std::time::Instant;

use cuda_async::predicate::LaunchCheck;
use cutile_compiler::ast::{Module, SpanBase};
use cutile_compiler::compile_api::KernelCompiler;
use cutile_compiler::compiler::{CUDATileFunctionCompiler, CUDATileModules};
use cutile_compiler::cuda_tile_runtime_utils::serialize_tile_ir_bytecode_for_version;
use cutile_compiler::error::JITError;
use cutile_compiler::specialization::SpecializationBits;
use cutile_ir::capabilities::TargetCapabilities;
use proc_macro2::LineColumn;
use syn::{ItemFn, ItemMod};

use crate::blame;
use crate::depth::{self, has_too_many_open_brackets, DEEPEST_EXPRESSION};
use crate::library::{interned, modules_for, renew};
use crate::locate::{fill_place, settle_hints};
use crate::request::Request;
use crate::worker;

pub struct Lowered {
    pub bytecode: Vec<u8>,
    pub launch_checks: Vec<String>,
    pub discharged: u32,
    pub hoisted: u32,
    pub in_place: u32,
    pub seconds_modules: f64,
    pub seconds_compile: f64,
}

pub struct Failure {
    pub kind: &'static str,
    pub message: String,
    pub file: String,
    pub line: usize,
    pub column: usize,
}

impl Failure {
    pub fn plain(kind: &'static str, message: String) -> Self {
        Self {
            kind,
            message,
            file: String::new(),
            line: 0,
            column: 0,
        }
    }

    fn at(kind: &'static str, message: String, request: &Request, place: LineColumn) -> Self {
        Self {
            kind,
            message,
            file: request.file.clone(),
            line: place.line,
            column: place.column,
        }
    }
}

impl From<JITError> for Failure {
    fn from(e: JITError) -> Self {
        match e {
            // Generated tokens carry the first position of the text, which is no place at all.
            JITError::Located(message, at) if at.line <= 1 && at.column == 0 => {
                Self::plain("refused", message)
            }
            JITError::Located(message, at) => Self {
                kind: "refused",
                message,
                file: at.file,
                line: at.line,
                column: at.column,
            },
            JITError::Generic(message) => Self::plain("refused", message),
            JITError::Anyhow(e) => Self::plain("refused", format!("{e:#}")),
        }
    }
}

fn too_deep(request: &Request, place: LineColumn) -> Failure {
    let message = format!("expressions nest deeper than {DEEPEST_EXPRESSION} levels");
    Failure::at("deep", message, request, place)
}

/// The kernel's module item, found in the parsed text and short enough for the compiler.
fn kernel_item(request: &Request) -> Result<ItemMod, Failure> {
    if has_too_many_open_brackets(&request.source) {
        return Err(too_deep(request, LineColumn { line: 1, column: 0 }));
    }
    let file = syn::parse_file(&request.source)
        .map_err(|e| Failure::at("syntax", e.to_string(), request, e.span().start()))?;
    let mut item = file
        .items
        .into_iter()
        .find_map(|item| match item {
            syn::Item::Mod(m) if m.ident == request.module => Some(m),
            _ => None,
        })
        .ok_or_else(|| {
            let message = format!("the text has no module `{}`", request.module);
            Failure::plain("input", message)
        })?;
    if entry_of(&mut item, &request.entry).is_none() {
        let message = format!(
            "module `{}` has no function `{}`",
            request.module, request.entry
        );
        let place = item.ident.span().start();
        return Err(Failure::at("input", message, request, place));
    }
    match depth::too_deep(&item) {
        Some(place) => Err(too_deep(request, place)),
        None => Ok(item),
    }
}

fn kernel_module(request: &Request, item: ItemMod) -> Module {
    let name = interned(&request.module);
    let base = SpanBase::new(request.file.clone(), 1, 0);
    let mut module = Module::with_span_base(name, item, base);
    module.set_absolute_path(format!("kernel::{name}"));
    module
}

pub fn entry_of<'a>(module: &'a mut ItemMod, entry: &str) -> Option<&'a mut ItemFn> {
    let (_, items) = module.content.as_mut()?;
    items.iter_mut().find_map(|item| match item {
        syn::Item::Fn(f) if f.sig.ident == entry => Some(f),
        _ => None,
    })
}

fn texts(checks: &[LaunchCheck]) -> Vec<String> {
    checks.iter().map(|check| check.cause.clone()).collect()
}

/// Lowers with the DSL modules that this thread keeps; a fault without a place gets its statement's.
pub fn lower(request: &Request) -> Result<Lowered, Failure> {
    renew();
    let item = kernel_item(request)?;
    let attempt = |item: ItemMod| {
        let caught = worker::caught(|| lower_item(request, item));
        caught.unwrap_or_else(|panic| Err(Failure::plain("panic", panic)))
    };
    let mut failure = match attempt(item.clone()) {
        Err(failure) if failure.line == 0 => failure,
        answer => return answer,
    };
    if let Some(place) = blame::statement(request, &item, &failure, &attempt) {
        failure = Failure::at(failure.kind, failure.message, request, place);
    }
    Err(failure)
}

fn lower_item(request: &Request, item: ItemMod) -> Result<Lowered, Failure> {
    let start = Instant::now();
    let mut modules = modules_for(&item);
    let kernel = kernel_module(request, item);
    // A short name that two modules share means neither; each is then known by its path.
    let is_shared = modules.iter().any(|module| module.name() == kernel.name());
    let name = if is_shared {
        kernel.absolute_path()
    } else {
        kernel.name()
    }
    .to_string();
    modules.insert(0, kernel);
    let modules = CUDATileModules::new(modules)?;
    let seconds_modules = start.elapsed().as_secs_f64();

    let strides: Vec<(&str, &[i32])> = request
        .strides
        .iter()
        .map(|(name, strides)| (name.as_str(), strides.as_slice()))
        .collect();
    let specs: Vec<(&str, SpecializationBits)> = request
        .specs
        .iter()
        .map(|(name, spec)| (name.as_str(), spec.bits()))
        .collect();
    let specs: Vec<_> = specs.iter().map(|(name, bits)| (*name, bits)).collect();
    let scalars = request.scalar_facts();
    let scalars: Vec<_> = scalars.iter().map(|(name, fact)| (*name, fact)).collect();
    let compiler = CUDATileFunctionCompiler::new(
        &modules,
        &name,
        &request.entry,
        &request.generics,
        &strides,
        &specs,
        &scalars,
        request.grid,
        request.target.clone(),
        &request.options(),
    )?
    .with_target_capabilities(TargetCapabilities::new(
        request.version(),
        request.target.clone(),
    ))?;
    let mut module = compiler.compile()?;
    settle_hints(&mut module);
    let (bytecode, _) = serialize_tile_ir_bytecode_for_version(&module, request.version())
        .map_err(|e| fill_place(e.into(), &module))?;
    Ok(Lowered {
        bytecode,
        launch_checks: texts(&compiler.get_validator().launch_checks),
        discharged: compiler.check_stats.discharged.get(),
        hoisted: compiler.check_stats.hoisted.get(),
        in_place: compiler.check_stats.in_place.get(),
        seconds_modules,
        seconds_compile: start.elapsed().as_secs_f64() - seconds_modules,
    })
}

/// Lowers the way cutile does at a launch: modules found by the kernel's own `use` statements.
pub fn lower_as_launched(request: &Request) -> Result<Lowered, Failure> {
    let start = Instant::now();
    let kernel = kernel_module(request, kernel_item(request)?);
    let strides: Vec<(&str, &[i32])> = request
        .strides
        .iter()
        .map(|(name, strides)| (name.as_str(), strides.as_slice()))
        .collect();
    let specs: Vec<(&str, SpecializationBits)> = request
        .specs
        .iter()
        .map(|(name, spec)| (name.as_str(), spec.bits()))
        .collect();
    let mut compiler = KernelCompiler::new(|| kernel.clone(), &request.module, &request.entry)
        .target(&request.target)
        .bytecode_version(request.version())
        .generics(request.generics.clone())
        .strides(&strides)
        .spec_args(&specs)
        .scalar_hints(&request.scalar_facts())
        .options(request.options());
    if let Some(grid) = request.grid {
        compiler = compiler.grid(grid);
    }
    let artifacts = compiler.compile()?;
    let counts = artifacts.check_counts();
    let launch_checks = texts(artifacts.launch_checks());
    let mut module = artifacts.into_module();
    settle_hints(&mut module);
    let (bytecode, _) = serialize_tile_ir_bytecode_for_version(&module, request.version())?;
    Ok(Lowered {
        bytecode,
        launch_checks,
        discharged: counts.discharged,
        hoisted: counts.hoisted,
        in_place: counts.in_place,
        seconds_modules: 0.0,
        seconds_compile: start.elapsed().as_secs_f64(),
    })
}
