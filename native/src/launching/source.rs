//! Where each parameter of a program comes from, and its bits.

use super::key::Taken;

/// A number that is passed, as Python has it.
#[derive(Clone, Copy)]
pub enum Number {
    Integer(i64),
    Float(f64),
    /// A constant of another kind, which no parameter takes.
    Other,
}

#[derive(Clone, Copy)]
enum Place {
    Address(usize),
    Extent(usize, usize),
    Stride(usize, usize),
    Number(usize),
}

#[derive(Clone, Copy)]
enum Kind {
    Integer { bits: u32 },
    F32,
    F64,
}

#[derive(Clone, Copy)]
pub struct Source {
    place: Place,
    kind: Kind,
}

impl Source {
    /// From the names of `Role` and of element types; `index` counts arrays, or all that is no array. None for
    /// types that Python packs.
    pub fn new(role: &str, index: usize, axis: usize, element: &str) -> Option<Source> {
        let place = match role {
            "pointer" => Place::Address(index),
            "shape" => Place::Extent(index, axis),
            "stride" => Place::Stride(index, axis),
            "scalar" => Place::Number(index),
            _ => return None,
        };
        let kind = match element {
            "i1" => Kind::Integer { bits: 1 },
            "i8" => Kind::Integer { bits: 8 },
            "i16" => Kind::Integer { bits: 16 },
            "i32" => Kind::Integer { bits: 32 },
            "i64" | "ptr" => Kind::Integer { bits: 64 },
            "f32" => Kind::F32,
            "f64" => Kind::F64,
            _ => return None,
        };
        Some(Source { place, kind })
    }

    /// The word of 64 bits that is passed; None where the arguments have none, or it does not fit.
    pub fn word(&self, taken: &Taken) -> Option<u64> {
        let number = match self.place {
            Place::Address(index) => return Some(taken.arrays.get(index)?.address),
            Place::Extent(index, axis) => Number::Integer(taken.extent(index, axis)?),
            Place::Stride(index, axis) => Number::Integer(taken.stride(index, axis)?),
            Place::Number(index) => *taken.numbers.get(index)?,
        };
        match (self.kind, number) {
            (Kind::Integer { bits }, Number::Integer(value)) => integer(value, bits),
            (Kind::F32, Number::Float(value)) => Some(u64::from((value as f32).to_bits())),
            (Kind::F64, Number::Float(value)) => Some(value.to_bits()),
            _ => None,
        }
    }
}

/// The low bits of a number that fits, signed or not.
fn integer(value: i64, bits: u32) -> Option<u64> {
    if bits == 64 {
        return Some(value as u64);
    }
    let is_fitting = (-(1i64 << (bits - 1))..1i64 << bits).contains(&value);
    is_fitting.then_some(value as u64 & ((1 << bits) - 1))
}
