//! Reduction operators, and the datatypes that each of them accepts.

use super::datatype::Datatype;

/// Reduction operators. The discriminants are the C ABI's and the wire's: never renumber.
///
/// [`ReduceOp::ALL`] lists the builtin ones. The others stand for operators that the program has made on each
/// rank. The ranks agree on the kind of operator; the rest is local to each rank.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum ReduceOp {
    Sum = 0,
    Product = 1,
    Min = 2,
    Max = 3,
    /// Sum divided by the number of ranks; integers truncate towards zero. Small floats are summed in
    /// float32, so that the sum does not overflow.
    Avg = 4,
    Band = 5,
    Bor = 6,
    Bxor = 7,
    Land = 8,
    Lor = 9,
    Lxor = 10,
    /// Sum of contributions, each multiplied by a scalar of its rank first.
    PremulSum = 64,
    /// A function of the program that is commutative.
    Callback = 65,
    /// A function of the program that is only associative: rank 0 is its leftmost operand.
    OrderedCallback = 66,
}

impl ReduceOp {
    /// Every builtin operator, in ABI order.
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

    /// The operators that the program makes.
    pub const MADE: [ReduceOp; 3] = [ReduceOp::PremulSum, ReduceOp::Callback, ReduceOp::OrderedCallback];

    /// The operator with this number on the wire, if there is one.
    pub fn from_wire(number: u8) -> Option<ReduceOp> {
        let made = || ReduceOp::MADE.into_iter().find(|op| *op as u8 == number);
        ReduceOp::from_number(u32::from(number)).or_else(made)
    }

    /// Whether contributions may be combined in any order.
    pub const fn is_commutative(self) -> bool {
        !matches!(self, ReduceOp::OrderedCallback)
    }

    /// The builtin operator with this ABI number, if there is one.
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
            ReduceOp::PremulSum => "premul_sum",
            ReduceOp::Callback => "commutative callback",
            ReduceOp::OrderedCallback => "ordered callback",
        }
    }

    /// Whether the operator is defined on `datatype`.
    ///
    /// Arithmetic operators (sum, product, avg) accept integers, floats and complex numbers; min and max
    /// accept integers and floats. Bitwise and logical operators accept integers. Bool accepts every operator
    /// except avg; sum, max and bor mean "or", product, min and band mean "and". Byte accepts the bitwise
    /// operators only, as MPI_BYTE does. A premultiplied sum accepts what sum accepts, except bool. A
    /// callback accepts every datatype.
    pub const fn accepts(self, datatype: Datatype) -> bool {
        use ReduceOp::*;
        match datatype {
            _ if matches!(self, Callback | OrderedCallback) => true,
            Datatype::Bool | Datatype::Byte if matches!(self, PremulSum) => false,
            Datatype::Bool => !matches!(self, Avg),
            Datatype::Byte => matches!(self, Band | Bor | Bxor),
            d if d.is_integer() => true,
            d if d.is_complex() => matches!(self, Sum | Product | Avg | PremulSum),
            _ => matches!(self, Sum | Product | Min | Max | Avg | PremulSum),
        }
    }
}
