//! Why a call was refused, without words until somebody wants to read them.

use core::fmt::{self, Write};

use crate::abi::{Error, MESSAGE_BYTES};
use crate::codes::{dtype, Code};
use crate::declared::{Kernel, Kind, Variant};
use crate::driver;

/// No argument: the fault is one of the call.
pub const CALL: u8 = u8::MAX;

/// A refusal: its code, whose fault it is, what was found and what was wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    pub code: Code,
    pub argument: u8,
    /// An axis of the argument or of the grid, or another argument.
    pub other: u8,
    pub found: i64,
    pub wanted: i64,
}

impl Fault {
    pub fn of(code: Code, argument: u8) -> Fault {
        Fault {
            code,
            argument,
            other: 0,
            found: 0,
            wanted: 0,
        }
    }

    pub fn on(self, other: usize) -> Fault {
        Fault {
            other: other as u8,
            ..self
        }
    }

    pub fn found(self, found: i64, wanted: i64) -> Fault {
        Fault {
            found,
            wanted,
            ..self
        }
    }
}

/// Every check comes through here, so that a test can take out any one of them.
#[inline(always)]
pub fn refuse_if(is_wrong: bool, fault: Fault) -> Result<(), Fault> {
    if is_wrong && is_on(fault.code) {
        Err(fault)
    } else {
        Ok(())
    }
}

#[cfg(not(feature = "mutants"))]
#[inline(always)]
fn is_on(_: Code) -> bool {
    true
}

#[cfg(feature = "mutants")]
use crate::mutants::is_on;

/// Writes a refusal into the caller's record.
///
/// # Safety
/// `error` is null or points to an `ft_error`.
pub unsafe fn report(
    error: *mut Error,
    kernel: &Kernel,
    variant: Option<&Variant>,
    fault: &Fault,
) -> i32 {
    if let Some(error) = error.as_mut() {
        error.code = fault.code as i32;
        let mut text = Text {
            bytes: &mut error.message,
            length: 0,
        };
        // Nothing can be done about a message that does not fit: what was written stands.
        let _ = write!(
            text,
            "{}: {}",
            kernel.name,
            Sentence {
                kernel,
                variant,
                fault
            }
        );
        let end = text.length;
        error.message[end] = 0;
    }
    fault.code as i32
}

/// A text of limited length; what is too much is cut, never inside a character.
struct Text<'a> {
    bytes: &'a mut [u8; MESSAGE_BYTES],
    length: usize,
}

impl Write for Text<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        let room = MESSAGE_BYTES - 1 - self.length;
        let end = (0..=part.len().min(room))
            .rev()
            .find(|&end| part.is_char_boundary(end));
        let kept = &part.as_bytes()[..end.unwrap_or(0)];
        self.bytes[self.length..self.length + kept.len()].copy_from_slice(kept);
        self.length += kept.len();
        if kept.len() == part.len() {
            Ok(())
        } else {
            Err(fmt::Error)
        }
    }
}

struct Sentence<'a> {
    kernel: &'a Kernel,
    variant: Option<&'a Variant>,
    fault: &'a Fault,
}

impl fmt::Display for Sentence<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(argument) = self.kernel.arguments.get(self.fault.argument as usize) {
            write!(f, "argument `{}` ", argument.name)?;
        }
        self.of_argument(f)
    }
}

impl Sentence<'_> {
    fn of_argument(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault {
            other,
            found,
            wanted,
            ..
        } = *self.fault;
        match self.fault.code {
            Code::Dtype => write!(
                f,
                "is {}, compiled for {}",
                dtype::name(found),
                dtype::name(wanted)
            ),
            Code::Device => write!(f, "is on device {found}, the context on device {wanted}"),
            Code::NullDescriptor => write!(f, "is null, a tensor is needed"),
            Code::Reserved => write!(f, "has {found} in `reserved`, which must be 0"),
            Code::Rank => write!(f, "has {found} axes, compiled for {wanted}"),
            Code::NegativeExtent => {
                write!(f, "has extent {found} on axis {other}, which is negative")
            }
            Code::NullData => write!(f, "has elements but the address 0"),
            Code::AddressRange => write!(f, "reaches beyond 64-bit addresses"),
            Code::IndexRange => write!(f, "has {found} on axis {other}, too large for 32 bits"),
            Code::Extent => write!(
                f,
                "has extent {found} on axis {other}, compiled for {wanted}"
            ),
            Code::ExtentDivisor => {
                write!(
                    f,
                    "has extent {found} on axis {other}, compiled for multiples of {wanted}"
                )
            }
            Code::Stride => write!(
                f,
                "has stride {found} on axis {other}, compiled for {wanted}"
            ),
            Code::StrideDivisor => {
                write!(
                    f,
                    "has stride {found} on axis {other}, compiled for multiples of {wanted}"
                )
            }
            Code::LeastStride => write!(
                f,
                "has stride {found} on axis {other}, compiled for at least {wanted}"
            ),
            Code::Alignment => write!(
                f,
                "is at address {found:#x}, compiled for multiples of {wanted} bytes"
            ),
            _ => self.of_call(f),
        }
    }

    fn of_call(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault {
            other,
            found,
            wanted,
            ..
        } = *self.fault;
        match self.fault.code {
            Code::Overlap => {
                let name = self
                    .kernel
                    .arguments
                    .get(other as usize)
                    .map_or("?", |a| a.name);
                write!(f, "overlaps `{name}`, and one of them is written to")
            }
            Code::SelfOverlap => write!(f, "names one element by two indices"),
            Code::Constant => self.constant(f),
            Code::ScalarDivisor => write!(f, "is {found}, compiled for multiples of {wanted}"),
            Code::ScalarSign => write!(f, "is {found}, compiled for numbers that are not negative"),
            Code::Absent => write!(f, "is a tensor, compiled for none"),
            Code::Relation => {
                let relation = self.variant.and_then(|v| v.relations.get(other as usize));
                write!(
                    f,
                    "the launch must have {}",
                    relation.map_or("?", |r| r.text)
                )
            }
            Code::GridLimit => {
                let axis = ["x", "y", "z"].get(other as usize).unwrap_or(&"?");
                write!(f, "grid.{axis} is {found}, it must be from 1 to {wanted}")
            }
            Code::NullContext => write!(f, "the context is null"),
            Code::Target => write!(f, "there is no machine code for this device, sm_{found}"),
            Code::NoDriver => match driver::lacking(found) {
                Some(function) => write!(f, "`{}` has no `{function}`", driver::LIBRARY),
                None => write!(f, "there is no `{}` on this machine", driver::LIBRARY),
            },
            #[cfg(feature = "jit")]
            Code::NoCompiler | Code::Compile => {
                let program = self.variant.map(|variant| &variant.program);
                let why = program.map_or("?", |program| crate::jit::why_not(program, found as u32));
                write!(f, "{why}")
            }
            Code::Panic => write!(f, "a fault of the library itself; nothing was launched"),
            Code::Context | Code::Launch => {
                let step = [
                    "use the context",
                    "load the module",
                    "find the kernel",
                    "launch",
                ];
                let what = step.get(other as usize).unwrap_or(&"go on");
                write!(
                    f,
                    "the driver does not {what}: {}",
                    driver::error_name(found)
                )
            }
            _ => write!(f, "is wrong ({found}, {wanted})"),
        }
    }

    fn constant(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault {
            argument, found, ..
        } = *self.fault;
        match self.kernel.arguments.get(argument as usize).map(|a| a.kind) {
            Some(Kind::Integer) => write!(f, "is {found}, for which nothing was compiled")?,
            Some(Kind::Float) => write!(
                f,
                "is {}, for which nothing was compiled",
                f64::from_bits(found as u64)
            )?,
            _ => write!(f, "is a text for which nothing was compiled")?,
        }
        match self.variant {
            Some(variant) => write!(f, "; the closest is `{}`", variant.label),
            None => Ok(()),
        }
    }
}
