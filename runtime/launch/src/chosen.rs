//! Which specialization a call gets: the first, and so the most special, that it fits.

use crate::codes::Code;
use crate::context::Context;
use crate::declared::Variant;
use crate::fault::{Fault, CALL};
use crate::kernel_checks::Spans;
use crate::launch::Call;
use crate::variant_checks::{progress, variant_checks};

/// A refusal, and the specialization that came closest, where there is one.
pub struct Refused {
    pub fault: Fault,
    pub variant: Option<&'static Variant>,
}

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Refused {
        Refused {
            fault,
            variant: None,
        }
    }
}

/// The specialization for a call. What one refuses, the next may take; if none does, the one in which the call came
/// farthest says why.
pub fn chosen(call: &Call, context: &Context, spans: &Spans) -> Result<&'static Variant, Refused> {
    let mut closest: Option<Refused> = None;
    for variant in call.kernel.variants {
        let Err(fault) = variant_checks(call, variant, context.target, spans) else {
            return Ok(variant);
        };
        if closest
            .as_ref()
            .is_none_or(|known| progress(&fault) > progress(&known.fault))
        {
            closest = Some(Refused {
                fault,
                variant: Some(variant),
            });
        }
    }
    Err(closest.unwrap_or_else(|| {
        Fault::of(Code::Target, CALL)
            .found(context.target.into(), 0)
            .into()
    }))
}
