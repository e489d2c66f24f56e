//! The request, the reply, and the call into cutile's compiler.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::Instant;

use cutile_compiler::ast::{Module, SpanBase};
use cutile_compiler::compiler::{CUDATileFunctionCompiler, CUDATileModules};
use cutile_compiler::cuda_tile_runtime_utils::serialize_tile_ir_bytecode_for_version;
use cutile_compiler::error::JITError;
use cutile_compiler::hints::CompileOptions;
use cutile_compiler::registry::CUTILE_MODULES;
use cutile_compiler::specialization::{DivHint, SpecializationBits};
use cutile_ir::bytecode::BytecodeVersion;
use cutile_ir::capabilities::TargetCapabilities;
use pyo3::prelude::*;

/// Divisibility facts of one `Tensor` parameter; counts are in elements, `base` in bytes.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct TensorSpec {
    pub shape_div: Vec<i32>,
    pub stride_div: Vec<i32>,
    pub stride_one: Vec<bool>,
    pub base_div: i32,
    pub disjoint: bool,
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Request {
    pub source: String,
    pub file: String,
    pub module: String,
    pub entry: String,
    pub generics: Vec<String>,
    pub strides: Vec<(String, Vec<i32>)>,
    pub specs: Vec<(String, TensorSpec)>,
    pub scalar_divs: Vec<(String, i32)>,
    pub grid: Option<(u32, u32, u32)>,
    pub target: String,
    pub bytecode_version: (u8, u8),
    pub occupancy: Option<i32>,
    pub num_cta_in_cga: Option<i32>,
    pub max_divisibility: Option<i32>,
    pub num_worker_warps_per_cta: Option<i32>,
}

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
    fn plain(kind: &'static str, message: String) -> Self {
        Self { kind, message, file: String::new(), line: 0, column: 0 }
    }

    pub fn panic(message: String) -> Self {
        Self::plain("panic", message)
    }
}

impl From<JITError> for Failure {
    fn from(e: JITError) -> Self {
        match e {
            JITError::Located(message, at) => Self {
                kind: "refused",
                message,
                file: at.file,
                line: at.line,
                column: at.column,
            },
            other => Self::plain("refused", format!("{other}")),
        }
    }
}

thread_local! {
    static LIBRARY: RefCell<Option<Vec<Module>>> = const { RefCell::new(None) };
    static NAMES: RefCell<HashMap<String, &'static str>> = RefCell::new(HashMap::new());
}

/// Module names live as long as the process; the same few come back for every kernel.
fn interned(name: &str) -> &'static str {
    NAMES.with(|names| {
        *names
            .borrow_mut()
            .entry(name.to_string())
            .or_insert_with(|| Box::leak(name.to_string().into_boxed_str()))
    })
}

/// Every registered DSL module once, aliases of the same module dropped.
fn library() -> Vec<Module> {
    LIBRARY.with(|cell| {
        cell.borrow_mut()
            .get_or_insert_with(|| {
                let mut seen = std::collections::HashSet::new();
                CUTILE_MODULES
                    .iter()
                    .map(|entry| (entry.build)())
                    .filter(|module| seen.insert(module.absolute_path().to_string()))
                    .collect()
            })
            .clone()
    })
}

fn kernel_module(request: &Request) -> Result<Module, Failure> {
    let file = syn::parse_file(&request.source).map_err(|e| {
        let at = e.span().start();
        Failure {
            kind: "syntax",
            message: e.to_string(),
            file: request.file.clone(),
            line: at.line,
            column: at.column,
        }
    })?;
    let item = file
        .items
        .into_iter()
        .find_map(|item| match item {
            syn::Item::Mod(m) if m.ident == request.module => Some(m),
            _ => None,
        })
        .ok_or_else(|| Failure::plain("input", format!("the text has no module `{}`", request.module)))?;
    let name = interned(&request.module);
    let mut module = Module::with_span_base(name, item, SpanBase::new(request.file.clone(), 1, 0));
    module.set_absolute_path(format!("kernel::{name}"));
    Ok(module)
}

pub fn lower(request: &Request) -> Result<Lowered, Failure> {
    let start = Instant::now();
    let mut modules = library();
    modules.insert(0, kernel_module(request)?);
    let modules = CUDATileModules::new(modules)?;
    let seconds_modules = start.elapsed().as_secs_f64();
    let strides: Vec<(&str, &[i32])> = request.strides.iter().map(|(n, s)| (n.as_str(), s.as_slice())).collect();
    let hint = |divisor: i32| DivHint { divisor, max: 16 };
    let specs: Vec<(String, SpecializationBits)> = request
        .specs
        .iter()
        .map(|(name, s)| {
            let bits = SpecializationBits {
                shape_div: s.shape_div.iter().copied().map(hint).collect(),
                stride_div: s.stride_div.iter().copied().map(hint).collect(),
                stride_one: s.stride_one.clone(),
                base_ptr_div: hint(s.base_div),
                elements_disjoint: s.disjoint,
            };
            (name.clone(), bits)
        })
        .collect();
    let specs: Vec<(&str, &SpecializationBits)> = specs.iter().map(|(n, s)| (n.as_str(), s)).collect();
    let scalars: Vec<(String, DivHint)> = request.scalar_divs.iter().map(|(n, d)| (n.clone(), hint(*d))).collect();
    let scalars: Vec<(&str, &DivHint)> = scalars.iter().map(|(n, d)| (n.as_str(), d)).collect();
    let options = CompileOptions {
        occupancy: request.occupancy,
        num_cta_in_cga: request.num_cta_in_cga,
        max_divisibility: request.max_divisibility,
        num_worker_warps_per_cta: request.num_worker_warps_per_cta,
        ..CompileOptions::default()
    };
    let (major, minor) = request.bytecode_version;
    let version = BytecodeVersion { major, minor, tag: 0 };
    let compiler = CUDATileFunctionCompiler::new(
        &modules,
        &request.module,
        &request.entry,
        &request.generics,
        &strides,
        &specs,
        &scalars,
        request.grid,
        request.target.clone(),
        &options,
    )?
    .with_target_capabilities(TargetCapabilities::new(version, request.target.clone()))?;
    let module = compiler.compile()?;
    let (bytecode, _) = serialize_tile_ir_bytecode_for_version(&module, version)?;
    Ok(Lowered {
        bytecode,
        launch_checks: compiler.get_validator().launch_checks.iter().map(|c| format!("{:?}: {}", c.predicate, c.cause)).collect(),
        discharged: compiler.check_stats.discharged.get(),
        hoisted: compiler.check_stats.hoisted.get(),
        in_place: compiler.check_stats.in_place.get(),
        seconds_modules,
        seconds_compile: start.elapsed().as_secs_f64() - seconds_modules,
    })
}
