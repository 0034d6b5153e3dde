//! MPI's functions that query datatypes.

use std::ffi::{CString, c_void};

use super::{TYPES, get};
use crate::abi::{Numbers, TextLimit};
use crate::arguments::{DatatypeHandle, Output, Outputs, TextPlace};
use crate::constants::{COMBINER_DARRAY, COMBINER_NAMED, COMBINER_SUBARRAY};
use crate::datatype::Datatype;
use crate::error::{Class, Error, Result};
use crate::table::FIRST;

/// `MPI_Type_size`.
pub unsafe fn size(datatype: DatatypeHandle, size: Output<i64>) -> Result<()> {
    size.set(get(datatype)?.size());
    Ok(())
}

/// `MPI_Type_get_extent`.
pub unsafe fn extent(datatype: DatatypeHandle, lb: Output<i64>, extent: Output<i64>) -> Result<()> {
    let datatype = get(datatype)?;
    lb.set(datatype.lb());
    extent.set(datatype.extent());
    Ok(())
}

/// `MPI_Type_get_true_extent`.
pub unsafe fn true_extent(datatype: DatatypeHandle, lb: Output<i64>, extent: Output<i64>) -> Result<()> {
    let datatype = get(datatype)?;
    lb.set(datatype.true_lb());
    extent.set(datatype.true_extent());
    Ok(())
}

/// `MPI_Get_address`.
pub unsafe fn address(location: *const c_void, address: Output<i64>) -> Result<()> {
    address.set(location.addr() as i64);
    Ok(())
}

/// `MPI_Type_get_name`.
pub unsafe fn get_name(datatype: DatatypeHandle, name: TextPlace, length: Output<i32>) -> Result<()> {
    if datatype.is_null() {
        length.set(name.put(b"MPI_DATATYPE_NULL", TextLimit::ObjectName));
        return Ok(());
    }
    let found = get(datatype)?;
    let given = match datatype.0 {
        id if id >= FIRST => TYPES.get(id)?.name.lock().clone(),
        _ => super::PREDEFINED_NAMES.lock().get(&datatype.0).cloned(),
    };
    let text = match &given {
        Some(given) => given.as_bytes(),
        None => found.name().unwrap_or("").as_bytes(),
    };
    length.set(name.put(text, TextLimit::ObjectName));
    Ok(())
}

/// `MPI_Type_set_name`.
pub unsafe fn set_name(datatype: DatatypeHandle, name: CString) -> Result<()> {
    get(datatype)?;
    if datatype.0 >= FIRST {
        *TYPES.get(datatype.0)?.name.lock() = Some(name);
    } else {
        super::PREDEFINED_NAMES.lock().insert(datatype.0, name);
    }
    Ok(())
}

/// Refuses a datatype that only the function with `_c` can describe.
fn check_small(datatype: &Datatype) -> Result<()> {
    if datatype.is_large() {
        let text = "the datatype was made with MPI_Count arguments: ask the function that ends with _c";
        return Err(Error::new(Class::TYPE, text));
    }
    Ok(())
}

/// `MPI_Type_get_envelope`.
pub unsafe fn envelope(
    datatype: DatatypeHandle,
    integers: Output<i32>,
    addresses: Output<i32>,
    datatypes: Output<i32>,
    combiner: Output<i32>,
) -> Result<()> {
    let datatype = get(datatype)?;
    check_small(&datatype)?;
    let envelope = datatype.envelope();
    integers.set(envelope.integers as i32);
    addresses.set(envelope.addresses as i32);
    datatypes.set(envelope.datatypes as i32);
    combiner.set(envelope.combiner);
    Ok(())
}

/// `MPI_Type_get_envelope_c`.
pub unsafe fn large_envelope(
    datatype: DatatypeHandle,
    integers: Output<i64>,
    addresses: Output<i64>,
    counts: Output<i64>,
    datatypes: Output<i64>,
    combiner: Output<i32>,
) -> Result<()> {
    let envelope = get(datatype)?.envelope();
    integers.set(envelope.integers);
    addresses.set(envelope.addresses);
    counts.set(envelope.counts);
    datatypes.set(envelope.datatypes);
    combiner.set(envelope.combiner);
    Ok(())
}

/// `MPI_Type_get_contents`.
pub unsafe fn contents(
    datatype: DatatypeHandle,
    max_integers: i32,
    max_addresses: i32,
    max_datatypes: i32,
    integers: Outputs<(Option<Numbers>, i32)>,
    addresses: Outputs<i64>,
    datatypes: Outputs<DatatypeHandle>,
) -> Result<()> {
    check_small(&**get(datatype)?)?;
    let (integers_room, addresses_room) = (i64::from(max_integers), i64::from(max_addresses));
    write_contents(
        datatype,
        [integers_room, addresses_room, 0, i64::from(max_datatypes)],
        &integers,
        &addresses,
        None,
        &datatypes,
    )
}

/// `MPI_Type_get_contents_c`.
pub unsafe fn large_contents(
    datatype: DatatypeHandle,
    max_integers: i64,
    max_addresses: i64,
    max_counts: i64,
    max_datatypes: i64,
    integers: Outputs<(Option<Numbers>, i32)>,
    addresses: Outputs<i64>,
    counts: Outputs<i64>,
    datatypes: Outputs<DatatypeHandle>,
) -> Result<()> {
    let room = [max_integers, max_addresses, max_counts, max_datatypes];
    write_contents(datatype, room, &integers, &addresses, Some(&counts), &datatypes)
}

/// Writes integers, addresses, counts and datatypes, if the program's arrays have room for them.
fn write_contents(
    datatype: DatatypeHandle,
    room: [i64; 4],
    integers: &Outputs<(Option<Numbers>, i32)>,
    addresses: &Outputs<i64>,
    counts: Option<&Outputs<i64>>,
    datatypes: &Outputs<DatatypeHandle>,
) -> Result<()> {
    let datatype = get(datatype)?;
    if datatype.combiner() == COMBINER_NAMED {
        return Err(Error::new(Class::TYPE, "a predefined datatype has no contents"));
    }
    let contents = datatype.contents();
    let lens =
        [contents.integers.len(), contents.addresses.len(), contents.counts.len(), contents.datatypes.len()];
    if lens.iter().zip(room).any(|(len, room)| *len as i64 > room) {
        let text = format!(
            "the contents are {lens:?} integers, addresses, counts and datatypes; there is room for {room:?}"
        );
        return Err(Error::new(Class::ARG, text));
    }
    let kinds = kinds_of_integers(datatype.combiner(), &contents.integers);
    let numbers = contents.integers.iter().map(|number| *number as i32);
    integers.set_all(kinds.into_iter().zip(numbers))?;
    addresses.set_all(contents.addresses.iter().copied())?;
    if let Some(counts) = counts {
        counts.set_all(contents.counts.iter().copied())?;
    }
    datatypes.check(contents.datatypes.len())?;
    for (at, datatype) in contents.datatypes.into_iter().enumerate() {
        datatypes.set(at, super::handle(datatype));
    }
    Ok(())
}

/// The set of numbers to which each integer of the contents belongs: the order of an array, and its
/// distribution.
fn kinds_of_integers(combiner: i32, integers: &[i64]) -> Vec<Option<Numbers>> {
    let mut kinds = vec![None; integers.len()];
    if let (COMBINER_SUBARRAY | COMBINER_DARRAY, Some(last)) = (combiner, kinds.last_mut()) {
        *last = Some(Numbers::Order);
    }
    if combiner == COMBINER_DARRAY {
        // The last integers are distributions, their arguments, processes, order.
        let dims = integers.get(2).map_or(0, |dims| *dims as usize);
        let start = integers.len().saturating_sub(3 * dims + 1);
        kinds[start..start + dims].fill(Some(Numbers::Distribution));
        kinds[start + dims..start + 2 * dims].fill(Some(Numbers::DistributionArg));
    }
    kinds
}
