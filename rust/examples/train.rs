//! Data-parallel training of a small model. Each rank has its own samples. While it computes the gradient of
//! the bias, that of the weights is already on its way.
//!
//! ```sh
//! cargo build -p anyccl --examples
//! anyccl run -n 4 target/debug/examples/train
//! ```

use anyccl::{Communicator, Op, Result};

const FEATURES: usize = 8;
const SAMPLES: usize = 64;
const STEPS: usize = 300;
const RATE: f64 = 0.1;

fn main() -> Result<()> {
    let world = Communicator::world()?;
    let samples = samples(world.rank() as u64);
    // Rank 0 chooses the first weights; the others get a copy.
    let mut weights = vec![if world.rank() == 0 { 0.5 } else { 0.0 }; FEATURES];
    let mut bias = 0.0;
    world.broadcast(&mut weights, 0)?;

    for _ in 0..STEPS {
        let errors: Vec<f64> = samples.iter().map(|(x, y)| predict(&weights, bias, x) - y).collect();
        let mut gradient = [0.0; FEATURES];
        for ((x, _), error) in samples.iter().zip(&errors) {
            gradient.iter_mut().zip(x).for_each(|(sum, x)| *sum += error * x / SAMPLES as f64);
        }
        let mut of_bias = [0.0];
        world.scope(|scope| {
            scope.all_reduce_in_place(&mut gradient, Op::Avg)?;
            of_bias[0] = errors.iter().sum::<f64>() / SAMPLES as f64;
            scope.all_reduce_in_place(&mut of_bias, Op::Avg)?;
            Ok(())
        })?;
        weights.iter_mut().zip(gradient).for_each(|(weight, slope)| *weight -= RATE * slope);
        bias -= RATE * of_bias[0];
    }

    // All ranks have the same model, bit by bit.
    let mut lowest = weights.clone();
    world.all_reduce_in_place(&mut lowest, Op::Min)?;
    assert_eq!(weights, lowest);
    assert!((bias - 3.0).abs() < 0.01, "the bias is {bias}");
    if world.rank() == 0 {
        println!("{} ranks have found weights {weights:.3?} and bias {bias:.3}", world.size());
    }
    world.close()
}

/// Samples of a rank: features, and the value that the model is to find for them.
fn samples(rank: u64) -> Vec<([f64; FEATURES], f64)> {
    let mut state = rank + 1;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1u32 << 30) - 1.0
    };
    let sample = |_| {
        let x: [f64; FEATURES] = std::array::from_fn(|_| random());
        let y = x.iter().enumerate().map(|(at, x)| at as f64 * x).sum::<f64>() + 3.0;
        (x, y)
    };
    (0..SAMPLES).map(sample).collect()
}

fn predict(weights: &[f64], bias: f64, x: &[f64]) -> f64 {
    weights.iter().zip(x).map(|(weight, x)| weight * x).sum::<f64>() + bias
}
