//! Numbers of windows in the ABIs of MPICH and Open MPI.

use std::ffi::c_int;

use crate::abi::Numbers;
use crate::constants as c;

/// A number of the standard ABI, and that of another.
type Pair = (i32, c_int);

/// Numbers of an ABI.
pub struct WinNumbers {
    lock_types: [Pair; 2],
    models: [Pair; 2],
    assertions: [Pair; 5],
}

/// Numbers of MPICH.
pub static MPICH: WinNumbers = WinNumbers {
    lock_types: [(c::LOCK_EXCLUSIVE, 234), (c::LOCK_SHARED, 235)],
    models: [(c::WIN_UNIFIED, 2), (c::WIN_SEPARATE, 1)],
    assertions: [
        (c::MODE_NOCHECK, 1024),
        (c::MODE_NOSTORE, 2048),
        (c::MODE_NOPUT, 4096),
        (c::MODE_NOPRECEDE, 8192),
        (c::MODE_NOSUCCEED, 16384),
    ],
};

/// Numbers of Open MPI.
pub static OPEN_MPI: WinNumbers = WinNumbers {
    lock_types: [(c::LOCK_EXCLUSIVE, 1), (c::LOCK_SHARED, 2)],
    models: [(c::WIN_UNIFIED, 0), (c::WIN_SEPARATE, 1)],
    assertions: [
        (c::MODE_NOCHECK, 1),
        (c::MODE_NOPRECEDE, 2),
        (c::MODE_NOPUT, 4),
        (c::MODE_NOSTORE, 8),
        (c::MODE_NOSUCCEED, 16),
    ],
};

/// Flavors, which both ABIs number alike.
const FLAVORS: [Pair; 4] = [
    (c::WIN_FLAVOR_CREATE, 1),
    (c::WIN_FLAVOR_ALLOCATE, 2),
    (c::WIN_FLAVOR_DYNAMIC, 3),
    (c::WIN_FLAVOR_SHARED, 4),
];

impl WinNumbers {
    fn pairs(&self, numbers: Numbers) -> &[Pair] {
        match numbers {
            Numbers::LockType => &self.lock_types,
            Numbers::WinModel => &self.models,
            Numbers::Assertion => &self.assertions,
            _ => &FLAVORS,
        }
    }

    /// Translates a number of the program. A number without a meaning becomes -1.
    pub fn number(&self, numbers: Numbers, raw: c_int) -> i32 {
        let pairs = self.pairs(numbers);
        if numbers != Numbers::Assertion {
            return pairs.iter().find(|(_, its)| *its == raw).map_or(-1, |(number, _)| *number);
        }
        let known = pairs.iter().fold(0, |known, (_, its)| known | its);
        let set = pairs.iter().filter(|(_, its)| raw & its != 0);
        if raw & !known == 0 { set.fold(0, |bits, (bit, _)| bits | bit) } else { -1 }
    }

    /// Translates a number for the program, which gets no assertions.
    pub fn raw_number(&self, numbers: Numbers, number: i32) -> c_int {
        self.pairs(numbers).iter().find(|(its, _)| *its == number).map_or(-1, |(_, raw)| *raw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assertions_are_translated_bit_by_bit_and_unknown_bits_are_noticed() {
        let number = |raw| MPICH.number(Numbers::Assertion, raw);
        assert_eq!(number(2048 | 8192), c::MODE_NOSTORE | c::MODE_NOPRECEDE);
        assert_eq!(OPEN_MPI.number(Numbers::Assertion, 16), c::MODE_NOSUCCEED);
        assert_eq!(number(0), 0);
        assert_eq!(number(1), -1);
    }
}
