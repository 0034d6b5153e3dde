//! Communicators by a key/value store of the program.

use std::ffi::{CString, c_char, c_int, c_void};
use std::mem::{offset_of, size_of};
use std::sync::Arc;
use std::time::Duration;

use anyccl_edge::Out;
use anyccl_edge::check::{self, invalid, not_null};
use anyccl_engine::base::{Error, Result};
use anyccl_engine::bootstrap::CallerStore;
use anyccl_engine::comm::Communicator;

use crate::comm::{COMMS, Comm, anyccl_comm_t, to_c};
use crate::config::{self, anyccl_config_t};
use crate::status::{anyccl_status_t, edge};

/// Bytes that a store callback may write its error message to, the final zero included.
pub const ANYCCL_STORE_MESSAGE_BYTES: usize = 512;

/// Return value of a store callback: success.
pub const ANYCCL_STORE_OK: c_int = 0;
/// Return value of a store callback: the key was not set in time.
pub const ANYCCL_STORE_TIMEOUT: c_int = 1;

/// Store callback that sets a value and replaces an earlier one.
///
/// \param[in]  context  Context of the store.
/// \param[in]  key      ASCII string.
/// \param[in]  value    Any bytes.
/// \param[in]  bytes    Length of value; below 4096.
/// \param[out] message  Room for ANYCCL_STORE_MESSAGE_BYTES, empty at first: why the call failed, UTF-8 with
///                      a final zero.
/// \returns ANYCCL_STORE_OK; any other value is a failure.
///
/// It runs in the thread that called anyccl, and may block it. It must not call anyccl. It must return: an
/// exception or a longjmp that leaves it ends the process.
pub type anyccl_store_set_t = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        key: *const c_char,
        value: *const c_void,
        bytes: usize,
        message: *mut c_char,
    ) -> c_int,
>;

/// Store callback that waits until a key is set and gives its value. The rules of anyccl_store_set_t apply.
///
/// \param[in]  context     Context of the store.
/// \param[in]  key         ASCII string.
/// \param[in]  timeout_ms  Longest time to wait, at least 0.
/// \param[out] value       Room for the value.
/// \param[in]  capacity    Bytes of that room.
/// \param[out] bytes       Length of the value. A value longer than capacity is a failure.
/// \param[out] message     As for anyccl_store_set_t.
/// \returns ANYCCL_STORE_OK; ANYCCL_STORE_TIMEOUT when the key was not set in time; any other value is a
///          failure.
pub type anyccl_store_get_t = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        key: *const c_char,
        timeout_ms: i64,
        value: *mut c_void,
        capacity: usize,
        bytes: *mut usize,
        message: *mut c_char,
    ) -> c_int,
>;

/// Key/value store of the program, such as PyTorch's. Start from ANYCCL_STORE_INIT and set both callbacks.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct anyccl_store_t {
    /// sizeof(anyccl_store_t) in the program. Later versions append members.
    pub struct_size: usize,
    /// Pointer that is passed to the callbacks. The library does not use it. May be NULL.
    pub context: *mut c_void,
    /// Sets a value. Required.
    pub set: anyccl_store_set_t,
    /// Waits for a value. Required.
    pub get: anyccl_store_get_t,
}

/// Joins the communicator of the ranks that share a store.
///
/// Rank 0 sets one value, which has its address and a secret. The other ranks get it, and get it again if the
/// value was left over from an earlier communicator. All other communication uses connections of the library.
///
/// \param[in]  store   Used during the call only. Any process that can read it may join. It serves one
///                     communicator at a time: where several are created at once, give each a key prefix of
///                     its own.
/// \param[in]  size    Number of ranks, at least 1. The same on every rank.
/// \param[in]  rank    Rank of the caller, 0 to size-1. Each rank exactly once.
/// \param[in]  config  Settings. NULL: the defaults.
/// \param[out] comm    Owned by the caller; release with anyccl_comm_destroy().
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT for NULL, a number out of range, a store without its
///          callbacks or an invalid config; ANYCCL_ERR_BOOTSTRAP when a callback failed (its message is part
///          of the error) or the ranks did not find each other; ANYCCL_ERR_TIMEOUT, ANYCCL_ERR_PEER_LOST,
///          ANYCCL_ERR_SYSTEM.
///
/// Collective over the ranks of the new communicator. The call blocks until all ranks have joined, at most
/// for the timeout. It does not need anyccl_init().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_comm_create_with_store(
    store: *const anyccl_store_t,
    size: c_int,
    rank: c_int,
    config: *const anyccl_config_t,
    comm: *mut anyccl_comm_t,
) -> anyccl_status_t {
    edge("anyccl_comm_create_with_store", || {
        // SAFETY: the caller promises NULL or a store of the size it states.
        let mut store = unsafe { Callbacks::read(store) }?;
        // SAFETY: the caller promises a writable handle or NULL.
        let comm = unsafe { Out::new(comm, "comm") }?;
        let size = check::size(size)?;
        let rank = check::rank(rank, size, "rank")?;
        // SAFETY: the caller promises NULL or a config of the size it states.
        let (settings, own) = unsafe { config::read(config) }?;
        let engine = Communicator::create_with_store(&mut store, size, rank, &settings, &own)?;
        comm.set(to_c(COMMS.insert(Arc::new(Comm { engine: engine.shared(), is_world: false }))));
        Ok(())
    })
}

/// A store from C, checked.
struct Callbacks {
    context: *mut c_void,
    set: unsafe extern "C" fn(*mut c_void, *const c_char, *const c_void, usize, *mut c_char) -> c_int,
    get: unsafe extern "C" fn(
        *mut c_void,
        *const c_char,
        i64,
        *mut c_void,
        usize,
        *mut usize,
        *mut c_char,
    ) -> c_int,
}

/// Room for a value. It is more than the library ever sets.
const VALUE_BYTES: usize = 4096;

impl Callbacks {
    /// # Safety
    /// A `store` that is not NULL points to `struct_size` readable bytes; its callbacks are functions of
    /// their types.
    unsafe fn read(store: *const anyccl_store_t) -> Result<Callbacks> {
        not_null(store, "store")?;
        // SAFETY: every version of the struct begins with this member.
        let given = unsafe { store.cast::<usize>().read() };
        if given < size_of::<anyccl_store_t>() {
            let got = format!("{given}; set it to sizeof(anyccl_store_t), or begin with ANYCCL_STORE_INIT");
            return invalid("store->struct_size", got);
        }
        const { assert!(offset_of!(anyccl_store_t, struct_size) == 0) };
        // SAFETY: the caller vouches for `given` bytes, which are enough.
        let store = unsafe { store.read() };
        match (store.set, store.get) {
            (Some(set), Some(get)) => Ok(Callbacks { context: store.context, set, get }),
            (None, _) => invalid("store->set", "NULL"),
            (_, None) => invalid("store->get", "NULL"),
        }
    }
}

impl CallerStore for Callbacks {
    fn set(&mut self, key: &str, value: &[u8]) -> Result<()> {
        let (name, mut message) = (c_text(key), StoreMessage::empty());
        // SAFETY: the caller of `read` promises a function of this type; all pointers outlive the call, and
        // the message has the room that the type's documentation tells.
        let answer = unsafe {
            (self.set)(self.context, name.as_ptr(), value.as_ptr().cast(), value.len(), message.as_mut_ptr())
        };
        if answer == ANYCCL_STORE_OK { Ok(()) } else { Err(message.error("set", key, answer)) }
    }

    fn get(&mut self, key: &str, timeout: Duration) -> Result<Vec<u8>> {
        let (name, mut message) = (c_text(key), StoreMessage::empty());
        let mut value = vec![0u8; VALUE_BYTES];
        let mut bytes = 0;
        let timeout_ms = i64::try_from(timeout.as_millis()).unwrap_or(i64::MAX);
        let place = value.as_mut_ptr().cast();
        // SAFETY: as in `set`; the value has the room that is told.
        let answer = unsafe {
            (self.get)(
                self.context,
                name.as_ptr(),
                timeout_ms,
                place,
                VALUE_BYTES,
                &mut bytes,
                message.as_mut_ptr(),
            )
        };
        match answer {
            ANYCCL_STORE_OK if bytes <= VALUE_BYTES => {
                value.truncate(bytes);
                Ok(value)
            }
            ANYCCL_STORE_OK => Err(Error::Bootstrap(format!(
                "the store's value of \"{key}\" has {bytes} bytes, which nobody here has set"
            ))),
            ANYCCL_STORE_TIMEOUT => Err(Error::Timeout { waited: timeout, detail: String::new() }),
            answer => Err(message.error("get", key, answer)),
        }
    }
}

fn c_text(key: &str) -> CString {
    // The keys of the engine contain no zero.
    CString::new(key).unwrap_or_default()
}

/// Room for the error message of a callback.
struct StoreMessage([u8; ANYCCL_STORE_MESSAGE_BYTES]);

impl StoreMessage {
    fn empty() -> StoreMessage {
        StoreMessage([0; ANYCCL_STORE_MESSAGE_BYTES])
    }

    fn as_mut_ptr(&mut self) -> *mut c_char {
        self.0.as_mut_ptr().cast()
    }

    fn error(&self, what: &str, key: &str, answer: c_int) -> Error {
        let said = self.0.split(|byte| *byte == 0).next().unwrap_or_default();
        let said = match String::from_utf8_lossy(said) {
            said if said.is_empty() => format!("it answered {answer} and no message"),
            said => said.into_owned(),
        };
        Error::Bootstrap(format!("the caller's store could not {what} \"{key}\": {said}"))
    }
}
