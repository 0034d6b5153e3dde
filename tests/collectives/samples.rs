//! The sample that the other tests take: it has every level with every cell, and every pair of levels.

use std::collections::HashSet;

use crate::common;
use common::sample::{ALL_LEVELS, hash, product, sample};

/// The numbers of levels of a table with many factors.
const LEVELS: [usize; 6] = [2, 6, 7, 2, 2, 8];

#[test]
fn the_hash_is_that_of_the_samples_in_c() {
    assert_eq!([hash(44, 0, 0), hash(44, 3, 809), hash(1, 1, 2)], [0xecc6_2a37, 0xb2ee_a57d, 0xd9c8_b460]);
}

#[test]
fn each_cell_meets_every_level_in_as_many_turns() {
    for cell in 0..100 {
        let points = sample(44, cell, ALL_LEVELS, LEVELS);
        assert_eq!(points.len(), 8);
        for (factor, levels) in LEVELS.into_iter().enumerate() {
            let met: HashSet<usize> = points.iter().map(|point| point[factor]).collect();
            assert_eq!(met, (0..levels).collect());
        }
    }
}

#[test]
fn any_two_levels_meet_over_many_cells_even_in_one_turn() {
    for seed in 0..50 {
        let points: Vec<_> = (0..800).flat_map(|cell| sample(seed, cell, 1, LEVELS)).collect();
        for first in 0..LEVELS.len() {
            for second in 0..first {
                let met: HashSet<_> = points.iter().map(|point| (point[first], point[second])).collect();
                let missed = LEVELS[first] * LEVELS[second] - met.len();
                assert_eq!(missed, 0, "seed {seed}: factors {first} and {second}");
            }
        }
    }
}

#[test]
fn the_full_product_has_every_point_once() {
    let points = product(LEVELS);
    assert_eq!(points.len(), LEVELS.into_iter().product());
    assert_eq!(points.iter().collect::<HashSet<_>>().len(), points.len());
    assert!(sample(44, 7, ALL_LEVELS, LEVELS).iter().all(|point| points.contains(point)));
}
