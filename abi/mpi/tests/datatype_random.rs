//! Tests of random nested datatypes against the plain list of their basic elements.

use std::sync::Arc;

use anyccl_mpi::constants as c;
use anyccl_mpi::datatype::{Datatype, Distribution, Typed};
use proptest::prelude::*;

/// A typemap as a list, with bounds by the rules of the standard.
#[derive(Clone, Debug)]
struct Plain {
    /// Offset and code of every basic element.
    entries: Vec<(i64, u32)>,
    lb: i64,
    ub: i64,
}

impl Plain {
    fn extent(&self) -> i64 {
        self.ub - self.lb
    }

    /// The elements of all blocks of (displacement in bytes, elements).
    fn blocks(&self, blocks: impl IntoIterator<Item = (i64, i64)>) -> Plain {
        let mut entries = Vec::new();
        let mut bounds: Option<(i64, i64)> = None;
        for (displacement, blocklength) in blocks {
            for element in 0..blocklength {
                let at = displacement + element * self.extent();
                entries.extend(self.entries.iter().map(|(offset, code)| (offset + at, *code)));
                let (lb, ub) = bounds.unwrap_or((i64::MAX, i64::MIN));
                bounds = Some((lb.min(at + self.lb), ub.max(at + self.ub)));
            }
        }
        let (lb, ub) = bounds.unwrap_or((0, 0));
        Plain { entries, lb, ub }
    }

    /// Offset of every packed byte.
    fn bytes(&self) -> Vec<i64> {
        let scalars = self.entries.iter();
        scalars.flat_map(|(offset, code)| (0..size_of_code(*code)).map(move |byte| offset + byte)).collect()
    }
}

fn size_of_code(code: u32) -> i64 {
    Datatype::predefined(code).unwrap().size()
}

fn leaf() -> impl Strategy<Value = (Arc<Datatype>, Plain)> {
    static SCALARS: [u32; 6] = [c::CHAR, c::SHORT, c::INT, c::DOUBLE, c::LONG_DOUBLE, c::C_DOUBLE_COMPLEX];
    prop_oneof![
        proptest::sample::select(&SCALARS[..]).prop_map(|code| {
            let datatype = Datatype::predefined(code).unwrap().clone();
            let plain = Plain { entries: vec![(0, code)], lb: 0, ub: datatype.extent() };
            (datatype, plain)
        }),
        Just(c::SHORT_INT).prop_map(|code| {
            let datatype = Datatype::predefined(code).unwrap().clone();
            let plain = Plain { entries: vec![(0, c::SHORT), (4, c::INT)], lb: 0, ub: 8 };
            (datatype, plain)
        }),
    ]
}

/// Arguments, from which each constructor takes what it needs.
type Numbers = (u8, Vec<(i64, i64)>, i64, i64);

/// One struct of the old type and an int: the padding follows the alignment of the datatype.
fn int_behind(
    old: &Arc<Datatype>,
    plain: &Plain,
    blocklength: i64,
    a: i64,
    b: i64,
) -> (Arc<Datatype>, Plain) {
    let int = Datatype::predefined(c::INT).unwrap();
    let ints = Plain { entries: vec![(0, c::INT)], lb: 0, ub: 4 };
    let new = Datatype::structure(&[blocklength, 1], &[a, b * 8], &[old.clone(), int.clone()]).unwrap();
    let (mut all, second) = (plain.blocks([(a, blocklength)]), ints.blocks([(b * 8, 1)]));
    all.entries.extend(second.entries.iter().copied());
    all.lb = all.lb.min(second.lb);
    all.ub = all.ub.max(second.ub);
    // Members of one predefined datatype are not padded.
    let is_int = plain.entries == ints.entries && (plain.lb, plain.ub) == (0, 4);
    let align = if is_int { 1 } else { old.alignment().max(4) as i64 };
    all.ub += (-all.extent()).rem_euclid(align);
    (new, all)
}

fn build((kind, pairs, a, b): Numbers, (old, plain): (Arc<Datatype>, Plain)) -> (Arc<Datatype>, Plain) {
    let extent = plain.extent();
    let lengths: Vec<i64> = pairs.iter().map(|pair| pair.0).collect();
    let places: Vec<i64> = pairs.iter().map(|pair| pair.1).collect();
    let (count, blocklength) = (pairs.len() as i64, 1 + a.rem_euclid(3));
    match kind % 11 {
        0 => (Datatype::contiguous(count, &old).unwrap(), plain.blocks([(0, count)])),
        1 => {
            let blocks: Vec<_> = (0..count).map(|i| (i * b * extent, blocklength)).collect();
            (Datatype::vector(count, blocklength, b, &old).unwrap(), plain.blocks(blocks))
        }
        2 => {
            let stride = 11 * b + a;
            let blocks: Vec<_> = (0..count).map(|i| (i * stride, blocklength)).collect();
            (Datatype::hvector(count, blocklength, stride, &old).unwrap(), plain.blocks(blocks))
        }
        3 => {
            let blocks: Vec<_> = pairs.iter().map(|(length, place)| (place * extent, *length)).collect();
            (Datatype::indexed(&lengths, &places, &old).unwrap(), plain.blocks(blocks))
        }
        4 => {
            let blocks: Vec<_> = pairs.iter().map(|(length, place)| (*place, *length)).collect();
            (Datatype::hindexed(&lengths, &places, &old).unwrap(), plain.blocks(blocks))
        }
        5 => {
            let blocks: Vec<_> = places.iter().map(|place| (place * extent, blocklength)).collect();
            (Datatype::indexed_block(blocklength, &places, &old).unwrap(), plain.blocks(blocks))
        }
        6 => {
            let blocks: Vec<_> = places.iter().map(|place| (*place, blocklength)).collect();
            (Datatype::hindexed_block(blocklength, &places, &old).unwrap(), plain.blocks(blocks))
        }
        7 => int_behind(&old, &plain, blocklength, a, b),
        8 => {
            let (lb, extent) = (a, extent + b.abs());
            let new = Datatype::resized(&old, lb, extent).unwrap();
            (new, Plain { lb, ub: lb + extent, ..plain })
        }
        9 => {
            let sizes = [3 + a.rem_euclid(3), 4, 2];
            let (subsizes, starts) = ([2, 1 + b.rem_euclid(3), 2], [1, 1, 0]);
            let new = Datatype::subarray(&sizes, &subsizes, &starts, c::ORDER_FORTRAN, &old).unwrap();
            let mut blocks = Vec::new();
            for z in 0..2 {
                for y in 1..1 + subsizes[1] {
                    for x in 1..3 {
                        blocks.push((((z * 4 + y) * sizes[0] + x) * extent, 1));
                    }
                }
            }
            let whole = sizes.iter().product::<i64>() * extent;
            (new, Plain { lb: 0, ub: whole, ..plain.blocks(blocks) })
        }
        _ => (Datatype::dup(&old), plain),
    }
}

fn nested() -> impl Strategy<Value = (Arc<Datatype>, Plain)> {
    let numbers = (any::<u8>(), proptest::collection::vec((0i64..4, -9i64..9), 1..5), -7i64..7, -5i64..6);
    (leaf(), proptest::collection::vec(numbers, 0..5)).prop_filter_map("too large", |(leaf, all)| {
        let mut made = leaf;
        for numbers in all {
            if made.1.entries.is_empty() || made.1.entries.len() > 2000 {
                return None;
            }
            made = build(numbers, made);
        }
        (!made.1.entries.is_empty()).then_some(made)
    })
}

/// Typed memory around all elements: its bytes, the index of offset 0, and the places of the packed bytes in
/// it.
fn memory(plain: &Plain, count: i64) -> (Vec<u8>, usize, Vec<usize>) {
    let one = plain.bytes();
    let all = (0..count).flat_map(|i| one.iter().map(move |offset| offset + i * plain.extent()));
    let all: Vec<i64> = all.collect();
    let (low, high) = (*all.iter().min().unwrap(), *all.iter().max().unwrap());
    let origin = (-low.min(0)) as usize;
    let bytes = (0..origin as i64 + high.max(0) + 1).map(|i| (i * 37 % 251) as u8).collect();
    (bytes, origin, all.iter().map(|offset| (offset + origin as i64) as usize).collect())
}

/// Whether some byte occurs twice, which makes a receive into the type erroneous.
fn overlaps(places: &[usize]) -> bool {
    let mut places = places.to_vec();
    places.sort_unstable();
    places.windows(2).any(|two| two[0] == two[1])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, max_global_rejects: 100_000, ..ProptestConfig::default() })]

    #[test]
    fn sizes_and_bounds_are_those_of_the_plain_typemap((datatype, plain) in nested()) {
        let bytes = plain.bytes();
        prop_assert_eq!(datatype.size(), bytes.len() as i64);
        prop_assert_eq!(datatype.lb(), plain.lb);
        prop_assert_eq!(datatype.extent(), plain.extent());
        prop_assert_eq!(datatype.true_lb(), *bytes.iter().min().unwrap());
        prop_assert_eq!(datatype.true_extent(), bytes.iter().max().unwrap() + 1 - datatype.true_lb());
        prop_assert_eq!(datatype.elements(), plain.entries.len() as i64);
    }

    #[test]
    fn gather_finds_every_byte_from_any_position(
        (datatype, plain) in nested(), count in 1i64..4, seed in any::<u64>(),
    ) {
        let (bytes, origin, places) = memory(&plain, count);
        let base = bytes.as_ptr().wrapping_add(origin);
        let expected: Vec<u8> = places.iter().map(|place| bytes[*place]).collect();
        let position = seed as usize % expected.len();
        let len = (seed >> 32) as usize % (expected.len() + 9);
        let mut target = vec![0xEE; len];
        // SAFETY: the memory holds every byte of the typemap, and the target has `len` bytes.
        let done = unsafe { datatype.gather(count, base, position, target.as_mut_ptr(), len) };
        prop_assert_eq!(done, len.min(expected.len() - position));
        prop_assert_eq!(&target[..done], &expected[position..position + done]);
        prop_assert!(target[done..].iter().all(|byte| *byte == 0xEE));
        let mut runs = Vec::new();
        for run in datatype.runs(count, position) {
            runs.extend((run.offset..run.offset + run.len as i64).map(|at| (at + origin as i64) as usize));
        }
        prop_assert_eq!(&runs[..], &places[position..]);
        if let Some((offset, run)) = datatype.run_for(count) {
            let from = (origin as i64 + offset) as usize;
            prop_assert_eq!(places, (from..from + run as usize).collect::<Vec<_>>());
        }
    }

    #[test]
    fn scatter_in_pieces_writes_the_bytes_of_the_typemap_and_no_others(
        (datatype, plain) in nested(), count in 1i64..4, step in 1usize..40,
    ) {
        let (bytes, origin, places) = memory(&plain, count);
        prop_assume!(!overlaps(&places));
        let packed: Vec<u8> = (0..places.len()).map(|i| (i * 101 % 253) as u8).collect();
        let mut expected = bytes.clone();
        for (place, byte) in places.iter().zip(&packed) {
            expected[*place] = *byte;
        }
        let mut memory = bytes;
        let base = memory.as_mut_ptr().wrapping_add(origin);
        for (piece, data) in packed.chunks(step).enumerate() {
            // SAFETY: the memory holds every byte of the typemap, and the piece has the bytes named.
            let done = unsafe { datatype.scatter(count, base, piece * step, data.as_ptr(), data.len()) };
            prop_assert_eq!(done, data.len());
        }
        prop_assert_eq!(memory, expected);
    }

    #[test]
    fn a_copy_between_two_types_is_a_pack_and_an_unpack(
        (from, from_plain) in nested(), (to, to_plain) in nested(), counts in (1i64..4, 1i64..4),
    ) {
        let (source, source_origin, source_places) = memory(&from_plain, counts.0);
        let (mut target, origin, places) = memory(&to_plain, counts.1);
        prop_assume!(!overlaps(&places));
        let mut expected = target.clone();
        for (to, from) in places.iter().zip(&source_places) {
            expected[*to] = source[*from];
        }
        let source = Typed { datatype: &from, count: counts.0, base: source.as_ptr().wrapping_add(source_origin) };
        let base = target.as_mut_ptr().wrapping_add(origin);
        // SAFETY: both memories hold every byte of their typemaps.
        let done = unsafe { Datatype::copy(source, Typed { datatype: &to, count: counts.1, base }) };
        prop_assert_eq!(done, places.len().min(source_places.len()));
        prop_assert_eq!(target, expected);
    }

    #[test]
    fn external32_and_back_gives_the_same_bytes((datatype, plain) in nested(), count in 1i64..4) {
        let (bytes, origin, places) = memory(&plain, count);
        // Not every pattern of 16 bytes is a long double.
        prop_assume!(!overlaps(&places) && plain.entries.iter().all(|entry| entry.1 != c::LONG_DOUBLE));
        let mut external = vec![0; datatype.external32_size(count).unwrap() as usize];
        prop_assert_eq!(external.len(), places.len());
        let base = bytes.as_ptr().wrapping_add(origin);
        // SAFETY: the memory holds every byte of the typemap, and the target has the size asked for.
        unsafe { datatype.pack_external(count, base, external.as_mut_ptr()) }.unwrap();
        let mut back = bytes.clone();
        places.iter().for_each(|place| back[*place] = 0xEE);
        let base = back.as_mut_ptr().wrapping_add(origin);
        // SAFETY: as above.
        unsafe { datatype.unpack_external(count, base, external.as_ptr()) }.unwrap();
        prop_assert_eq!(back, bytes);
    }

    #[test]
    fn elements_are_counted_where_the_bytes_end_between_two((datatype, plain) in nested(), bytes in 0i64..3000) {
        let sizes: Vec<i64> = plain.entries.iter().map(|entry| size_of_code(entry.1)).collect();
        let (mut left, mut elements) = (bytes, 0);
        for size in sizes.iter().cycle() {
            if left < *size {
                break;
            }
            left -= size;
            elements += 1;
        }
        prop_assert_eq!(datatype.elements_in(bytes), (left == 0).then_some(elements));
        let count = (bytes % datatype.size() == 0).then(|| bytes / datatype.size());
        prop_assert_eq!(datatype.count_in(bytes), count);
    }

    #[test]
    fn a_distributed_array_gives_every_element_to_one_process(
        sizes in (1i64..9, 1i64..9), processes in (1i32..4, 1i32..4), blocks in (1i32..4, 1i32..4),
        fortran in any::<bool>(),
    ) {
        let order = if fortran { c::ORDER_FORTRAN } else { c::ORDER_C };
        let int = Datatype::predefined(c::INT).unwrap();
        let (gsizes, psizes) = ([sizes.0, sizes.1], [processes.0, processes.1]);
        let size = i64::from(processes.0 * processes.1);
        let mut owners = vec![0; (sizes.0 * sizes.1) as usize];
        for rank in 0..size {
            let array = Distribution {
                size, rank, gsizes: &gsizes, distribs: &[c::DISTRIBUTE_CYCLIC, c::DISTRIBUTE_BLOCK],
                dargs: &[blocks.0, c::DISTRIBUTE_DFLT_DARG], psizes: &psizes, order,
            };
            let datatype = Datatype::darray(array, int).unwrap();
            prop_assert_eq!((datatype.lb(), datatype.extent()), (0, 4 * sizes.0 * sizes.1));
            for run in datatype.runs(1, 0) {
                for at in (run.offset..run.offset + run.len as i64).step_by(4) {
                    owners[(at / 4) as usize] += 1;
                }
            }
        }
        prop_assert!(owners.iter().all(|owner| *owner == 1), "{owners:?}");
    }
}
