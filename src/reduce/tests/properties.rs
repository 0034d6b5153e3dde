//! Properties that hold for all bits: order of operands, placement and instruction set make no difference.

use proptest::prelude::*;

use super::memory::{self, Placement};
use super::values::{scalar, scalar_bytes, special_bits};
use crate::base::{Datatype, ReduceOp};
use crate::reduce::instruction_set::InstructionSet;
use crate::reduce::table::{divide_kernel, reduce_kernel};

/// A datatype and two runs of up to 70 elements, full of special patterns.
fn operands() -> impl Strategy<Value = (Datatype, Vec<u8>, Vec<u8>)> {
    (0..Datatype::ALL.len()).prop_flat_map(|number| {
        let datatype = Datatype::ALL[number];
        let bits = prop_oneof![any::<u64>(), proptest::sample::select(special_bits(datatype))];
        let bytes = scalar_bytes(datatype);
        let parts = datatype.bytes() / bytes;
        proptest::collection::vec((bits.clone(), bits), 0..70).prop_map(move |pairs| {
            let whole = pairs.len() / parts * parts;
            let a = pairs[..whole].iter().flat_map(|&(x, _)| scalar(x, bytes)).collect();
            let b = pairs[..whole].iter().flat_map(|&(_, y)| scalar(y, bytes)).collect();
            (datatype, a, b)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 1000 }) })]

    #[test]
    fn swapped_operands_placements_and_instruction_sets_give_identical_bits(
        (datatype, a, b) in operands()
    ) {
        for op in ReduceOp::ALL.into_iter().filter(|op| op.accepts(datatype)) {
            let portable = reduce_kernel(InstructionSet::Portable, datatype, op).unwrap();
            let reference = memory::reduce(portable, &a, &b, datatype.bytes(), Placement::Apart);
            for set in InstructionSet::available() {
                let kernel = reduce_kernel(set, datatype, op).unwrap();
                for place in Placement::ALL {
                    for (x, y) in [(&a, &b), (&b, &a)] {
                        let got = memory::reduce(kernel, x, y, datatype.bytes(), place);
                        prop_assert_eq!(&got, &reference, "{:?} {:?} {:?} {:?}", datatype, op, set, place);
                    }
                }
            }
        }
    }

    #[test]
    fn division_gives_identical_bits_on_every_instruction_set(
        (datatype, data, _) in operands(), divisor in 1u32..
    ) {
        if let Some(portable) = divide_kernel(InstructionSet::Portable, datatype) {
            let reference = memory::divide(portable, &data, datatype.bytes(), divisor);
            for set in InstructionSet::available() {
                let kernel = divide_kernel(set, datatype).unwrap();
                let got = memory::divide(kernel, &data, datatype.bytes(), divisor);
                prop_assert_eq!(&got, &reference, "{:?} / {} {:?}", datatype, divisor, set);
            }
        }
    }
}
