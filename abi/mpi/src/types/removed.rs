//! Functions on datatypes that MPI 3.0 has removed, for older programs.

use super::get;
use crate::arguments::{DatatypeHandle, Output};
use crate::error::Result;

/// `MPI_Type_extent`.
pub unsafe fn extent(datatype: DatatypeHandle, extent: Output<i64>) -> Result<()> {
    extent.set(get(datatype)?.extent());
    Ok(())
}

/// `MPI_Type_lb`.
pub unsafe fn lower_bound(datatype: DatatypeHandle, displacement: Output<i64>) -> Result<()> {
    displacement.set(get(datatype)?.lb());
    Ok(())
}

/// `MPI_Type_ub`.
pub unsafe fn upper_bound(datatype: DatatypeHandle, displacement: Output<i64>) -> Result<()> {
    let datatype = get(datatype)?;
    displacement.set(datatype.lb() + datatype.extent());
    Ok(())
}
