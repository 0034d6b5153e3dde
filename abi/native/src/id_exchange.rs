//! Exchange of a unique id by a file.

use std::ffi::{c_char, c_int};
use std::path::Path;

use anyccl_edge::Out;
use anyccl_edge::check::{self, invalid, not_null};
use anyccl_engine::bootstrap::{LONGEST_EXCHANGE, exchange_id_by_file};
use anyccl_engine::sys::clock;

use crate::config::{self, anyccl_config_t};
use crate::status::{anyccl_status_t, edge};
use crate::unique_id::anyccl_unique_id_t;

/// Room for any address that anyccl_unique_id_exchange_by_file() gives, the final zero included.
pub const ANYCCL_ADDRESS_BYTES: usize = 46;

/// Gives all ranks a unique id and the address of rank 0, by a file on a file system that all ranks see.
///
/// Rank 0 makes the id and replaces the file in one step; only this user can read it. The other ranks wait
/// for the file. A file that an earlier run has left does no harm. A rank believes an address only when a
/// process there proves that it knows a secret from the file.
///
/// \param[in]  path     Path of the file. The same file on every rank.
/// \param[in]  size     Number of ranks, the same on every rank. 0: unknown. The file then stays where it is,
///                      and rank 0 does not wait: its process must live until the others have arrived.
/// \param[in]  rank     Rank of the caller, below size unless size is 0. Each rank exactly once.
/// \param[in]  config   Settings, of which timeout and interface are used. NULL: the defaults.
/// \param[out] id       The id, the same on all ranks, for anyccl_comm_create(). May be NULL.
/// \param[out] address  Numeric address of rank 0, with a final zero; room for ANYCCL_ADDRESS_BYTES. On rank
///                      0 its best address, on the others one that has answered. Use it for MASTER_ADDR. May
///                      be NULL.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT for a number out of range, an invalid config, or a
///          path that is NULL or a folder; ANYCCL_ERR_TIMEOUT (the message names the missing ranks, or what
///          was found in the file); ANYCCL_ERR_BOOTSTRAP, ANYCCL_ERR_SYSTEM.
///
/// Collective over the ranks if size is not 0: the call blocks until all ranks have arrived, at most for the
/// timeout. Rank 0 then answers the ranks that join, as after anyccl_get_unique_id().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_unique_id_exchange_by_file(
    path: *const c_char,
    size: c_int,
    rank: c_int,
    config: *const anyccl_config_t,
    id: *mut anyccl_unique_id_t,
    address: *mut c_char,
) -> anyccl_status_t {
    edge("anyccl_unique_id_exchange_by_file", || {
        not_null(path, "path")?;
        // SAFETY: not NULL; the caller promises a terminated text.
        let path = unsafe { check::text(path, "path") }?.filter(|path| !path.is_empty());
        let Some(path) = path else { return invalid("path", "empty") };
        let size = if size == 0 { None } else { Some(check::size(size)?) };
        let rank = check::rank(rank, size.unwrap_or(c_int::MAX as u32), "rank")?;
        // SAFETY: the caller promises NULL or a config of the size it states.
        let (settings, own) = unsafe { config::read(config) }?;
        let timeout = own.timeout.or(settings.timeout).filter(|timeout| !timeout.is_zero());
        let deadline = clock::now() + timeout.unwrap_or(LONGEST_EXCHANGE);
        let found = exchange_id_by_file(Path::new(&path), size, rank, &settings, deadline)?;
        if !id.is_null() {
            // SAFETY: not NULL; the caller promises a writable id.
            unsafe { Out::new(id, "id") }?.set(anyccl_unique_id_t { bytes: found.id.0 });
        }
        if !address.is_null() {
            let mut text = [0; ANYCCL_ADDRESS_BYTES];
            for (to, from) in text.iter_mut().zip(found.address.to_string().bytes()) {
                *to = from as c_char;
            }
            // SAFETY: not NULL; the caller promises so much room.
            unsafe { Out::new(address.cast(), "address") }?.set(text);
        }
        Ok(())
    })
}
