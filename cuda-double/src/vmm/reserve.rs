//! Reserved addresses: `cuMemAddressReserve`, `cuMemAddressFree`.

use std::collections::BTreeMap;

use parking_lot::Mutex;

use super::GRANULARITY;
use crate::address_space;
use crate::arena::ARENA;
use crate::argument::Out;
use crate::counts::{self, Kind};
use crate::entry::call;
use crate::status::{Status, require};

/// Start and size of each reservation.
static RESERVED: Mutex<BTreeMap<u64, u64>> = Mutex::new(BTreeMap::new());

/// Whether these addresses lie in one reservation.
pub fn is_reserved(address: u64, size: u64) -> bool {
    let reserved = RESERVED.lock();
    let found = reserved.range(..=address).next_back();
    found.is_some_and(|(&base, &bytes)| address.checked_add(size).is_some_and(|end| end <= base + bytes))
}

/// `cuMemAddressReserve`.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemAddressReserve(
    address: Out<u64>,
    size: usize,
    alignment: usize,
    wished: u64,
    flags: u64,
) -> Status {
    call("cuMemAddressReserve", || {
        let (size, alignment) = (size as u64, alignment as u64);
        require(!address.is_null() && flags == 0 && size > 0 && size.is_multiple_of(GRANULARITY))?;
        require(alignment == 0 || alignment.is_power_of_two())?;
        let base = ARENA.take(size, alignment.max(GRANULARITY), wished)?;
        RESERVED.lock().insert(base, size);
        counts::add(Kind::Reservations, 1);
        address.set(base)
    })
}

/// `cuMemAddressFree`. The addresses must be those of the reservation, and nothing may be mapped there.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemAddressFree(address: u64, size: usize) -> Status {
    call("cuMemAddressFree", || {
        let mut reserved = RESERVED.lock();
        require(reserved.get(&address) == Some(&(size as u64)))?;
        require(!address_space::overlaps(address, size as u64))?;
        reserved.remove(&address);
        ARENA.give_back(address, size as u64);
        counts::add(Kind::Reservations, -1);
        Ok(())
    })
}
