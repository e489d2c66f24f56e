//! Whether a call is one that a specialization was compiled for: cheap and telling checks first.

use core::ffi::{c_char, CStr};

use crate::codes::Code;
use crate::declared::{Array, Scalar, Variant};
use crate::fault::{refuse_if, Fault, CALL};
use crate::kernel_checks::Spans;
use crate::launch::Call;
use crate::memory::may_overlap;
use crate::tensor_facts::{divides, tensor_facts};
use crate::{codes::dtype, Tensor};

/// Everything that a specialization needs of a call.
pub fn variant_checks(
    call: &Call,
    variant: &Variant,
    target: u32,
    spans: &Spans,
) -> Result<(), Fault> {
    let fault = Fault::of(Code::Target, CALL).found(target.into(), 0);
    refuse_if(!variant.runs_on(target), fault)?;
    kinds(call, variant)?;
    for scalar in variant.scalars {
        scalar_fact(call, scalar)?;
    }
    for array in variant.arrays {
        if let Some(tensor) = call.tensor(array.argument) {
            tensor_facts(array, tensor)?;
        }
    }
    overlaps(call, variant, spans)?;
    for (number, relation) in variant.relations.iter().enumerate() {
        let fault = Fault::of(Code::Relation, CALL).on(number);
        refuse_if(!relation.holds(call), fault)?;
    }
    Ok(())
}

/// How far a call came in the checks: the specialization in which it came farthest is the one to talk about.
pub fn progress(fault: &Fault) -> u32 {
    let step = match fault.code {
        Code::Target => 0,
        Code::NullDescriptor | Code::Absent => 1,
        Code::Dtype => 2,
        Code::Rank => 3,
        Code::Constant => 4,
        Code::Overlap | Code::Relation => 6,
        _ => 5,
    };
    step * 256 + u32::from(fault.argument)
}

/// Which tensors are given, of which dtype and rank.
fn kinds(call: &Call, variant: &Variant) -> Result<(), Fault> {
    for array in variant.arrays {
        let is_null = call.tensor(array.argument).is_none();
        let code = if is_null {
            Code::NullDescriptor
        } else {
            Code::Absent
        };
        refuse_if(array.is_given == is_null, Fault::of(code, array.argument))?;
    }
    for (array, tensor) in given(call, variant) {
        let fault =
            Fault::of(Code::Dtype, array.argument).found(tensor.dtype.into(), array.dtype.into());
        refuse_if(tensor.dtype != array.dtype, fault)?;
    }
    for (array, tensor) in given(call, variant) {
        let rank = array.axes.len();
        let fault = Fault::of(Code::Rank, array.argument).found(tensor.rank.into(), rank as i64);
        refuse_if(tensor.rank as usize != rank, fault)?;
    }
    Ok(())
}

fn given<'a>(
    call: &'a Call,
    variant: &'a Variant,
) -> impl Iterator<Item = (&'a Array, &'a Tensor)> {
    let pairs = variant.arrays.iter().filter(|array| array.is_given);
    pairs.filter_map(|array| Some((array, call.tensor(array.argument)?)))
}

fn scalar_fact(call: &Call, scalar: &Scalar) -> Result<(), Fault> {
    let word = |argument: u8| call.words[argument as usize];
    match *scalar {
        Scalar::Constant { argument, bits } => {
            let fault =
                Fault::of(Code::Constant, argument).found(word(argument) as i64, bits as i64);
            refuse_if(word(argument) != bits, fault)
        }
        Scalar::Text { argument, value } => {
            // SAFETY: the caller passes null or a text that ends with a zero.
            let is_other = unsafe { !is_text(word(argument) as *const c_char, value) };
            refuse_if(is_other, Fault::of(Code::Constant, argument))
        }
        Scalar::DivisibleBy { argument, divisor } => {
            let value = word(argument) as i64;
            let fault = Fault::of(Code::ScalarDivisor, argument).found(value, divisor);
            refuse_if(!divides(divisor, value), fault)
        }
        Scalar::NotNegative { argument } => {
            let value = word(argument) as i64;
            refuse_if(
                value < 0,
                Fault::of(Code::ScalarSign, argument).found(value, 0),
            )
        }
    }
}

/// # Safety
/// `text` is null or ends with a zero.
unsafe fn is_text(text: *const c_char, value: &CStr) -> bool {
    !text.is_null() && CStr::from_ptr(text) == value
}

/// A tensor that is written to shares no byte with another, unless the kernel was compiled for that.
fn overlaps(call: &Call, variant: &Variant, spans: &Spans) -> Result<(), Fault> {
    for (number, (written, target)) in given(call, variant).enumerate() {
        if !written.is_written {
            continue;
        }
        for (other_number, (other, tensor)) in given(call, variant).enumerate() {
            let is_seen = other.is_written && other_number <= number;
            if is_seen || other_number == number || written.alias_groups & other.alias_groups != 0 {
                continue;
            }
            let side = |array: &Array, of| {
                (
                    of,
                    dtype::size_bytes(array.dtype),
                    spans[array.argument as usize],
                )
            };
            let meet = may_overlap(side(written, target), side(other, tensor));
            let fault = Fault::of(Code::Overlap, written.argument).on(other.argument.into());
            refuse_if(meet, fault)?;
        }
    }
    Ok(())
}
