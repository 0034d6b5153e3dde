//! MPI's functions that read and change statuses.

use crate::arguments::{DatatypeHandle, InputOutput, Output};
use crate::constants::UNDEFINED;
use crate::error::{Class, Error, Result};
use crate::status::Status;
use crate::types;

/// `MPI_Get_count`.
pub unsafe fn get_count(status: Status, datatype: DatatypeHandle, count: Output<i64>) -> Result<()> {
    count.set(types::get(datatype)?.count_in(status.bytes).unwrap_or(i64::from(UNDEFINED)));
    Ok(())
}

/// `MPI_Get_elements`.
pub unsafe fn get_elements(status: Status, datatype: DatatypeHandle, count: Output<i64>) -> Result<()> {
    count.set(types::get(datatype)?.elements_in(status.bytes).unwrap_or(i64::from(UNDEFINED)));
    Ok(())
}

/// `MPI_Test_cancelled`.
pub unsafe fn test_cancelled(status: Status, flag: Output<bool>) -> Result<()> {
    flag.set(status.is_cancelled);
    Ok(())
}

fn change(place: &InputOutput<Status>, change: impl FnOnce(&mut Status)) -> Result<()> {
    let mut status = place.get();
    change(&mut status);
    place.set(status);
    Ok(())
}

/// `MPI_Status_set_cancelled`.
pub unsafe fn set_cancelled(status: InputOutput<Status>, flag: i32) -> Result<()> {
    change(&status, |status| status.is_cancelled = flag != 0)
}

/// `MPI_Status_set_elements`.
pub unsafe fn set_elements(status: InputOutput<Status>, datatype: DatatypeHandle, count: i64) -> Result<()> {
    let datatype = types::get(datatype)?;
    if count < 0 {
        return Err(Error::new(Class::COUNT, format!("{count} elements")));
    }
    let bytes = types::bytes_of_elements(&datatype, count);
    let too_many = || Error::new(Class::COUNT, format!("{count} elements exceed what a status can say"));
    let bytes = bytes.ok_or_else(too_many)?;
    change(&status, |status| status.bytes = bytes)
}

/// `MPI_Status_get_error`.
pub unsafe fn get_error(status: Status, error: Output<i32>) -> Result<()> {
    error.set(status.error.unwrap_or(Class::SUCCESS).0);
    Ok(())
}

/// `MPI_Status_get_source`.
pub unsafe fn get_source(status: Status, source: Output<i32>) -> Result<()> {
    source.set(status.source);
    Ok(())
}

/// `MPI_Status_get_tag`.
pub unsafe fn get_tag(status: Status, tag: Output<i32>) -> Result<()> {
    tag.set(status.tag);
    Ok(())
}

/// `MPI_Status_set_error`.
pub unsafe fn set_error(status: InputOutput<Status>, error: i32) -> Result<()> {
    change(&status, |status| status.error = Some(Class(error)))
}

/// `MPI_Status_set_source`.
pub unsafe fn set_source(status: InputOutput<Status>, source: i32) -> Result<()> {
    change(&status, |status| status.source = source)
}

/// `MPI_Status_set_tag`.
pub unsafe fn set_tag(status: InputOutput<Status>, tag: i32) -> Result<()> {
    change(&status, |status| status.tag = tag)
}
