//! Tests of datatypes against the results of MPICH 5.0.2, constructor by constructor.

use std::sync::Arc;

use anyccl_mpi::constants as c;
use anyccl_mpi::datatype::{Contents, Datatype, Distribution};
use anyccl_mpi::error::Class;

fn named(code: u32) -> Arc<Datatype> {
    Datatype::predefined(code).unwrap().clone()
}

fn int() -> Arc<Datatype> {
    named(c::INT)
}

/// Size, lower bound, extent, true lower bound and true extent.
fn shape(datatype: &Datatype) -> [i64; 5] {
    [datatype.size(), datatype.lb(), datatype.extent(), datatype.true_lb(), datatype.true_extent()]
}

/// An int between marks at -4 and 12.
fn marked() -> Arc<Datatype> {
    Datatype::resized(&int(), -4, 16).unwrap()
}

/// A double and a char, as C lays them out.
fn padded() -> Arc<Datatype> {
    Datatype::structure(&[1, 1], &[0, 8], &[named(c::DOUBLE), named(c::CHAR)]).unwrap()
}

#[track_caller]
fn refuses<T: std::fmt::Debug>(result: Result<T, anyccl_mpi::error::Error>, class: Class) {
    assert_eq!(result.unwrap_err().class, class);
}

/// The numbers of the contents: integers, addresses and counts.
fn numbers(datatype: &Datatype) -> (Vec<i64>, Vec<i64>, Vec<i64>) {
    let Contents { integers, addresses, counts, .. } = datatype.contents();
    (integers, addresses, counts)
}

#[test]
fn predefined_datatypes_have_their_names_sizes_and_extents() {
    let all = [
        (c::INT, "MPI_INT", 4, 4),
        (c::LONG, "MPI_LONG", 8, 8),
        (c::AINT, "MPI_AINT", 8, 8),
        (c::WCHAR, "MPI_WCHAR", 4, 4),
        (c::C_BOOL, "MPI_C_BOOL", 1, 1),
        (c::LOGICAL, "MPI_LOGICAL", 4, 4),
        (c::DOUBLE_PRECISION, "MPI_DOUBLE_PRECISION", 8, 8),
        (c::LONG_DOUBLE, "MPI_LONG_DOUBLE", 16, 16),
        (c::C_LONG_DOUBLE_COMPLEX, "MPI_C_LONG_DOUBLE_COMPLEX", 32, 32),
        (c::FLOAT_INT, "MPI_FLOAT_INT", 8, 8),
        (c::DOUBLE_INT, "MPI_DOUBLE_INT", 12, 16),
        (c::LONG_INT, "MPI_LONG_INT", 12, 16),
        (c::SHORT_INT, "MPI_SHORT_INT", 6, 8),
        (c::LONG_DOUBLE_INT, "MPI_LONG_DOUBLE_INT", 20, 32),
        (c::TWO_INT, "MPI_2INT", 8, 8),
        (c::TWO_DOUBLE_PRECISION, "MPI_2DOUBLE_PRECISION", 16, 16),
        (c::REAL2, "MPI_REAL2", 2, 2),
        (c::COMPLEX32, "MPI_COMPLEX32", 32, 32),
        (c::PACKED, "MPI_PACKED", 1, 1),
        (c::FLOAT16, "MPIX_C_FLOAT16", 2, 2),
        (c::BFLOAT16, "MPIX_BFLOAT16", 2, 2),
    ];
    for (code, name, size, extent) in all {
        let datatype = named(code);
        assert_eq!(
            (datatype.name(), datatype.size(), datatype.extent()),
            (Some(name), size, extent),
            "{name}"
        );
        assert_eq!(datatype.code(), Some(code));
        assert!(datatype.is_predefined() && datatype.is_committed(), "{name}");
        assert_eq!(datatype.combiner(), c::COMBINER_NAMED);
    }
    assert_eq!(shape(&named(c::SHORT_INT)), [6, 0, 8, 0, 8]);
    assert_eq!(shape(&named(c::DOUBLE_INT)), [12, 0, 16, 0, 12]);
    // The standard has 70, MPICH two more.
    assert_eq!((0..0x400).filter(|code| Datatype::predefined(*code).is_some()).count(), 70 + 2);
    assert!(Datatype::predefined(c::DATATYPE_NULL).is_none());
}

#[test]
fn contiguous_and_vector_follow_the_marks_of_a_resized_type() {
    assert_eq!(shape(&marked()), [4, -4, 16, 0, 4]);
    assert_eq!(shape(&Datatype::contiguous(3, &marked()).unwrap()), [12, -4, 48, 0, 36]);
    assert_eq!(shape(&Datatype::vector(2, 3, 5, &marked()).unwrap()), [24, -4, 128, 0, 116]);
    assert_eq!(shape(&Datatype::vector(2, 3, -5, &marked()).unwrap()), [24, -84, 128, -80, 116]);
    assert_eq!(shape(&Datatype::dup(&marked())), [4, -4, 16, 0, 4]);
}

#[test]
fn vectors_reach_as_far_as_their_blocks() {
    assert_eq!(shape(&Datatype::vector(3, 2, -4, &int()).unwrap()), [24, -32, 40, -32, 40]);
    assert_eq!(shape(&Datatype::vector(3, 2, 4, &int()).unwrap()), [24, 0, 40, 0, 40]);
    assert_eq!(shape(&Datatype::hvector(3, 2, 13, &int()).unwrap()), [24, 0, 34, 0, 34]);
    assert_eq!(shape(&Datatype::hvector(3, 2, -13, &padded()).unwrap()), [54, -26, 58, -26, 51]);
    assert_eq!(shape(&Datatype::contiguous(5, &named(c::SHORT_INT)).unwrap()), [30, 0, 40, 0, 40]);
    assert_eq!(shape(&Datatype::contiguous(2, &named(c::LONG_DOUBLE_INT)).unwrap()), [40, 0, 64, 0, 52]);
}

#[test]
fn a_negative_extent_is_followed_backwards() {
    let backwards = Datatype::resized(&int(), 8, -4).unwrap();
    assert_eq!(shape(&backwards), [4, 8, -4, 0, 4]);
    assert_eq!(shape(&Datatype::contiguous(3, &backwards).unwrap()), [12, 0, 4, -8, 12]);
    assert_eq!(shape(&Datatype::vector(2, 3, 5, &backwards).unwrap()), [24, -20, 24, -28, 32]);
}

#[test]
fn indexed_types_skip_empty_blocks_and_equal_blocks_do_not() {
    let (lengths, places, bytes) = ([2, 0, 1], [5, -40, -2], [7, -40, -3]);
    assert_eq!(shape(&Datatype::indexed(&lengths, &places, &int()).unwrap()), [12, -8, 36, -8, 36]);
    assert_eq!(shape(&Datatype::indexed(&lengths, &places, &marked()).unwrap()), [12, -36, 144, -32, 132]);
    assert_eq!(shape(&Datatype::indexed_block(2, &places, &int()).unwrap()), [24, -160, 188, -160, 188]);
    assert_eq!(shape(&Datatype::indexed_block(0, &places, &int()).unwrap()), [0, -160, 180, -160, 180]);
    assert_eq!(shape(&Datatype::hindexed(&lengths, &bytes, &int()).unwrap()), [12, -3, 18, -3, 18]);
    assert_eq!(shape(&Datatype::hindexed_block(2, &bytes, &int()).unwrap()), [24, -40, 55, -40, 55]);
    assert_eq!(shape(&Datatype::hindexed_block(2, &bytes, &padded()).unwrap()), [54, -40, 79, -40, 72]);
}

#[test]
fn structs_are_padded_to_the_alignment_of_their_members() {
    let (char, double) = (named(c::CHAR), named(c::DOUBLE));
    let of = |places: [i64; 2], types: [&Arc<Datatype>; 2]| {
        shape(&Datatype::structure(&[1, 1], &places, &types.map(Arc::clone)).unwrap())
    };
    assert_eq!(shape(&padded()), [9, 0, 16, 0, 9]);
    assert_eq!(shape(&Datatype::contiguous(2, &padded()).unwrap()), [18, 0, 32, 0, 25]);
    assert_eq!(of([0, 1], [&char, &double]), [9, 0, 16, 0, 9]);
    assert_eq!(of([3, 11], [&char, &double]), [9, 3, 16, 3, 16]);
    assert_eq!(of([40, 0], [&char, &padded()]), [10, 0, 48, 0, 41]);
    assert_eq!(of([0, 40], [&Datatype::hvector(2, 1, 24, &double).unwrap(), &char]), [17, 0, 48, 0, 41]);
    assert_eq!(of([0, 40], [&Datatype::resized(&double, 0, 8).unwrap(), &char]), [9, 0, 48, 0, 41]);
    assert_eq!(of([0, 40], [&Datatype::dup(&double), &char]), [9, 0, 48, 0, 41]);
    assert_eq!(of([-5, 3], [&double, &char]), [9, -5, 16, -5, 9]);
    assert_eq!(
        of([-20, -31], [&named(c::FLOAT_INT), &named(c::FLOAT_INT)]),
        [16, -31, 19, -31, 19],
        "one type"
    );
    let pair = Datatype::contiguous(2, &named(c::DOUBLE_INT)).unwrap();
    assert_eq!(of([20, 101], [&pair, &named(c::DOUBLE_INT)])[2], 104, "two types of one basic type");
    for (code, align) in [
        (c::LONG_DOUBLE, 16),
        (c::C_DOUBLE_COMPLEX, 8),
        (c::C_FLOAT_COMPLEX, 4),
        (c::SHORT_INT, 4),
        (c::LONG_DOUBLE_INT, 16),
        (c::COMPLEX4, 4),
        (c::INTEGER16, 16),
        (c::REAL2, 2),
    ] {
        let (old, at) = (named(code), named(code).extent());
        assert_eq!(of([0, at], [&old, &char])[2], at + align, "{:?}", old.name());
    }
}

#[test]
fn members_of_a_struct_count_with_their_marks() {
    let of = |lengths: [i64; 2], places: [i64; 2]| {
        shape(&Datatype::structure(&lengths, &places, &[int(), marked()]).unwrap())
    };
    assert_eq!(of([1, 1], [0, 8]), [8, 0, 20, 0, 12]);
    assert_eq!(of([1, 1], [0, 100]), [8, 0, 112, 0, 104]);
    assert_eq!(of([1, 1], [200, 100]), [8, 96, 108, 100, 104]);
    assert_eq!(of([1, 0], [200, 100]), [4, 200, 4, 200, 4]);
}

#[test]
fn types_without_data_have_the_bounds_that_mpich_gives_them() {
    let empty = Datatype::contiguous(0, &int()).unwrap();
    assert_eq!(shape(&empty), [0; 5]);
    let wide = Datatype::resized(&empty, 4, 12).unwrap();
    assert_eq!(shape(&wide), [0, 4, 12, 0, 0]);
    assert_eq!(shape(&Datatype::contiguous(3, &wide).unwrap()), [0; 5]);
    assert_eq!(shape(&Datatype::vector(0, 3, 4, &int()).unwrap()), [0; 5]);
    assert_eq!(shape(&Datatype::vector(3, 0, 4, &int()).unwrap()), [0, 0, 32, 0, 32]);
    assert_eq!(shape(&Datatype::vector(3, 0, 4, &marked()).unwrap()), [0, -4, 128, 0, 116]);
    let of =
        |old: &Arc<Datatype>| shape(&Datatype::structure(&[1, 1], &[16, 8], &[old.clone(), int()]).unwrap());
    assert_eq!(of(&empty), [4, 8, 8, 8, 8]);
    assert_eq!(of(&wide), [4, 8, 24, 8, 8]);
    assert_eq!(shape(&Datatype::structure(&[], &[], &[]).unwrap()), [0; 5]);
    assert_eq!(shape(&Datatype::indexed(&[], &[], &int()).unwrap()), [0; 5]);
    assert_eq!((wide.run_for(5), wide.count_in(0), wide.count_in(6)), (Some((0, 0)), Some(0), None));
}

#[test]
fn subarrays_lie_inside_the_whole_array() {
    let (sizes, subsizes, starts) = ([4, 5, 6], [2, 3, 2], [1, 1, 3]);
    let of = |order, old: &Arc<Datatype>| Datatype::subarray(&sizes, &subsizes, &starts, order, old);
    let in_c = of(c::ORDER_C, &int()).unwrap();
    assert_eq!(shape(&in_c), [48, 0, 480, 156, 176]);
    assert_eq!(shape(&of(c::ORDER_FORTRAN, &int()).unwrap()), [48, 0, 480, 260, 120]);
    let flat =
        Datatype::subarray(&[4, 5], &[2, 3], &[1, 1], c::ORDER_C, &Datatype::resized(&int(), 4, 8).unwrap());
    assert_eq!(shape(&flat.unwrap()), [24, 0, 160, 48, 60]);
    let none = Datatype::subarray(&sizes, &[2, 0, 2], &starts, c::ORDER_C, &int()).unwrap();
    assert_eq!(shape(&none), [0, 0, 480, 0, 0]);
    assert_eq!(in_c.combiner(), c::COMBINER_SUBARRAY);
    assert_eq!(numbers(&in_c), (vec![3, 4, 5, 6, 2, 3, 2, 1, 1, 3, 12], vec![], vec![]));
    let large = in_c.made_with_counts();
    assert_eq!(numbers(&large), (vec![3, 12], vec![], vec![4, 5, 6, 2, 3, 2, 1, 1, 3]));
    refuses(of(7, &int()), Class::ARG);
    refuses(Datatype::subarray(&sizes, &[2, 9, 2], &starts, c::ORDER_C, &int()), Class::ARG);
    refuses(Datatype::subarray(&sizes, &subsizes, &[3, 1, 3], c::ORDER_C, &int()), Class::ARG);
    refuses(Datatype::subarray(&[], &[], &[], c::ORDER_C, &int()), Class::ARG);
}

/// Indices of the ints that a process has of a 7 by 10 array, in the order of the typemap.
fn owned(array: Distribution<'_>) -> Vec<i64> {
    let datatype = Datatype::darray(array, &int()).unwrap();
    assert_eq!((datatype.lb(), datatype.extent()), (0, 280));
    let runs = datatype.runs(1, 0);
    runs.flat_map(|run| (0..run.len as i64 / 4).map(move |int| run.offset / 4 + int)).collect()
}

#[test]
fn distributed_arrays_are_cut_as_mpich_cuts_them() {
    let array = Distribution {
        size: 6,
        rank: 0,
        gsizes: &[7, 10],
        distribs: &[c::DISTRIBUTE_BLOCK, c::DISTRIBUTE_CYCLIC],
        dargs: &[c::DISTRIBUTE_DFLT_DARG, 2],
        psizes: &[2, 3],
        order: c::ORDER_C,
    };
    assert_eq!(owned(array), [0, 1, 6, 7, 10, 11, 16, 17, 20, 21, 26, 27, 30, 31, 36, 37]);
    assert_eq!(owned(Distribution { rank: 2, ..array }), [4, 5, 14, 15, 24, 25, 34, 35]);
    assert_eq!(owned(Distribution { rank: 5, ..array }), [44, 45, 54, 55, 64, 65]);
    let fortran = Distribution { order: c::ORDER_FORTRAN, ..array };
    assert_eq!(owned(fortran), [0, 1, 2, 3, 7, 8, 9, 10, 42, 43, 44, 45, 49, 50, 51, 52]);
    assert_eq!(owned(Distribution { rank: 5, ..fortran }), [32, 33, 34, 39, 40, 41]);
    let columns = Distribution {
        size: 4,
        rank: 3,
        distribs: &[c::DISTRIBUTE_NONE, c::DISTRIBUTE_CYCLIC],
        dargs: &[c::DISTRIBUTE_DFLT_DARG; 2],
        psizes: &[1, 4],
        ..array
    };
    assert_eq!(owned(columns), [3, 7, 13, 17, 23, 27, 33, 37, 43, 47, 53, 57, 63, 67]);
    let made = Datatype::darray(Distribution { rank: 3, ..array }, &int()).unwrap();
    assert_eq!(shape(&made), [48, 0, 280, 160, 112]);
    assert_eq!(numbers(&made), (vec![6, 3, 2, 7, 10, 17, 18, 19, 2, 2, 3, 12], vec![], vec![]));
    let large = made.made_with_counts();
    assert_eq!(numbers(&large), (vec![6, 3, 2, 17, 18, 19, 2, 2, 3, 12], vec![], vec![7, 10]));
    refuses(Datatype::darray(Distribution { dargs: &[2, 2], ..array }, &int()), Class::ARG);
    refuses(Datatype::darray(Distribution { size: 5, ..array }, &int()), Class::ARG);
    refuses(Datatype::darray(Distribution { rank: 6, ..array }, &int()), Class::ARG);
    refuses(Datatype::darray(Distribution { dargs: &[4, 0], ..array }, &int()), Class::ARG);
}

#[test]
fn a_process_without_a_part_of_the_array_has_no_data() {
    let array = Distribution {
        size: 6,
        rank: 5,
        gsizes: &[3],
        distribs: &[c::DISTRIBUTE_BLOCK],
        dargs: &[c::DISTRIBUTE_DFLT_DARG],
        psizes: &[6],
        order: c::ORDER_C,
    };
    assert_eq!(shape(&Datatype::darray(array, &int()).unwrap()), [0, 0, 12, 0, 0]);
    assert_eq!(
        shape(&Datatype::darray(Distribution { rank: 2, ..array }, &int()).unwrap()),
        [4, 0, 12, 8, 4]
    );
}

#[test]
fn contents_are_the_arguments_of_the_constructor() {
    let (old, none) = (int(), Vec::new);
    let expect = |made: Arc<Datatype>, combiner, small: (Vec<i64>, Vec<i64>), large: Vec<i64>| {
        assert_eq!(made.combiner(), combiner);
        assert_eq!(numbers(&made), (small.0.clone(), small.1.clone(), vec![]));
        let envelope = made.envelope();
        let lengths = (envelope.integers, envelope.addresses, envelope.counts);
        assert_eq!(lengths, (small.0.len() as i64, small.1.len() as i64, 0));
        assert!(!made.is_large());
        let made = made.made_with_counts();
        assert_eq!((made.is_large(), numbers(&made)), (true, (vec![], vec![], large)));
    };
    let vector = Datatype::vector(3, 2, 4, &old).unwrap();
    expect(Datatype::contiguous(3, &old).unwrap(), c::COMBINER_CONTIGUOUS, (vec![3], none()), vec![3]);
    expect(vector, c::COMBINER_VECTOR, (vec![3, 2, 4], none()), vec![3, 2, 4]);
    let hvector = Datatype::hvector(3, 2, 13, &old).unwrap();
    expect(hvector, c::COMBINER_HVECTOR, (vec![3, 2], vec![13]), vec![3, 2, 13]);
    let indexed = Datatype::indexed(&[1, 2], &[3, -4], &old).unwrap();
    expect(indexed, c::COMBINER_INDEXED, (vec![2, 1, 2, 3, -4], none()), vec![2, 1, 2, 3, -4]);
    let hindexed = Datatype::hindexed(&[1, 2], &[3, -4], &old).unwrap();
    expect(hindexed, c::COMBINER_HINDEXED, (vec![2, 1, 2], vec![3, -4]), vec![2, 1, 2, 3, -4]);
    let block = Datatype::indexed_block(2, &[3, -4], &old).unwrap();
    expect(block, c::COMBINER_INDEXED_BLOCK, (vec![2, 2, 3, -4], none()), vec![2, 2, 3, -4]);
    let hblock = Datatype::hindexed_block(2, &[3, -4], &old).unwrap();
    expect(hblock, c::COMBINER_HINDEXED_BLOCK, (vec![2, 2], vec![3, -4]), vec![2, 2, 3, -4]);
    let made = Datatype::structure(&[1, 2], &[3, -4], &[old.clone(), named(c::DOUBLE)]).unwrap();
    assert_eq!(
        made.contents().datatypes.iter().map(|base| base.code()).collect::<Vec<_>>(),
        [Some(c::INT), Some(c::DOUBLE)]
    );
    expect(made, c::COMBINER_STRUCT, (vec![2, 1, 2], vec![3, -4]), vec![2, 1, 2, 3, -4]);
    expect(marked(), c::COMBINER_RESIZED, (none(), vec![-4, 16]), vec![-4, 16]);
    let dup = Datatype::dup(&old).made_with_counts();
    assert!(dup.is_committed() && !dup.is_large() && dup.combiner() == c::COMBINER_DUP);
    assert!(Arc::ptr_eq(&dup.contents().datatypes[0], &old));
}

#[test]
fn fortran_kinds_are_found_by_what_they_hold() {
    let real = |precision, range| Datatype::f90_real(precision, range).map(|found| found.size());
    for ((precision, range), size) in [
        ((6, 30), 4),
        ((15, 307), 8),
        ((c::UNDEFINED, 307), 8),
        ((18, c::UNDEFINED), 16),
        ((33, 4931), 16),
        ((3, c::UNDEFINED), 4),
        ((c::UNDEFINED, c::UNDEFINED), 4),
    ] {
        assert_eq!(real(precision, range).unwrap(), size, "{precision} {range}");
    }
    refuses(real(34, 4931), Class::ARG);
    assert_eq!(Datatype::f90_complex(6, 37).unwrap().size(), 8);
    assert_eq!(Datatype::f90_complex(7, 37).unwrap().size(), 16);
    for (range, size) in
        [(0, 1), (2, 1), (3, 2), (4, 2), (5, 4), (9, 4), (10, 8), (18, 8), (19, 16), (38, 16)]
    {
        assert_eq!(Datatype::f90_integer(range).unwrap().size(), size, "{range}");
    }
    refuses(Datatype::f90_integer(39), Class::ARG);
    let found = Datatype::f90_real(6, 30).unwrap();
    assert!(
        Arc::ptr_eq(&found, &Datatype::f90_real(6, 30).unwrap()),
        "the same arguments, the same datatype"
    );
    assert!(found.is_predefined() && found.is_committed());
    assert_eq!(
        (found.combiner(), numbers(&found).0, found.name()),
        (c::COMBINER_F90_REAL, vec![6, 30], None)
    );
    assert_eq!(found.basic(), Some((c::REAL4, 1)));
    // gfortran's REAL of 10 bytes, which it has on x86-64, is a long double.
    let extended = if cfg!(target_arch = "x86_64") { c::LONG_DOUBLE } else { c::REAL16 };
    assert_eq!(Datatype::f90_real(18, 4931).unwrap().basic(), Some((extended, 1)));
    assert_eq!(Datatype::f90_real(19, 4931).unwrap().basic(), Some((c::REAL16, 1)));
}

#[test]
fn datatypes_are_found_by_class_and_size_and_by_their_members() {
    let name = |class, size| Datatype::match_size(class, size).map(|found| found.name().unwrap());
    assert_eq!(name(c::TYPECLASS_INTEGER, 8).unwrap(), "MPI_INTEGER8");
    assert_eq!(name(c::TYPECLASS_REAL, 2).unwrap(), "MPI_REAL2");
    assert_eq!(name(c::TYPECLASS_COMPLEX, 16).unwrap(), "MPI_COMPLEX16");
    refuses(name(c::TYPECLASS_REAL, 12), Class::ARG);
    refuses(name(191, 4), Class::ARG);
    let pair =
        |value, index| Datatype::value_index(&named(value), &named(index)).map(|found| found.name().unwrap());
    assert_eq!(pair(c::DOUBLE, c::INT), Some("MPI_DOUBLE_INT"));
    assert_eq!(pair(c::INT, c::INT), Some("MPI_2INT"));
    assert_eq!(pair(c::DOUBLE, c::LONG), None);
}

#[test]
fn negative_counts_and_values_beyond_64_bits_are_refused() {
    refuses(Datatype::contiguous(-1, &int()), Class::COUNT);
    refuses(Datatype::vector(-1, 1, 1, &int()), Class::COUNT);
    refuses(Datatype::vector(1, -1, 1, &int()), Class::ARG);
    refuses(Datatype::indexed(&[1, -1], &[0, 4], &int()), Class::ARG);
    refuses(Datatype::indexed_block(-1, &[0], &int()), Class::ARG);
    refuses(Datatype::contiguous(1 << 62, &int()), Class::VALUE_TOO_LARGE);
    refuses(Datatype::vector(2, 1, 1 << 62, &int()), Class::VALUE_TOO_LARGE);
    refuses(Datatype::hvector(3, 1, i64::MAX, &int()), Class::VALUE_TOO_LARGE);
    refuses(Datatype::hindexed(&[1, 1], &[i64::MIN, i64::MAX], &int()), Class::VALUE_TOO_LARGE);
    refuses(Datatype::resized(&int(), i64::MAX, 1), Class::VALUE_TOO_LARGE);
    refuses(
        Datatype::subarray(&[1 << 40, 1 << 40], &[1, 1], &[0, 0], c::ORDER_C, &int()),
        Class::VALUE_TOO_LARGE,
    );
    let big = Datatype::contiguous(1 << 40, &int()).unwrap();
    assert_eq!(shape(&big), [1 << 42, 0, 1 << 42, 0, 1 << 42]);
    assert!(big.is_contiguous());
    assert_eq!(
        Datatype::vector(1, 1, i64::MAX, &int()).unwrap().size(),
        4,
        "the stride of one block is idle"
    );
}

#[test]
fn enormous_types_cost_no_time_and_long_chains_no_stack() {
    let wide = Datatype::vector(1 << 20, 1 << 20, 1 << 21, &named(c::BYTE)).unwrap();
    let wider = Datatype::contiguous(1 << 20, &wide).unwrap();
    assert_eq!((wider.size(), wider.runs(1, 1 << 59).next().unwrap().len), (1 << 60, 1 << 20));
    let empty = Datatype::contiguous(0, &int()).unwrap();
    assert_eq!(Datatype::vector(i64::MAX, i64::MAX, 0, &empty).unwrap().size(), 0);
    let mut chain = int();
    for _ in 0..200_000 {
        chain = Datatype::dup(&chain);
    }
    assert_eq!(chain.size(), 4);
    let mut nested = Ok(int());
    let mut levels = 0;
    while let Ok(inner) = &nested {
        nested = Datatype::structure(&[1, 1], &[0, 4], &[named(c::BYTE), inner.clone()]);
        levels += 1;
        assert!(levels < 100_000, "a list nests without end");
    }
    refuses(nested, Class::TYPE);
    assert!(levels > 250);
}

#[test]
fn types_without_gaps_are_one_run() {
    let struct_without_holes =
        Datatype::structure(&[1, 1, 2], &[0, 8, 12], &[named(c::DOUBLE), int(), int()]);
    for datatype in [
        Datatype::vector(1, 7, 9, &int()).unwrap(),
        Datatype::vector(7, 2, 2, &int()).unwrap(),
        Datatype::resized(&int(), 0, 4).unwrap(),
        Datatype::indexed(&[2, 3], &[0, 2], &int()).unwrap(),
        Datatype::resized(&struct_without_holes.unwrap(), 0, 20).unwrap(),
        Datatype::subarray(&[4, 5], &[4, 5], &[0, 0], c::ORDER_FORTRAN, &int()).unwrap(),
        named(c::FLOAT_INT),
    ] {
        assert!(datatype.is_contiguous(), "{datatype:?}");
        assert_eq!(datatype.run_for(3), Some((datatype.true_lb(), 3 * datatype.size() as u64)));
    }
    let rows = Datatype::subarray(&[4, 5], &[2, 5], &[1, 0], c::ORDER_C, &int()).unwrap();
    assert_eq!((rows.is_contiguous(), rows.run_for(1), rows.run_for(2)), (false, Some((20, 40)), None));
    for gaps in [marked(), named(c::SHORT_INT), Datatype::indexed(&[1, 1], &[1, 0], &int()).unwrap()] {
        assert!(!gaps.is_contiguous() && gaps.run_for(2).is_none());
    }
}

#[test]
fn signatures_know_their_single_basic_datatype() {
    let vector = Datatype::vector(3, 2, 5, &marked()).unwrap();
    assert_eq!((vector.basic(), vector.elements()), (Some((c::INT, 6)), 6));
    assert_eq!(Datatype::contiguous(3, &named(c::DOUBLE_INT)).unwrap().basic(), Some((c::DOUBLE_INT, 3)));
    assert_eq!((padded().basic(), padded().elements()), (None, 2));
    let pair = named(c::DOUBLE_INT);
    let counted = [0, 8, 10, 12, 24].map(|bytes| pair.elements_in(bytes));
    assert_eq!(counted, [Some(0), Some(1), None, Some(2), Some(4)]);
    assert_eq!((pair.count_in(24), pair.count_in(20)), (Some(2), None));
    let complex = named(c::C_DOUBLE_COMPLEX);
    assert_eq!((complex.elements_in(16), complex.elements_in(8)), (Some(1), None));
}

/// `external32` bytes of one element.
fn external<T>(datatype: &Datatype, value: &T) -> Vec<u8> {
    assert!(size_of::<T>() as i64 >= datatype.true_extent());
    let mut bytes = vec![0; datatype.external32_size(1).unwrap() as usize];
    // SAFETY: the value is as large as the element, and the target has the size asked for.
    unsafe { datatype.pack_external(1, std::ptr::from_ref(value).cast(), bytes.as_mut_ptr()) }.unwrap();
    bytes
}

#[test]
fn external32_is_big_endian_with_the_sizes_of_the_standard() {
    assert_eq!(external(&int(), &0x0102_0304_i32), [1, 2, 3, 4]);
    assert_eq!(external(&named(c::LONG), &-5_i64), [0xff, 0xff, 0xff, 0xfb]);
    assert_eq!(external(&named(c::UNSIGNED_LONG), &0xffff_fffe_u64), [0xff, 0xff, 0xff, 0xfe]);
    assert_eq!(external(&named(c::WCHAR), &0x263a_u32), [0x26, 0x3a]);
    assert_eq!(external(&named(c::C_FLOAT_COMPLEX), &[1.0_f32, 2.0]), [0x3f, 0x80, 0, 0, 0x40, 0, 0, 0]);
    #[repr(C)]
    struct Pair {
        value: f64,
        index: i32,
    }
    let pair = Pair { value: 2.0, index: 7 };
    assert_eq!(external(&named(c::DOUBLE_INT), &pair), [0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7]);
    assert_eq!(named(c::LONG_DOUBLE_INT).external32_size(3).unwrap(), 60);
    let mut long = 0_i64;
    // SAFETY: one long is writable and four bytes are readable.
    unsafe { named(c::LONG).unpack_external(1, (&raw mut long).cast(), [0xff, 0xff, 0xff, 0xfb].as_ptr()) }
        .unwrap();
    assert_eq!(long, -5);
    let mut target = [0; 4];
    // SAFETY: one long is readable and four bytes are writable.
    let result = unsafe { named(c::LONG).pack_external(1, (&raw const long).cast(), target.as_mut_ptr()) };
    result.unwrap();
    long = 1 << 40;
    // SAFETY: as above.
    let result = unsafe { named(c::LONG).pack_external(1, (&raw const long).cast(), target.as_mut_ptr()) };
    refuses(result, Class::CONVERSION);
}
