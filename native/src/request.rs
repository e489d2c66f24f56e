//! What `ferrotile.lower` asks for, and its translation into the compiler's own types.

use cutile_compiler::hints::{CodegenMode, CompileOptions};
use cutile_compiler::specialization::{DivHint, SpecializationBits};
use cutile_ir::bytecode::BytecodeVersion;
use pyo3::prelude::*;

/// Divisibility facts of one `Tensor` parameter; counts are in elements, `base_div` in bytes.
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

/// `max` only bounds what cutile infers from values at run time; a fact given here stands as it is.
fn fact(divisor: i32) -> DivHint {
    DivHint {
        divisor,
        max: divisor.max(16),
    }
}

impl TensorSpec {
    pub fn bits(&self) -> SpecializationBits {
        SpecializationBits {
            shape_div: self.shape_div.iter().copied().map(fact).collect(),
            stride_div: self.stride_div.iter().copied().map(fact).collect(),
            stride_one: self.stride_one.clone(),
            base_ptr_div: fact(self.base_div),
            elements_disjoint: self.disjoint,
        }
    }
}

impl Request {
    pub fn version(&self) -> BytecodeVersion {
        let (major, minor) = self.bytecode_version;
        BytecodeVersion {
            major,
            minor,
            tag: 0,
        }
    }

    pub fn scalar_facts(&self) -> Vec<(&str, DivHint)> {
        self.scalar_divs
            .iter()
            .map(|(name, d)| (name.as_str(), fact(*d)))
            .collect()
    }

    pub fn options(&self) -> CompileOptions {
        CompileOptions {
            occupancy: self.occupancy,
            num_cta_in_cga: self.num_cta_in_cga,
            max_divisibility: self.max_divisibility,
            num_worker_warps_per_cta: self.num_worker_warps_per_cta,
            codegen: CodegenMode::RELEASE,
            ..CompileOptions::default()
        }
    }
}
