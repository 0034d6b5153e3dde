//! Reduction operators and the datatypes each of them accepts.

use super::Datatype;

/// How contributions are combined. The discriminants are the C ABI's and the wire's: never renumber.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum ReduceOp {
    Sum = 0,
    Product = 1,
    Min = 2,
    Max = 3,
    /// Sum divided by the number of ranks; integers truncate towards zero.
    Avg = 4,
    Band = 5,
    Bor = 6,
    Bxor = 7,
    Land = 8,
    Lor = 9,
    Lxor = 10,
}

impl ReduceOp {
    /// Every operator, in ABI order.
    pub const ALL: [ReduceOp; 11] = [
        ReduceOp::Sum,
        ReduceOp::Product,
        ReduceOp::Min,
        ReduceOp::Max,
        ReduceOp::Avg,
        ReduceOp::Band,
        ReduceOp::Bor,
        ReduceOp::Bxor,
        ReduceOp::Land,
        ReduceOp::Lor,
        ReduceOp::Lxor,
    ];

    /// The operator with this ABI number, if there is one.
    pub fn from_number(number: u32) -> Option<ReduceOp> {
        ReduceOp::ALL.get(number as usize).copied()
    }

    /// Name as in the documentation and in error messages.
    pub const fn name(self) -> &'static str {
        match self {
            ReduceOp::Sum => "sum",
            ReduceOp::Product => "product",
            ReduceOp::Min => "min",
            ReduceOp::Max => "max",
            ReduceOp::Avg => "avg",
            ReduceOp::Band => "band",
            ReduceOp::Bor => "bor",
            ReduceOp::Bxor => "bxor",
            ReduceOp::Land => "land",
            ReduceOp::Lor => "lor",
            ReduceOp::Lxor => "lxor",
        }
    }

    /// Whether the operator is defined on `datatype`.
    ///
    /// Arithmetic (sum, product, avg): integers, floats, complex; min, max: integers, floats.
    /// Bitwise and logical: integers; bool takes everything but avg (sum, max, bor are "or",
    /// product, min, band are "and"); byte takes the bitwise operators only, as MPI_BYTE does.
    pub const fn accepts(self, datatype: Datatype) -> bool {
        use ReduceOp::*;
        match datatype {
            Datatype::Bool => !matches!(self, Avg),
            Datatype::Byte => matches!(self, Band | Bor | Bxor),
            d if d.is_integer() => true,
            d if d.is_complex() => matches!(self, Sum | Product | Avg),
            _ => matches!(self, Sum | Product | Min | Max | Avg),
        }
    }
}
