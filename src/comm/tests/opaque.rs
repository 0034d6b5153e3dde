//! Tests of reductions by functions on opaque elements.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use super::*;
use crate::plan::{Block, BlockLayout};

/// Adds byte by byte; commutes.
fn add(left: &[u8], right: &mut [u8]) {
    left.iter().zip(right).for_each(|(x, y)| *y = x.wrapping_add(*y));
}

/// Combines pairs of bytes as maps `x -> m * x + c`, of which the left one is applied last. This is
/// associative, but does not commute. An odd last byte is taken from the left.
fn compose(left: &[u8], right: &mut [u8]) {
    for (x, y) in left.chunks(2).zip(right.chunks_mut(2)) {
        if let ([m, c], [n, d]) = (x, &mut *y) {
            (*n, *d) = (m.wrapping_mul(*n), m.wrapping_mul(*d).wrapping_add(*c));
        } else {
            y.copy_from_slice(x);
        }
    }
}

/// The object behind the context of an operator.
struct Meaning {
    element: usize,
    combine: fn(&[u8], &mut [u8]),
}

unsafe extern "C-unwind" fn call(
    input: *const c_void,
    inout: *mut c_void,
    count: usize,
    datatype: c_int,
    context: *mut c_void,
) {
    // SAFETY: the context of these tests.
    let meaning = unsafe { &*context.cast::<Meaning>() };
    assert_eq!(datatype, Datatype::Byte as c_int);
    let bytes = count * meaning.element;
    // SAFETY: `count` whole elements.
    let left = unsafe { std::slice::from_raw_parts(input.cast::<u8>(), bytes) };
    // SAFETY: as above, apart from the others.
    let right = unsafe { std::slice::from_raw_parts_mut(inout.cast::<u8>(), bytes) };
    for (x, y) in left.chunks(meaning.element).zip(right.chunks_mut(meaning.element)) {
        (meaning.combine)(x, y);
    }
}

/// The bytes of a rank's contribution.
fn contribution(rank: u32, bytes: usize) -> Vec<u8> {
    // Odd, so that no product becomes 0 soon.
    (0..bytes).map(|at| (at.wrapping_mul(7) as u8).wrapping_add(rank as u8 * 2 + 1)).collect()
}

/// The contributions of `ranks`, combined in order.
fn fold(meaning: &Meaning, ranks: std::ops::Range<u32>, bytes: usize) -> Vec<u8> {
    let mut all: Vec<Vec<u8>> = ranks.map(|rank| contribution(rank, bytes)).collect();
    let mut result = all.pop().unwrap();
    while let Some(left) = all.pop() {
        for (x, y) in left.chunks(meaning.element).zip(result.chunks_mut(meaning.element)) {
            (meaning.combine)(x, y);
        }
    }
    result
}

/// Runs one collective with an operator on opaque elements in all ways, and compares with the definition.
fn check(comm: &Arc<Communicator>, meaning: &Meaning, commutes: bool, collective: Collective, count: usize) {
    let (rank, size, element) = (comm.rank(), comm.size(), meaning.element);
    let context = std::ptr::from_ref(meaning).cast_mut().cast();
    // SAFETY: the function and its context are as they should be for all of the test.
    let operator = Arc::new(unsafe { Operator::opaque(call, context, commutes, element) }.unwrap());
    let root = size - 1;
    let call = Call {
        kind: CallKind::Collective(collective),
        datatype: Datatype::Byte,
        op: Some(operator.op()),
        root: if collective.has_root() { root } else { 0 },
        count: count as u64,
    };
    let of = |elements: usize| elements * element;
    let input = of(collective.input_elements(size as usize, rank, call.root, count));
    let output = of(collective.output_elements(size as usize, rank, call.root, count));
    let expected = match collective {
        Collective::AllReduce => fold(meaning, 0..size, input),
        Collective::Reduce if rank == root => fold(meaning, 0..size, input),
        Collective::ReduceScatter => {
            fold(meaning, 0..size, input)[rank as usize * output..][..output].to_vec()
        }
        Collective::Scan => fold(meaning, 0..rank + 1, input),
        Collective::Exscan if rank > 0 => fold(meaning, 0..rank, input),
        _ => Vec::new(),
    };
    let name = format!("{collective:?}, {size} ranks, {count} elements of {element}, commutes {commutes}");
    for in_place in [false, true] {
        let mut send = contribution(rank, input);
        let mut other = vec![0xee; output];
        let from = send.as_mut_ptr();
        let to = match collective {
            _ if !in_place => other.as_mut_ptr(),
            Collective::ReduceScatter => from.wrapping_add(rank as usize * output),
            Collective::Reduce if rank != root => other.as_mut_ptr(),
            _ => from,
        };
        let operation = Operation { call, send: from.cast_const(), recv: to };
        let written = expected.len();
        let finish = |send: &mut Vec<u8>| {
            // SAFETY: the result is in one of the two vectors, and no longer than that.
            let result = unsafe { std::slice::from_raw_parts(to, written) };
            assert!(result == expected, "{name}, in place {in_place}");
            send.copy_from_slice(&contribution(rank, input));
        };
        // SAFETY: both vectors are as long as the call says.
        unsafe { comm.run(CallSpec::Collective(&operation, Some(&operator))) }.unwrap();
        finish(&mut send);
        // SAFETY: as above; it ends before they go.
        let mut started = unsafe { comm.start(CallSpec::Collective(&operation, Some(&operator))) }.unwrap();
        started.wait().unwrap();
        finish(&mut send);
        // SAFETY: as above.
        let persistent =
            unsafe { Persistent::new(comm.clone(), CallSpec::Collective(&operation, Some(&operator))) };
        let mut persistent = persistent.unwrap();
        for _ in 0..2 {
            persistent.start().unwrap();
            persistent.wait().unwrap();
            finish(&mut send);
        }
    }
}

/// Runs a collective on blocks of unequal length, of which each rank gets its own.
fn check_unequal(comm: &Arc<Communicator>, meaning: &Meaning, commutes: bool, longest: usize) {
    let (rank, size, element) = (comm.rank() as usize, comm.size() as usize, meaning.element);
    let context = std::ptr::from_ref(meaning).cast_mut().cast();
    // SAFETY: the function and its context are as they should be for all of the test.
    let operator = Arc::new(unsafe { Operator::opaque(call, context, commutes, element) }.unwrap());
    let mut offset = 0;
    let blocks: Vec<Block> = (0..size)
        .map(|rank| {
            let len = longest * (rank % 3) / 2;
            offset += len;
            Block { offset: offset - len, len }
        })
        .collect();
    let own = [Block { offset: 0, len: blocks[rank].len }];
    let send = contribution(rank as u32, offset * element);
    let mut recv = vec![0; own[0].len * element];
    let layout = BlockLayout { input: &blocks, output: &own, ..BlockLayout::NONE };
    let places = Places::Buffers { send: send.as_ptr(), recv: recv.as_mut_ptr() };
    let operation = Unequal {
        collective: Collective::ReduceScatterV,
        datatype: Datatype::Byte,
        op: Some(operator.op()),
        root: 0,
        layout,
        places,
    };
    // SAFETY: the blocks lie in the two vectors.
    unsafe { comm.run(CallSpec::Unequal(&operation, Some(&operator))) }.unwrap();
    let whole = fold(meaning, 0..size as u32, offset * element);
    let at = blocks[rank].offset * element;
    assert!(recv == whole[at..at + recv.len()], "{size} ranks, {longest} of {element}, {commutes}");
}

#[test]
fn elements_of_any_size_are_reduced_whole_and_in_order_by_every_collective() {
    use Collective::*;
    for transport in [TransportChoice::Auto, TransportChoice::Tcp] {
        // Over sockets only the cuts into fragments differ. With ThreadSanitizer, all sizes take minutes.
        let is_short = transport == TransportChoice::Tcp || cfg!(sanitizer);
        let sizes = if is_short { &[3][..] } else { &[1, 2, 3, 5] };
        for &size in sizes {
            let config = config(transport);
            let id = UniqueId::create(&config).unwrap();
            thread::scope(|scope| {
                for rank in 0..size {
                    let config = &config;
                    scope.spawn(move || {
                        let own = CommConfig::default();
                        let comm = Arc::new(Communicator::create(&id, size, rank, config, &own).unwrap());
                        for (element, counts) in [
                            (1, [1, 300]),
                            (3, [7, 9000]),
                            (8, [1, 2000]),
                            (24, [2, 3000]),
                            (100_001, [1, 2]),
                            (1_200_000, [0, 1]),
                        ] {
                            for (combine, commutes) in [(add as fn(&[u8], &mut [u8]), true), (compose, false)]
                            {
                                let meaning = Meaning { element, combine };
                                for count in counts {
                                    for collective in [AllReduce, Reduce, ReduceScatter, Scan, Exscan] {
                                        check(&comm, &meaning, commutes, collective, count);
                                    }
                                    check_unequal(&comm, &meaning, commutes, count);
                                }
                            }
                        }
                        comm.finalize().unwrap();
                    });
                }
            });
        }
    }
}

#[test]
fn ranks_with_elements_of_different_sizes_get_an_error() {
    let results = on_ranks(2, TransportChoice::Auto, |comm| {
        let meaning = Meaning { element: 12 + 12 * comm.rank() as usize, combine: add };
        let context = std::ptr::from_ref(&meaning).cast_mut().cast();
        // SAFETY: the function and its context are as they should be.
        let operator = Arc::new(unsafe { Operator::opaque(call, context, true, meaning.element) }.unwrap());
        let count = 2 - u64::from(comm.rank());
        let call = Call {
            kind: CallKind::Collective(Collective::Reduce),
            datatype: Datatype::Byte,
            op: Some(operator.op()),
            root: 0,
            count,
        };
        let (send, mut recv) = ([0; 24], [0; 24]);
        let operation = Operation { call, send: send.as_ptr(), recv: recv.as_mut_ptr() };
        // SAFETY: 24 bytes on each rank.
        unsafe { comm.run(CallSpec::Collective(&operation, Some(&operator))) }.and_then(|()| comm.finalize())
    });
    let text = results.into_iter().find_map(Result::err).expect("nobody noticed").to_string();
    assert!(text.contains("count 2 of 12 bytes") && text.contains("count 1 of 24 bytes"), "{text}");
}

#[test]
fn opaque_elements_have_at_least_one_byte_and_their_operator_takes_no_other_datatype() {
    let refused = |element| {
        // SAFETY: the function is never called.
        let made = unsafe { Operator::opaque(call, std::ptr::null_mut(), true, element) };
        matches!(made, Err(Error::InvalidArgument { what: "element_bytes", .. }))
    };
    assert!(refused(0) && refused(usize::MAX));
    // SAFETY: as above.
    let operator = unsafe { Operator::opaque(call, std::ptr::null_mut(), true, 24) }.unwrap();
    assert!(operator.accepts(Datatype::Byte) && !operator.accepts(Datatype::Float64));
}
