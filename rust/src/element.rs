//! Types of buffer elements.

use anyccl_engine::base::Datatype;

/// A type of which buffers are made: integers of 8 to 64 bits, `f32` and `f64`.
///
/// With the feature `half` also `half::f16` and `half::bf16`, with `complex` also
/// `num_complex::Complex<f32>` and `Complex<f64>`. Every pattern of bits is a value of such a type, so
/// whatever another rank sends is one. `bool` and `char` are left out for that reason: send `u8` or `u32`.
///
/// The trait is sealed: other crates cannot implement it.
pub trait Element: sealed::Described + Copy + Send + Sync + 'static {}

pub(crate) mod sealed {
    use super::Datatype;

    /// # Safety
    /// The type has the size of the datatype and an alignment of at most 16. Every pattern of bits is a value
    /// of it.
    pub unsafe trait Described {
        /// The engine's name of the type.
        const DATATYPE: Datatype;
    }
}

macro_rules! elements {
    ($($type:ty => $datatype:ident),+ $(,)?) => {
        $(
            // SAFETY: a number of that size, whose bits may be anything.
            unsafe impl sealed::Described for $type {
                const DATATYPE: Datatype = Datatype::$datatype;
            }
            impl Element for $type {}
            const _: () = assert!(size_of::<$type>() == Datatype::$datatype.bytes() && align_of::<$type>() <= 16);
        )+
    };
}

elements! {
    i8 => Int8, u8 => Uint8, i16 => Int16, u16 => Uint16, i32 => Int32, u32 => Uint32, i64 => Int64,
    u64 => Uint64, f32 => Float32, f64 => Float64,
}

#[cfg(feature = "half")]
elements! { half::f16 => Float16, half::bf16 => Bfloat16 }

#[cfg(feature = "complex")]
elements! { num_complex::Complex<f32> => Complex64, num_complex::Complex<f64> => Complex128 }
