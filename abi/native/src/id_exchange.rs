//! Exchange of a unique id by a file.

use std::ffi::{c_char, c_int};
use std::path::Path;
use std::time::Instant;

use anyccl_edge::Out;
use anyccl_edge::check::{self, invalid, not_null};
use anyccl_engine::bootstrap::{LONGEST_EXCHANGE, exchange_id_by_file};

use crate::config::{self, anyccl_config_t};
use crate::status::{anyccl_status_t, edge};
use crate::unique_id::anyccl_unique_id_t;

/// Bytes that hold any address that anyccl_unique_id_exchange_by_file gives, the final zero included.
pub const ANYCCL_ADDRESS_BYTES: usize = 46;

/// Exchanges a unique id, which rank 0 makes, by a file on a file system that all ranks see; tells where rank
/// 0 is.
///
/// Rank 0 writes the file, whole or not at all, readable by this user only, in place of whatever is there;
/// the others wait for it. A file that an earlier run has left is never believed: a rank believes only an
/// address at which a process proves to know a secret from the file.
///
/// \param path     [in]  The same file on every rank. Terminated; copied.
/// \param size     [in]  Number of ranks, the same on every rank. 0: not known; then the file stays where it
///                 is, and rank 0 does not wait: its process must live until the others have come.
/// \param rank     [in]  This rank, each exactly once; below size, if that is known.
/// \param config   [in]  Read during the call: timeout and interface count. NULL: all defaults.
/// \param id       [out] The same on all ranks: for anyccl_comm_create. May be NULL. Written only on
///                 ANYCCL_SUCCESS.
/// \param address  [out] Numeric address of rank 0, terminated, room for ANYCCL_ADDRESS_BYTES: on rank 0 the
///                 best of its own, elsewhere one that has answered. For MASTER_ADDR. May be NULL. Written
///                 only on ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT for numbers out of range, a path that is NULL or
///          names a folder, a config that cannot be understood; ANYCCL_ERR_TIMEOUT, with who has not come or
///          what was found in the file; ANYCCL_ERR_BOOTSTRAP, ANYCCL_ERR_SYSTEM.
///
/// Collective over the ranks, if their number is known: the call blocks until all have come, at most for the
/// configured time. Any thread. Rank 0 answers for the id as after anyccl_get_unique_id.
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
        let deadline = Instant::now() + timeout.unwrap_or(LONGEST_EXCHANGE);
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
