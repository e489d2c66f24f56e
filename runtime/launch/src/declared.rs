//! What an exported library says of its kernels: arguments, and for each specialization what it needs of them.

use core::ffi::CStr;

use crate::loaded::Loaded;
use crate::relation::Relation;

/// One exported function.
pub struct Kernel {
    pub name: &'static str,
    pub arguments: &'static [Argument],
    /// Those that need most come first: the first that fits is the most special one that fits.
    pub variants: &'static [Variant],
}

/// One argument of the C function, in its order.
pub struct Argument {
    pub name: &'static str,
    pub kind: Kind,
}

/// How the 8-byte word of an argument is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The address of an `ft_tensor`, or null.
    Tensor,
    /// An integer or a boolean, widened with its sign.
    Integer,
    /// The bits of a `float` or `double`.
    Float,
    /// The address of a text that ends with a zero.
    Text,
}

/// One specialization: what a call must be like, and the machine code for it.
pub struct Variant {
    pub label: &'static str,
    pub machine: Machine,
    pub program: Program,
    pub entry: &'static CStr,
    pub arrays: &'static [Array],
    pub scalars: &'static [Scalar],
    pub relations: &'static [Relation],
    /// Where each entry parameter is found, in the order of the entry; from the parameter map of proof.json.
    pub slots: &'static [Slot],
    pub loaded: Loaded,
}

impl Variant {
    /// Whether there is machine code for a compute capability, or the compiler may be asked for it.
    #[inline]
    pub fn runs_on(&self, target: u32) -> bool {
        self.machine.target == target || self.program.covers(target)
    }
}

/// Embedded machine code. `target` is the compute capability, as in `sm_90`: it runs on this one only.
pub struct Machine {
    pub target: u32,
    pub cubin: &'static [u8],
}

impl Machine {
    /// Nothing is embedded.
    pub const NONE: Machine = Machine {
        target: 0,
        cubin: &[],
    };
}

/// The program that was proved, for the compiler, and for which compute capabilities it is compiled.
pub struct Program {
    pub bytecode: &'static [u8],
    /// The bytecode's digest: cached machine code goes by it.
    pub sha256: &'static str,
    pub first: u32,
    pub last: u32,
}

impl Program {
    /// Nothing is compiled.
    pub const NONE: Program = Program {
        bytecode: &[],
        sha256: "",
        first: 1,
        last: 0,
    };

    /// Without the feature `jit` there is no compiler to ask.
    #[inline]
    pub fn covers(&self, target: u32) -> bool {
        cfg!(feature = "jit") && (self.first..=self.last).contains(&target)
    }
}

/// What a specialization needs of one tensor argument.
pub struct Array {
    pub argument: u8,
    /// False where the kernel was compiled for `None`: the argument must be null.
    pub is_given: bool,
    pub dtype: i32,
    pub axes: &'static [Axis],
    /// The base address is a multiple of so many bytes.
    pub align: i64,
    pub index: Index,
    /// Whether the kernel writes to it.
    pub is_written: bool,
    /// Arrays with a common bit may overlap.
    pub alias_groups: u32,
    /// Whether two indices may name one element.
    pub may_repeat: bool,
}

impl Array {
    /// Nothing but the dtype is left to say.
    pub const ANY: Array = Array {
        argument: 0,
        is_given: true,
        dtype: 0,
        axes: &[],
        align: 1,
        index: Index::I32,
        is_written: false,
        alias_groups: 0,
        may_repeat: false,
    };
}

/// What a specialization needs of one axis. Units: elements.
pub struct Axis {
    pub extent: Option<i64>,
    pub extent_divisor: i64,
    pub stride: Option<i64>,
    pub stride_divisor: i64,
    pub least_stride: i64,
}

impl Axis {
    /// Any extent, any stride that is not negative.
    pub const ANY: Axis = Axis {
        extent: None,
        extent_divisor: 1,
        stride: None,
        stride_divisor: 1,
        least_stride: 0,
    };
    /// An axis whose elements are neighbours.
    pub const DENSE: Axis = Axis {
        stride: Some(1),
        ..Axis::ANY
    };
}

/// The type in which a kernel takes extents and strides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Index {
    I32,
    U32,
    I64,
}

/// What a specialization needs of an argument that is no tensor.
pub enum Scalar {
    /// Compiled into the kernel: the argument must have these bits.
    Constant {
        argument: u8,
        bits: u64,
    },
    Text {
        argument: u8,
        value: &'static CStr,
    },
    DivisibleBy {
        argument: u8,
        divisor: i64,
    },
    NotNegative {
        argument: u8,
    },
}

/// Where an entry parameter lies: a word of an argument's tensor, or the word of the argument itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slot {
    Pointer(u8),
    Extent(u8, u8),
    Stride(u8, u8),
    Scalar(u8),
}

/// Bytes as aligned as machine code wants them, which those of `include_bytes!` are not.
#[repr(C, align(64))]
pub struct Aligned<B: ?Sized>(pub B);

/// The bytes of a file beside the one that names it.
#[macro_export]
macro_rules! cubin {
    ($path:literal) => {{
        static IMAGE: &$crate::Aligned<[u8]> = &$crate::Aligned(*include_bytes!($path));
        &IMAGE.0
    }};
}
