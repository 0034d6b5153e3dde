//! Categories: one, which has all variables.

use std::ffi::CString;

use anyccl_engine::config::VARIABLES;

use super::performance::COUNTERS;
use super::{at, check, text};
use crate::arguments::{InputOutput, Output, Outputs, TextPlace};
use crate::error::{Class, Error, Result};

const NAMES: [&str; 1] = ["anyccl"];
const MEANING: &str = "The environment variables that anyccl reads, and what it counts.";

/// `MPI_T_category_get_num`.
pub unsafe fn get_num(number: Option<Output<i32>>) -> Result<()> {
    check()?;
    number.iter().for_each(|number| number.set(NAMES.len() as i32));
    Ok(())
}

/// `MPI_T_category_get_info`.
pub unsafe fn get_info(
    index: i32,
    name: Option<TextPlace>,
    name_len: Option<InputOutput<i32>>,
    desc: Option<TextPlace>,
    desc_len: Option<InputOutput<i32>>,
    num_cvars: Option<Output<i32>>,
    num_pvars: Option<Output<i32>>,
    num_categories: Option<Output<i32>>,
) -> Result<()> {
    check()?;
    text::put(at(&NAMES, index, "category")?, name, name_len);
    text::put(MEANING, desc, desc_len);
    num_cvars.iter().for_each(|number| number.set(VARIABLES.len() as i32));
    num_pvars.iter().for_each(|number| number.set(COUNTERS.len() as i32));
    num_categories.iter().for_each(|number| number.set(0));
    Ok(())
}

/// `MPI_T_category_get_index`.
pub unsafe fn get_index(name: CString, index: Option<Output<i32>>) -> Result<()> {
    check()?;
    let found = NAMES.iter().position(|its| its.as_bytes() == name.as_bytes());
    let found =
        found.ok_or_else(|| Error::new(Class::T_INVALID_NAME, "there is no category of this name"))?;
    index.iter().for_each(|index| index.set(found as i32));
    Ok(())
}

/// Writes the first indices of `len` members, as many as there is room for.
fn members(index: i32, length: i32, indices: &Outputs<i32>, len: usize) -> Result<()> {
    check()?;
    at(&NAMES, index, "category")?;
    let room = usize::try_from(length)
        .map_err(|_| Error::new(Class::T_INVALID, format!("len is {length}, less than 0")))?;
    indices.set_all((0..len.min(room)).map(|member| member as i32))
}

/// `MPI_T_category_get_cvars`.
pub unsafe fn get_cvars(index: i32, length: i32, indices: Outputs<i32>) -> Result<()> {
    members(index, length, &indices, VARIABLES.len())
}

/// `MPI_T_category_get_pvars`.
pub unsafe fn get_pvars(index: i32, length: i32, indices: Outputs<i32>) -> Result<()> {
    members(index, length, &indices, COUNTERS.len())
}

/// `MPI_T_category_get_categories` and `MPI_T_category_get_events`. The category has neither.
pub unsafe fn get_nothing(index: i32, length: i32, indices: Outputs<i32>) -> Result<()> {
    members(index, length, &indices, 0)
}

/// `MPI_T_category_get_num_events`.
pub unsafe fn get_num_events(index: i32, number: Option<Output<i32>>) -> Result<()> {
    check()?;
    at(&NAMES, index, "category")?;
    number.iter().for_each(|number| number.set(0));
    Ok(())
}

/// `MPI_T_category_changed`. Categories never change.
pub unsafe fn changed(stamp: Option<Output<i32>>) -> Result<()> {
    check()?;
    stamp.iter().for_each(|stamp| stamp.set(0));
    Ok(())
}
