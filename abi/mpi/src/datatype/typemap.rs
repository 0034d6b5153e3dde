//! A typemap with its bounds, and the operations of which every constructor is made.
//!
//! Each operation checks bounds and size first. After that, no offset inside the layout can overflow.

use super::basic::Basic;
use super::bounds::{Bounds, narrow, product};
use super::layout::{Body, Builder, Placed};
use super::signature::{SequenceBuilder, Signature, Unit};
use crate::constants as c;
use crate::error::Result;

/// The description of one element.
#[derive(Clone, Debug)]
pub(super) struct Typemap {
    /// Bytes of data.
    pub size: i64,
    /// Lower and upper bounds.
    pub bounds: Bounds,
    /// Alignment of the strictest member.
    pub align: u32,
    /// Layout of the bytes.
    pub placed: Placed,
    /// Predefined datatypes of the bytes.
    pub signature: Signature,
}

impl Typemap {
    /// A typemap without entries.
    pub fn empty() -> Typemap {
        let byte = Basic::of(c::BYTE).expect("MPI_BYTE is in the table");
        Typemap {
            size: 0,
            bounds: Bounds::default(),
            align: 1,
            placed: Placed::EMPTY,
            signature: Signature { count: 0, unit: Signature::basic(byte).unit },
        }
    }

    /// A typemap without data. Its signature repeats the unit of `self` zero times.
    fn without_data(&self) -> Typemap {
        Typemap { signature: self.signature.repeated(0), ..Typemap::empty() }
    }

    /// One predefined datatype.
    pub fn basic(basic: &'static Basic) -> Typemap {
        let (size, extent) = (u64::from(basic.size), i64::from(basic.extent));
        let mut builder = Builder::default();
        let mut true_ub = extent;
        match basic.form {
            super::basic::Form::Pair { value, at, .. } => {
                let value = u64::from(Basic::of(value).map_or(0, |value| value.size));
                builder.push(&Placed { offset: 0, body: Body::Run(value) });
                builder.push(&Placed { offset: at.into(), body: Body::Run(size - value) });
                true_ub = i64::from(at) + (size - value) as i64;
            }
            _ => builder.push(&Placed { offset: 0, body: Body::Run(size) }),
        }
        Typemap {
            size: size as i64,
            bounds: Bounds { lb: 0, ub: extent, true_lb: 0, true_ub },
            align: basic.align,
            placed: builder.finish().expect("a pair is not nested"),
            signature: Signature::basic(basic),
        }
    }

    /// Whether both are the same object or the same predefined datatype.
    fn is_same(&self, other: &Typemap) -> bool {
        let natural = || self.is_natural() && other.is_natural();
        std::ptr::eq(self, other) || natural() && self.signature.is_same(&other.signature)
    }

    /// Whether it is one predefined datatype with its own bounds.
    fn is_natural(&self) -> bool {
        let Unit::Basic(basic) = self.signature.unit else { return false };
        self.signature.count == 1 && self.bounds.lb == 0 && self.extent() == i64::from(basic.extent)
    }

    /// Bytes from one element to the next.
    pub fn extent(&self) -> i64 {
        self.bounds.extent()
    }

    /// `count` elements one after the other.
    pub fn contiguous(&self, count: i64) -> Result<Typemap> {
        if count == 0 || self.size == 0 {
            return Ok(self.without_data());
        }
        Ok(Typemap {
            size: product(self.size, count, "size")?,
            bounds: self.bounds.repeated(count, self.extent())?,
            align: self.align,
            placed: self.placed.repeated(count as u64, self.extent()),
            signature: self.signature.repeated(count as u64),
        })
    }

    /// `count` blocks of `blocklength` elements, `stride` bytes apart.
    pub fn vector(&self, count: i64, blocklength: i64, stride: i64) -> Result<Typemap> {
        if count == 0 || self.size == 0 {
            return Ok(self.without_data());
        }
        let blocks = product(self.size, blocklength, "size")?;
        let size = product(blocks, count, "size")?;
        let bounds = self.bounds.repeated(blocklength, self.extent())?.repeated(count, stride)?;
        Ok(Typemap {
            size,
            bounds,
            align: self.align,
            placed: self.placed.repeated(blocklength as u64, self.extent()).repeated(count as u64, stride),
            signature: self.signature.repeated(blocklength as u64 * count as u64),
        })
    }

    /// Blocks of (elements, displacement in bytes). Empty ones count if `keep_empty` is set.
    pub fn blocks(
        &self,
        blocks: &mut dyn ExactSizeIterator<Item = (i64, i64)>,
        keep_empty: bool,
    ) -> Result<Typemap> {
        if self.size == 0 {
            return Ok(self.without_data());
        }
        let mut bounds: Option<Bounds> = None;
        let mut size = 0i128;
        let mut elements = 0u64;
        let mut builder = Builder::with_capacity(blocks.len());
        let mut last: Option<(i64, Bounds, Placed)> = None;
        for (blocklength, displacement) in blocks {
            if blocklength == 0 && !keep_empty {
                continue;
            }
            // Neighbouring blocks often have the same length, so the last block's typemap is kept.
            let (_, around, placed) = match last.take() {
                Some(block) if block.0 == blocklength => last.insert(block),
                _ => {
                    product(self.size, blocklength, "size")?;
                    let around = self.bounds.repeated(blocklength, self.extent())?;
                    last.insert((
                        blocklength,
                        around,
                        self.placed.repeated(blocklength as u64, self.extent()),
                    ))
                }
            };
            let around = around.moved(displacement)?;
            bounds = Some(match bounds {
                Some(bounds) => bounds.union(&around)?,
                None => around,
            });
            size = i128::from(narrow(size + i128::from(self.size) * i128::from(blocklength), "size")?);
            elements += blocklength as u64;
            builder.push(&placed.moved(displacement));
        }
        Ok(Typemap {
            size: size as i64,
            bounds: bounds.unwrap_or_default(),
            align: self.align,
            placed: builder.finish()?,
            signature: self.signature.repeated(elements),
        })
    }

    /// Blocks of (elements, displacement in bytes, typemap), with padding at the end as in C. As in MPICH,
    /// members of one type are not padded: they form an indexed type.
    pub fn structure<'a>(members: impl Iterator<Item = (i64, i64, &'a Typemap)>) -> Result<Typemap> {
        let mut bounds: Option<Bounds> = None;
        let mut size = 0i128;
        let mut align = 1;
        let mut first: Option<&Typemap> = None;
        let mut is_mixed = false;
        let mut builder = Builder::default();
        let mut sequence = SequenceBuilder::default();
        for (blocklength, displacement, typemap) in members {
            is_mixed |= !first.get_or_insert(typemap).is_same(typemap);
            if blocklength == 0 {
                continue;
            }
            let around = typemap.bounds.repeated(blocklength, typemap.extent())?.moved(displacement)?;
            bounds = Some(match bounds {
                Some(bounds) => bounds.union(&around)?,
                None => around,
            });
            align = align.max(typemap.align);
            size = i128::from(narrow(size + i128::from(typemap.size) * i128::from(blocklength), "size")?);
            if typemap.size != 0 {
                let blocklength = blocklength as u64;
                builder.push(&typemap.placed.repeated(blocklength, typemap.extent()).moved(displacement));
                sequence.push(&typemap.signature.repeated(blocklength));
            }
        }
        let empty = Typemap::empty();
        let Some(bounds) = bounds.filter(|_| size > 0) else { return Ok(empty) };
        Ok(Typemap {
            size: size as i64,
            bounds: if is_mixed { bounds.padded(align)? } else { bounds },
            align,
            placed: builder.finish()?,
            signature: sequence.finish()?.unwrap_or(empty.signature),
        })
    }

    /// The data of this typemap between other bounds.
    pub fn resized(&self, lb: i64, extent: i64) -> Result<Typemap> {
        Ok(Typemap { bounds: self.bounds.resized(lb, extent)?, ..self.clone() })
    }
}
