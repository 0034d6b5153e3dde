//! Tests of every scaling of every instruction set against the oracle's product.

use super::oracle;
use super::values::Generator;
use crate::base::{Datatype, ReduceOp};
use crate::reduce::instruction_set::InstructionSet;
use crate::reduce::scale::scale_kernel;

#[test]
fn every_scaling_is_the_product_with_the_scalar_out_of_place_and_in_place() {
    let mut generator = Generator(7);
    for set in InstructionSet::available() {
        for datatype in Datatype::ALL {
            let Some(scale) = scale_kernel(set, datatype) else {
                assert!(!ReduceOp::PremulSum.accepts(datatype));
                continue;
            };
            let bytes = datatype.bytes();
            for &count in if cfg!(miri) { &[0, 33][..] } else { &[0, 1, 7, 33, 1001] } {
                let scalar = generator.elements(datatype, 1);
                let source = generator.elements(datatype, count);
                let product = |x: &[u8]| oracle::combine(datatype, ReduceOp::Product, &scalar, x);
                let expected: Vec<u8> = source.chunks(bytes).flat_map(product).collect();
                // The extra byte in front moves everything to odd addresses.
                let shifted = |all: &[u8]| [&[0], all].concat();
                let (scalar, mut from, mut to) =
                    (shifted(&scalar), shifted(&source), vec![0; 1 + source.len()]);
                // SAFETY: behind the first byte, one element and `count` elements, all in different vectors.
                unsafe { scale(to[1..].as_mut_ptr(), from[1..].as_ptr(), scalar[1..].as_ptr(), count) };
                let what = format!("{} {} of {count}", datatype.name(), set.name());
                assert!(to[1..] == expected, "{what}");
                assert!(from[1..] == source, "{what}: the source was changed");
                let place = from[1..].as_mut_ptr();
                // SAFETY: as above; the destination is the source.
                unsafe { scale(place, place, scalar[1..].as_ptr(), count) };
                assert!(from[1..] == expected, "{what}, in place");
            }
        }
    }
}
