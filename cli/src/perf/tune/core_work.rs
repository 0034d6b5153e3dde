//! Work of one core: reductions and copies.

use std::hint::black_box;
use std::time::Instant;

use anyccl_engine::base::{Datatype, ReduceOp};
use anyccl_engine::reduce::reduce_fn;

use crate::perf::statistics::Summary;

/// Limits for samples: total bytes, and number of samples; the median counts.
const SAMPLED: (usize, usize) = (256 << 20, 200);
/// Bytes of one sample at least, so that reading the clock takes a small part of it.
const SAMPLE: usize = 64 << 10;

/// Microseconds of a reduction with a result of `bytes` bytes.
pub fn reduction_us(bytes: usize) -> f64 {
    let reduce = reduce_fn(Datatype::Float32, ReduceOp::Sum).expect("floats can be added");
    median_us(bytes, |sum, other| {
        let dst = sum.as_mut_ptr().cast::<u8>();
        // SAFETY: both have as many elements, and the destination is exactly the first operand.
        unsafe { reduce(dst, dst, other.as_ptr().cast(), sum.len()) };
    })
}

/// Microseconds of a copy of `bytes` bytes.
pub fn copy_us(bytes: usize) -> f64 {
    median_us(bytes, |to, from| to.copy_from_slice(from))
}

/// Median microseconds of `work` on two buffers of `bytes` bytes.
fn median_us(bytes: usize, work: impl Fn(&mut [f32], &[f32])) -> f64 {
    let elements = bytes / size_of::<f32>();
    let (mut one, other) = (vec![0f32; elements], vec![1f32; elements]);
    let times = (SAMPLE / bytes).max(1);
    let (in_all, most) = SAMPLED;
    let sample = |_| {
        let start = Instant::now();
        for _ in 0..times {
            work(black_box(&mut one), black_box(&other));
        }
        start.elapsed().as_secs_f64() / times as f64
    };
    let seconds: Vec<f64> = (0..(in_all / (bytes * times)).min(most)).map(sample).collect();
    Summary::of(&seconds).median * 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reduction_takes_between_a_picosecond_and_a_microsecond_per_byte() {
        const BYTES: usize = 1 << 20;
        let us_per_byte = reduction_us(BYTES) / BYTES as f64;
        assert!(1e-6 < us_per_byte && us_per_byte < 1.0, "{us_per_byte}");
    }
}
