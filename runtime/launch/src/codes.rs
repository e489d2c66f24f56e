//! Return codes and dtypes; written by `python -m ferrotile.host.render_codes` from `ferrotile/host/abi.py`.

/// What a refused call returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(not(feature = "jit"), allow(dead_code))]
#[repr(i32)]
pub enum Code {
    /// A tensor has another dtype than the kernel was compiled for.
    Dtype = -2,
    /// The driver refuses to load the machine code, or to launch it.
    Launch = -3,
    /// A tensor is on another device than the context.
    Device = -4,
    /// A tensor is null where the kernel needs one.
    NullDescriptor = -5,
    /// The field `reserved` of a tensor is not 0.
    Reserved = -6,
    /// A tensor has another number of axes than the kernel was compiled for.
    Rank = -101,
    /// An extent is negative.
    NegativeExtent = -102,
    /// A tensor with elements has the address 0.
    NullData = -103,
    /// A tensor reaches beyond 64-bit addresses.
    AddressRange = -104,
    /// An extent or stride does not fit the 32 bits in which the kernel takes it.
    IndexRange = -105,
    /// An extent is compiled into the kernel, and the tensor has another.
    Extent = -106,
    /// An extent is no multiple of what the kernel was compiled for.
    ExtentDivisor = -107,
    /// A stride is compiled into the kernel, and the tensor has another.
    Stride = -108,
    /// A stride is no multiple of what the kernel was compiled for.
    StrideDivisor = -109,
    /// A stride is less than the kernel was compiled for.
    LeastStride = -110,
    /// An address is no multiple of what the kernel was compiled for.
    Alignment = -111,
    /// A tensor that is written to overlaps another, and the kernel assumes otherwise.
    Overlap = -112,
    /// Two indices of a tensor may name one element, and the kernel assumes otherwise.
    SelfOverlap = -113,
    /// Nothing was compiled for this value of a constant.
    Constant = -114,
    /// A number is no multiple of what the kernel was compiled for.
    ScalarDivisor = -115,
    /// A number is negative, and the kernel was compiled for others.
    ScalarSign = -116,
    /// A tensor is given where the kernel was compiled for none.
    Absent = -117,
    /// A fact that the proof assumes of a launch does not hold.
    Relation = -118,
    /// An axis of the grid is 0, or longer than the device allows.
    GridLimit = -119,
    /// The context is null.
    NullContext = -120,
    /// The driver does not know the context.
    Context = -121,
    /// The library holds no machine code for this device.
    Target = -122,
    /// There is no CUDA driver, or an older one than CUDA 12.
    NoDriver = -123,
    /// A fault of the library itself.
    Panic = -124,
    /// Machine code for this device must be compiled, and the compiler is not there.
    NoCompiler = -125,
    /// The compiler makes no machine code of the program for this device.
    Compile = -126,
}

/// The numbers of element types.
pub mod dtype {
    pub const F32: i32 = 0;
    pub const F16: i32 = 1;
    pub const BF16: i32 = 2;
    pub const I32: i32 = 3;
    pub const I64: i32 = 4;
    pub const F8E5M2: i32 = 5;
    pub const F4E2M1FNX2: i32 = 6;
    pub const F8E4M3FN: i32 = 7;
    pub const BOOL: i32 = 16;
    pub const I8: i32 = 17;
    pub const I16: i32 = 18;
    pub const U8: i32 = 19;
    pub const U16: i32 = 20;
    pub const U32: i32 = 21;
    pub const U64: i32 = 22;
    pub const F64: i32 = 23;
    pub const TF32: i32 = 24;
    pub const F8E8M0FNU: i32 = 25;

    /// The name of an element type.
    pub fn name(number: i64) -> &'static str {
        match number {
            0 => "f32",
            1 => "f16",
            2 => "bf16",
            3 => "i32",
            4 => "i64",
            5 => "f8e5m2",
            6 => "f4e2m1fnx2",
            7 => "f8e4m3fn",
            16 => "bool",
            17 => "i8",
            18 => "i16",
            19 => "u8",
            20 => "u16",
            21 => "u32",
            22 => "u64",
            23 => "f64",
            24 => "tf32",
            25 => "f8e8m0fnu",
            _ => "of an unknown dtype",
        }
    }

    /// The size of an element in bytes; 1 for an unknown type.
    pub fn size_bytes(number: i32) -> i64 {
        match number {
            1 | 2 | 18 | 20 => 2,
            0 | 3 | 21 | 24 => 4,
            4 | 22 | 23 => 8,
            _ => 1,
        }
    }
}
