//! Tests of calls whose ranks compare something else than the call itself.

use super::*;
use crate::comm::call::operation::Variant;

#[test]
fn exchanges_with_one_signature_and_different_lengths_have_plans_of_their_own() {
    on_ranks(2, TransportChoice::Auto, |comm| {
        let call = |kind, count| Call { kind, datatype: Datatype::Byte, op: None, root: 0, count };
        let signature = call(CallKind::OnDevice(Collective::AllReduce), 3);
        let variant = Variant { signature: Some(signature), callback: None };
        let extent_of = |count| {
            let call = call(CallKind::Collective(Collective::AllGather), count);
            let operation = Operation { call, send: std::ptr::null(), recv: std::ptr::null_mut() };
            let (_, prepared) = comm.plan(&operation, &variant).unwrap();
            assert_eq!(prepared.call, signature);
            prepared.extent.map(|extent| (extent.read, extent.written))
        };
        for _ in 0..2 {
            assert_eq!((extent_of(8), extent_of(24)), (Some((8, 16)), Some((24, 48))));
        }
    });
}
