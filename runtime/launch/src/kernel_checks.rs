//! What every call must be like, whatever the specialization: descriptors, and how they fit the context.

use crate::codes::{dtype, Code};
use crate::context::Context;
use crate::declared::Kind;
use crate::fault::{refuse_if, Fault, CALL};
use crate::launch::{Call, MAX_ARGUMENTS};
use crate::memory::Span;
use crate::Tensor;

/// The bytes that each tensor argument spans.
pub type Spans = [Span; MAX_ARGUMENTS];

/// Descriptors that make sense by themselves, and what they span. Touches no driver.
#[inline]
pub fn descriptors(call: &Call, spans: &mut Spans) -> Result<(), Fault> {
    for (index, argument) in call.kernel.arguments.iter().enumerate() {
        let index = index as u8;
        if argument.kind != Kind::Tensor {
            continue;
        }
        if let Some(tensor) = call.tensor(index) {
            spans[index as usize] = descriptor(tensor, index)?;
        }
    }
    Ok(())
}

#[inline]
fn descriptor(tensor: &Tensor, argument: u8) -> Result<Span, Fault> {
    let of = |code| Fault::of(code, argument);
    let reserved = tensor.reserved;
    refuse_if(reserved != 0, of(Code::Reserved).found(reserved.into(), 0))?;
    for (axis, &extent) in tensor.extents().iter().enumerate() {
        refuse_if(
            extent < 0,
            of(Code::NegativeExtent).on(axis).found(extent, 0),
        )?;
    }
    refuse_if(tensor.ptr == 0 && !tensor.is_empty(), of(Code::NullData))?;
    let span = Span::of(tensor, dtype::size_bytes(tensor.dtype));
    refuse_if(span.is_none(), of(Code::AddressRange))?;
    Ok(span.unwrap_or(Span::EMPTY))
}

/// Tensors on the device of the context, and a grid that it takes.
pub fn placement(call: &Call, context: &Context) -> Result<(), Fault> {
    for (index, argument) in call.kernel.arguments.iter().enumerate() {
        if argument.kind != Kind::Tensor {
            continue;
        }
        if let Some(tensor) = call.tensor(index as u8) {
            let fault = Fault::of(Code::Device, index as u8)
                .found(tensor.device.into(), context.device.into());
            refuse_if(tensor.device != context.device, fault)?;
        }
    }
    for (axis, (&blocks, &limit)) in call.grid.0.iter().zip(&context.grid_limits).enumerate() {
        let blocks = i64::from(blocks);
        let fault = Fault::of(Code::GridLimit, CALL)
            .on(axis)
            .found(blocks, limit);
        refuse_if(!(1..=limit).contains(&blocks), fault)?;
    }
    Ok(())
}
