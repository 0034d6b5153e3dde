//! Tests of the constants against the numbers of the standard ABI, in `mpi-tests/mpich_constants.txt`.

use std::collections::HashMap;

use crate::constants::{HANDLES, NUMBERS, OFFSETS, POINTERS, VERSIONS};

const TABLE: &str = include_str!("../../../mpi-tests/mpich_constants.txt");

#[test]
fn every_constant_has_the_value_of_the_standard_abi() {
    // A row has a name, its value in MPICH's ABI, and its number in the standard ABI.
    let rows: HashMap<&str, &str> =
        TABLE.lines().filter_map(|line| Some((line.split(' ').next()?, line.split(' ').nth(2)?))).collect();
    // Functions in some ABIs, addresses in the standard's.
    let others = ["DUP_FN", "UNWEIGHTED", "WEIGHTS_EMPTY", "MPIABI_F_STATUS"];
    let mut checked = 0;
    for (name, value) in [NUMBERS, OFFSETS, HANDLES, POINTERS].concat() {
        if others.iter().any(|other| name.contains(other)) {
            continue;
        }
        let standard = name.replace("MPIABI_", "MPI_");
        assert_eq!(rows.get(&*standard), Some(&&*value.to_string()), "{name}");
        checked += 1;
    }
    assert!(checked > 245, "{checked}");
}

#[test]
fn the_version_of_the_abi_is_the_one_that_jax_asks_for() {
    assert_eq!(VERSIONS[0], ("mpiabi_version_major", 2));
    assert!(VERSIONS[1].0 == "mpiabi_version_minor" && VERSIONS[1].1 >= 9);
}
