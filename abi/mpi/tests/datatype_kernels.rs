//! Tests of the loops that move many runs: every short length and step, many elements, and the end of memory.

use std::sync::Arc;

use anyccl_mpi::constants as c;
use anyccl_mpi::datatype::Datatype;

fn bytes_of(len: i64) -> Arc<Datatype> {
    Datatype::contiguous(len, Datatype::predefined(c::BYTE).unwrap()).unwrap()
}

/// Gathers and scatters `count` elements whose packed bytes lie at `places` from the start of memory, from
/// packed byte `position` on. Compares the result with copies byte by byte.
fn check(datatype: &Datatype, count: i64, places: &[usize], origin: usize, position: usize) {
    let memory: Vec<u8> = (0..places.iter().max().unwrap_or(&0) + 1).map(|i| (i * 37 % 251) as u8).collect();
    let expected: Vec<u8> = places[position..].iter().map(|place| memory[*place]).collect();
    let mut packed = vec![0xEE; expected.len()];
    let base = memory.as_ptr().wrapping_add(origin);
    // SAFETY: the memory holds every byte of the elements, and the target has as many as are left.
    let done = unsafe { datatype.gather(count, base, position, packed.as_mut_ptr(), packed.len()) };
    assert_eq!((done, &packed), (expected.len(), &expected), "{count} of {datatype:?} from {position}");
    let source: Vec<u8> = (0..expected.len()).map(|i| (i * 101 % 253) as u8).collect();
    let mut written = memory.clone();
    let mut wanted = memory;
    places[position..].iter().zip(&source).for_each(|(place, byte)| wanted[*place] = *byte);
    let base = written.as_mut_ptr().wrapping_add(origin);
    // SAFETY: as above, with the sides exchanged.
    unsafe { datatype.scatter(count, base, position, source.as_ptr(), source.len()) };
    assert!(written == wanted, "scatter of {count} of {datatype:?} from {position}");
}

/// Places of the packed bytes of runs at these offsets, for `count` elements `extent` bytes apart.
fn places(runs: &[(i64, i64)], count: i64, extent: i64, origin: usize) -> Vec<usize> {
    let elements =
        (0..count).flat_map(|element| runs.iter().map(move |run| (element * extent + run.0, run.1)));
    elements.flat_map(|(at, len)| (at..at + len).map(|byte| (byte + origin as i64) as usize)).collect()
}

#[test]
fn runs_of_every_short_length_move_at_every_step() {
    for len in 1..=70 {
        let run = bytes_of(len);
        for stride in [len, len + 1, 2 * len, 2 * len + 1, 3 * len, -len, -2 * len, -3 * len - 1] {
            for count in [1, 2, 3, 4, 5, 8, 9, 16, 17, 41] {
                let vector = Datatype::hvector(count, 1, stride, &run).unwrap();
                let runs: Vec<_> = (0..count).map(|i| (i * stride, len)).collect();
                let origin = (-vector.true_lb()).max(0) as usize;
                let places = places(&runs, 1, 0, origin);
                for position in [0, 1, places.len() / 2, places.len() - 1] {
                    check(&vector, 1, &places, origin, position);
                }
            }
        }
    }
}

#[test]
fn listed_runs_of_every_short_length_move() {
    for len in 1..=40 {
        // Growing steps, so that there is no constant one.
        let offsets: Vec<i64> = (0..30).map(|i| i * len + i * (i + 1) / 2).collect();
        let listed = Datatype::hindexed_block(1, &offsets, &bytes_of(len)).unwrap();
        let runs: Vec<_> = offsets.iter().map(|offset| (*offset, len)).collect();
        let places = places(&runs, 1, 0, 0);
        for position in [0, 1, places.len() / 2, places.len() - 1] {
            check(&listed, 1, &places, 0, position);
        }
    }
}

#[test]
fn many_small_elements_move_run_by_run() {
    let of = |runs: &[(i64, i64)], extent: i64| {
        let (offsets, lens): (Vec<i64>, Vec<i64>) = runs.iter().copied().unzip();
        let made = Datatype::hindexed(&lens, &offsets, Datatype::predefined(c::BYTE).unwrap()).unwrap();
        Datatype::resized(&made, 0, extent).unwrap()
    };
    let steps: Vec<(i64, i64)> = (0..20).map(|i| (16 * i, 8)).collect();
    let long: Vec<(i64, i64)> = (0..70).map(|i| (5 * i, 3)).collect();
    let wide: Vec<(i64, i64)> = (0..3).map(|i| (700 * i, 300 + i)).collect();
    for (runs, extent) in [
        (&[(0, 4), (8, 8)][..], 16),
        (&[(8, 8), (0, 4)], 16),
        (&[(0, 4), (8, 8), (24, 2), (40, 24)], 64),
        (&[(0, 2), (4, 4)], 8),
        (&[(0, 3), (5, 3), (11, 3)], 14),
        (&[(0, 8), (16, 8)], 40),
        (&[(0, 70), (71, 65)], 140),
        (&steps, 330),
        (&long, 360),
        (&wide, 2200),
    ] {
        let element = of(runs, extent);
        for count in [1, 2, 5, 6, 7, 50, 1200] {
            let places = places(runs, count, extent, 0);
            for position in [0, 3, places.len() / 2 + 1] {
                check(&element, count, &places, 0, position);
            }
        }
    }
}

#[test]
fn nothing_behind_the_last_run_is_read() {
    const PAGE: usize = 64 * 1024;
    let (kind, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping, of which nothing else knows.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), 2 * PAGE, kind, flags, -1, 0) };
    assert_ne!(start, libc::MAP_FAILED);
    let end = start.cast::<u8>().wrapping_add(PAGE);
    // SAFETY: the second half of the mapping.
    assert_eq!(unsafe { libc::mprotect(end.cast(), PAGE, libc::PROT_NONE) }, 0);
    let mut packed = vec![0; 1 << 12];
    for code in [c::CHAR, c::SHORT, c::INT, c::DOUBLE, c::DOUBLE_COMPLEX] {
        for count in 1..40 {
            let vector = Datatype::vector(count, 1, 2, Datatype::predefined(code).unwrap()).unwrap();
            let bytes = vector.size() as usize;
            let base = end.wrapping_sub(vector.true_extent() as usize);
            // SAFETY: the elements end where the readable half of the mapping does.
            assert_eq!(unsafe { vector.gather(1, base, 0, packed.as_mut_ptr(), bytes) }, bytes);
            // SAFETY: as above.
            assert_eq!(unsafe { vector.scatter(1, base, 0, packed.as_ptr(), bytes) }, bytes);
        }
    }
    // SAFETY: the mapping made above, which nothing uses any more.
    unsafe { libc::munmap(start, 2 * PAGE) };
}
