//! Functions whose work is the translation of their arguments and results: handles as integers (the ABI
//! chapter of MPI 5.0), and sums of addresses.

/// `MPI_Comm_toint`, `MPI_Comm_fromint` and their like.
pub fn same<H>(handle: H) -> H {
    handle
}

/// `MPI_Aint_add`.
pub fn aint_add(base: i64, disp: i64) -> i64 {
    base.wrapping_add(disp)
}

/// `MPI_Aint_diff`.
pub fn aint_diff(addr1: i64, addr2: i64) -> i64 {
    addr1.wrapping_sub(addr2)
}
