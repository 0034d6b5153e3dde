//! The results that the engine's kernels give on host memory, reduced from rank 0 on.

use anyccl_engine::base::{Datatype, ReduceOp};
use anyccl_engine::reduce::{conversions, divide_fn, reduce_fn, scale_fn};
use half::{bf16, f16};

/// A reduction of the engine.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    pub datatype: Datatype,
    pub op: ReduceOp,
    pub saturates: bool,
}

impl Operation {
    /// Every pair that the engine accepts; 8-bit floats once more with saturation.
    pub fn all() -> impl Iterator<Item = Operation> {
        let ops = || ReduceOp::ALL.into_iter().chain([ReduceOp::PremulSum]);
        Datatype::ALL.into_iter().flat_map(move |datatype| {
            ops().filter(move |op| op.accepts(datatype)).flat_map(move |op| {
                let may_saturate = matches!(datatype, Datatype::Float8E4m3 | Datatype::Float8E5m2);
                let modes: &[bool] = if may_saturate { &[false, true] } else { &[false] };
                modes.iter().map(move |saturates| Operation { datatype, op, saturates: *saturates })
            })
        })
    }

    /// The reduction of these contributions, out of those of `ranks` ranks. `scalars` has one of each
    /// contribution.
    pub fn expected(self, contributions: &[Vec<u8>], scalars: &[Vec<u8>], ranks: usize) -> Vec<u8> {
        let contributions: Vec<Vec<u8>> = contributions
            .iter()
            .zip(scalars)
            .map(
                |(data, scalar)| {
                    if self.op == ReduceOp::PremulSum { self.scaled(data, scalar) } else { data.clone() }
                },
            )
            .collect();
        if !self.widens(contributions.len(), ranks) {
            return self.on(self.datatype, &contributions);
        }
        let wide: Vec<Vec<u8>> = contributions.iter().map(|data| self.widened(data)).collect();
        self.narrowed(&self.on(Datatype::Float32, &wide))
    }

    fn count(self, data: &[u8], datatype: Datatype) -> usize {
        data.len() / datatype.bytes()
    }

    fn scaled(self, data: &[u8], scalar: &[u8]) -> Vec<u8> {
        let (mut out, scale) = (data.to_vec(), scale_fn(self.datatype, self.saturates).unwrap());
        let count = self.count(data, self.datatype);
        // SAFETY: one scalar, and two buffers of so many elements.
        unsafe { scale(out.as_mut_ptr(), data.as_ptr(), scalar.as_ptr(), count) };
        out
    }

    /// Whether the kernel computes in float32.
    fn widens(self, contributions: usize, ranks: usize) -> bool {
        let rounds =
            matches!(self.op, ReduceOp::Sum | ReduceOp::Product | ReduceOp::Avg | ReduceOp::PremulSum);
        match self.datatype {
            Datatype::Float16 | Datatype::Bfloat16 => {
                rounds && (contributions > 1 || self.op == ReduceOp::Avg)
            }
            Datatype::Float8E4m3 | Datatype::Float8E5m2 => {
                (rounds || self.saturates) && (ranks > 1 || self.op == ReduceOp::Avg)
            }
            _ => false,
        }
    }

    /// The reduction, and the division of an average, in a datatype.
    fn on(self, datatype: Datatype, contributions: &[Vec<u8>]) -> Vec<u8> {
        let mut result = contributions[0].clone();
        let (kernel, count) = (reduce_fn(datatype, self.op).unwrap(), self.count(&result, datatype));
        for next in &contributions[1..] {
            let place = result.as_mut_ptr();
            // SAFETY: two buffers of so many elements; the result takes the place of an operand.
            unsafe { kernel(place, place, next.as_ptr(), count) };
        }
        if self.op == ReduceOp::Avg {
            let divide = divide_fn(datatype).unwrap();
            // SAFETY: a buffer of so many elements.
            unsafe { divide(result.as_mut_ptr(), count, contributions.len() as u32) };
        }
        result
    }

    fn widened(self, data: &[u8]) -> Vec<u8> {
        let halves = || data.chunks(2).map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]]));
        match self.datatype {
            Datatype::Float16 => {
                halves().flat_map(|bits| f16::from_bits(bits).to_f32().to_le_bytes()).collect()
            }
            Datatype::Bfloat16 => {
                halves().flat_map(|bits| bf16::from_bits(bits).to_f32().to_le_bytes()).collect()
            }
            datatype => {
                let mut out = vec![0; 4 * data.len()];
                let widen = conversions(datatype, self.saturates).unwrap().widen;
                // SAFETY: as many elements as bytes, with room for their float32.
                unsafe { widen(out.as_mut_ptr(), data.as_ptr(), data.len()) };
                out
            }
        }
    }

    fn narrowed(self, data: &[u8]) -> Vec<u8> {
        let floats = || data.chunks(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()));
        let float16 = |value: f32| if value.is_nan() { 0x7e00 } else { f16::from_f32(value).to_bits() };
        let bfloat16 = |value: f32| if value.is_nan() { 0x7fc0 } else { bf16::from_f32(value).to_bits() };
        match self.datatype {
            Datatype::Float16 => floats().flat_map(|value| float16(value).to_le_bytes()).collect(),
            Datatype::Bfloat16 => floats().flat_map(|value| bfloat16(value).to_le_bytes()).collect(),
            datatype => {
                let mut out = vec![0; data.len() / 4];
                let narrow = conversions(datatype, self.saturates).unwrap().narrow;
                // SAFETY: so many float32, with room for a byte of each.
                unsafe { narrow(out.as_mut_ptr(), data.as_ptr(), out.len()) };
                out
            }
        }
    }
}
