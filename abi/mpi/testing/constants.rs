//! A table of constants that `mpi-tests/constants.py` has made from a header, and the comparison of a door
//! with it. A row has a name, its value in the door's ABI, and its number in the standard ABI.

use anyccl_mpi::abi::{Abi, Numbers};

/// A row of a table. The value of a handle may be the name of an object.
pub struct Row {
    pub name: &'static str,
    pub value: &'static str,
    pub number: i64,
}

impl Row {
    /// The value as an `int`.
    pub fn int(&self) -> i32 {
        let value: i64 = self.value.parse().unwrap_or_else(|_| panic!("{}: {}", self.name, self.value));
        value as i32
    }
}

/// Rows of `table` whose name begins with `prefix`.
pub fn rows(table: &'static str, prefix: &str) -> Vec<Row> {
    let lines = table.lines().filter(|line| !line.starts_with('#') && line.starts_with(prefix));
    let rows = lines.filter_map(|line| {
        let mut fields = line.split(' ');
        Some(Row { name: fields.next()?, value: fields.next()?, number: fields.next()?.parse().ok()? })
    });
    let rows: Vec<_> = rows.collect();
    assert!(!rows.is_empty(), "{prefix} is in no row");
    rows
}

/// Checks that a door translates the numbers of these rows in both directions, except those `passed_over`.
pub fn check<A: Abi>(table: &'static str, numbers: Numbers, prefix: &str, passed_over: &[&str]) {
    for row in rows(table, prefix).iter().filter(|row| !passed_over.contains(&row.name)) {
        assert_eq!(i64::from(A::number(numbers, row.int())), row.number, "{} from the program", row.name);
        assert_eq!(A::raw_number(numbers, row.number as i32), row.int(), "{} for the program", row.name);
    }
}

/// Checks all numbers that both headers have.
pub fn check_all<A: Abi>(table: &'static str) {
    for (numbers, names) in [
        (Numbers::Rank, &["MPI_ANY_SOURCE", "MPI_PROC_NULL", "MPI_ROOT", "MPI_UNDEFINED"][..]),
        (Numbers::Tag, &["MPI_ANY_TAG", "MPI_UNDEFINED"]),
        (Numbers::ThreadLevel, &["MPI_THREAD_"]),
        (Numbers::Order, &["MPI_ORDER_"]),
        (Numbers::Distribution, &["MPI_DISTRIBUTE_"]),
        (Numbers::DistributionArg, &["MPI_DISTRIBUTE_DFLT_DARG"]),
        (Numbers::TypeClass, &["MPI_TYPECLASS_"]),
        (Numbers::Combiner, &["MPI_COMBINER_"]),
        (Numbers::Comparison, &["MPI_IDENT", "MPI_CONGRUENT", "MPI_SIMILAR", "MPI_UNEQUAL"]),
        (Numbers::Topology, &["MPI_CART", "MPI_GRAPH", "MPI_DIST_GRAPH", "MPI_UNDEFINED"]),
        (Numbers::Keyval, &["MPI_TAG_UB", "MPI_IO", "MPI_HOST", "MPI_WTIME_IS_GLOBAL", "MPI_APPNUM"]),
        (Numbers::Keyval, &["MPI_LASTUSEDCODE", "MPI_UNIVERSE_SIZE", "MPI_KEYVAL_INVALID"]),
        (Numbers::SplitType, &["MPI_COMM_TYPE_"]),
        // Codes that a program adds begin above the last code, which is not a code itself.
        (Numbers::ErrorCode, &["MPI_ERR_"]),
    ] {
        // The first is no distribution; MPI 4.1 has added others, which older ABIs lack.
        let passed_over: &[&str] = match numbers {
            Numbers::Distribution => &["MPI_DISTRIBUTE_DFLT_DARG"],
            Numbers::Combiner => &["MPI_COMBINER_VALUE_INDEX"],
            Numbers::SplitType => &["MPI_COMM_TYPE_RESOURCE_GUIDED"],
            Numbers::ErrorCode => &["MPI_ERR_LASTCODE"],
            _ => &[],
        };
        names.iter().for_each(|prefix| check::<A>(table, numbers, prefix, passed_over));
    }
}
