//! Element types of buffers.

/// Type of one buffer element. The discriminants are the C ABI's and the wire's: never renumber.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Datatype {
    Int8 = 0,
    Uint8 = 1,
    Int16 = 2,
    Uint16 = 3,
    Int32 = 4,
    Uint32 = 5,
    Int64 = 6,
    Uint64 = 7,
    Float16 = 8,
    Bfloat16 = 9,
    Float32 = 10,
    Float64 = 11,
    Float8E4m3 = 12,
    Float8E5m2 = 13,
    Bool = 14,
    Complex64 = 15,
    Complex128 = 16,
    Byte = 17,
}

impl Datatype {
    /// Every datatype, in ABI order.
    pub const ALL: [Datatype; 18] = [
        Datatype::Int8,
        Datatype::Uint8,
        Datatype::Int16,
        Datatype::Uint16,
        Datatype::Int32,
        Datatype::Uint32,
        Datatype::Int64,
        Datatype::Uint64,
        Datatype::Float16,
        Datatype::Bfloat16,
        Datatype::Float32,
        Datatype::Float64,
        Datatype::Float8E4m3,
        Datatype::Float8E5m2,
        Datatype::Bool,
        Datatype::Complex64,
        Datatype::Complex128,
        Datatype::Byte,
    ];

    /// The datatype with this ABI number, if there is one.
    pub fn from_number(number: u32) -> Option<Datatype> {
        Datatype::ALL.get(number as usize).copied()
    }

    /// Size of one element in bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Datatype::Int8
            | Datatype::Uint8
            | Datatype::Float8E4m3
            | Datatype::Float8E5m2
            | Datatype::Bool
            | Datatype::Byte => 1,
            Datatype::Int16 | Datatype::Uint16 | Datatype::Float16 | Datatype::Bfloat16 => 2,
            Datatype::Int32 | Datatype::Uint32 | Datatype::Float32 => 4,
            Datatype::Int64 | Datatype::Uint64 | Datatype::Float64 | Datatype::Complex64 => 8,
            Datatype::Complex128 => 16,
        }
    }

    /// Name as in the documentation and in error messages.
    pub const fn name(self) -> &'static str {
        match self {
            Datatype::Int8 => "int8",
            Datatype::Uint8 => "uint8",
            Datatype::Int16 => "int16",
            Datatype::Uint16 => "uint16",
            Datatype::Int32 => "int32",
            Datatype::Uint32 => "uint32",
            Datatype::Int64 => "int64",
            Datatype::Uint64 => "uint64",
            Datatype::Float16 => "float16",
            Datatype::Bfloat16 => "bfloat16",
            Datatype::Float32 => "float32",
            Datatype::Float64 => "float64",
            Datatype::Float8E4m3 => "float8_e4m3",
            Datatype::Float8E5m2 => "float8_e5m2",
            Datatype::Bool => "bool",
            Datatype::Complex64 => "complex64",
            Datatype::Complex128 => "complex128",
            Datatype::Byte => "byte",
        }
    }

    /// Signed or unsigned integers of 8 to 64 bits (not bool, not byte).
    pub const fn is_integer(self) -> bool {
        (self as u8) < Datatype::Float16 as u8
    }

    /// Real floating-point types, 8 to 64 bits.
    pub const fn is_float(self) -> bool {
        (self as u8) >= Datatype::Float16 as u8 && (self as u8) <= Datatype::Float8E5m2 as u8
    }

    /// Complex types.
    pub const fn is_complex(self) -> bool {
        matches!(self, Datatype::Complex64 | Datatype::Complex128)
    }
}
