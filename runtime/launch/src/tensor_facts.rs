//! Whether a tensor has what a specialization was compiled for.

use crate::codes::{dtype, Code};
use crate::declared::{Array, Axis, Index};
use crate::fault::{refuse_if, Fault};
use crate::memory::may_repeat;
use crate::Tensor;

/// Extents, strides, address and layout of a tensor whose dtype and rank fit.
#[inline]
pub fn tensor_facts(array: &Array, tensor: &Tensor) -> Result<(), Fault> {
    let of = |code| Fault::of(code, array.argument);
    let parts = tensor.extents().iter().zip(tensor.strides());
    for (number, (axis, (&extent, &stride))) in array.axes.iter().zip(parts).enumerate() {
        axis_facts(array, axis, (extent, stride), number)?;
    }
    let size = dtype::size_bytes(tensor.dtype);
    let align = array.align.max(size);
    let address = tensor.ptr as i64;
    refuse_if(
        !divides(align, address),
        of(Code::Alignment).found(address, align),
    )?;
    let repeats = !array.may_repeat && may_repeat(tensor, size);
    refuse_if(repeats && !tensor.is_empty(), of(Code::SelfOverlap))
}

#[inline]
fn axis_facts(
    array: &Array,
    axis: &Axis,
    (extent, stride): (i64, i64),
    number: usize,
) -> Result<(), Fault> {
    let of = |code, found, wanted| {
        Fault::of(code, array.argument)
            .on(number)
            .found(found, wanted)
    };
    if let Some(wanted) = axis.extent {
        refuse_if(extent != wanted, of(Code::Extent, extent, wanted))?;
    }
    if let Some(wanted) = axis.stride {
        refuse_if(stride != wanted, of(Code::Stride, stride, wanted))?;
    }
    let (along, apart) = (axis.extent_divisor, axis.stride_divisor);
    refuse_if(
        !divides(along, extent),
        of(Code::ExtentDivisor, extent, along),
    )?;
    refuse_if(
        !divides(apart, stride),
        of(Code::StrideDivisor, stride, apart),
    )?;
    let least = axis.least_stride;
    refuse_if(stride < least, of(Code::LeastStride, stride, least))?;
    refuse_if(!fits(array.index, extent), of(Code::IndexRange, extent, 0))?;
    refuse_if(!fits(array.index, stride), of(Code::IndexRange, stride, 0))
}

/// Nearly every divisor is a power of two, and a mask is much faster than a division.
#[inline]
pub fn divides(divisor: i64, value: i64) -> bool {
    if divisor & (divisor - 1) == 0 {
        value & (divisor - 1) == 0
    } else {
        value % divisor == 0
    }
}

fn fits(index: Index, value: i64) -> bool {
    match index {
        Index::I32 => i32::try_from(value).is_ok(),
        Index::U32 => u32::try_from(value).is_ok(),
        Index::I64 => true,
    }
}
