//! Windows, and one-sided calls on them.
//!
//! Registering is collective in NCCL. So the ranks register in the same order, and a window has the same
//! number on all of them.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use anyccl_edge::check::{self, invalid, not_null};
use anyccl_edge::{Out, buffers};
use anyccl_engine::base::{Call, CallKind, Result};
use anyccl_engine::config::MemoryKind;

use crate::action::Action;
use crate::call::Progress;
use crate::communicator::Comm;
use crate::datatype::datatype_of;
use crate::group;
use crate::signals::{Put, SignalWait, tag_of};
use crate::types::{cudaStream_t, ncclComm_t, ncclDataType_t, ncclWaitSignalDesc_t, ncclWindow_t};

/// Mask of all NCCL_WIN_* flags.
const KNOWN_FLAGS: c_int = 0x0f;

/// ncclCommWindowRegister. Calls on GPU memory are the same with and without a window; it cannot be put to.
pub unsafe fn register(
    comm: ncclComm_t,
    buff: *mut c_void,
    size: usize,
    win: *mut ncclWindow_t,
    winFlags: c_int,
) -> Result<()> {
    // SAFETY: the caller promises a writable handle or NULL.
    let place = unsafe { Out::new(win, "win") }?;
    let comm = Comm::from_handle(comm)?;
    comm.engine()?;
    if winFlags & !KNOWN_FLAGS != 0 {
        return invalid("winFlags", format!("{winFlags:#x}; accepted: NCCL_WIN_* flags"));
    }
    if size > 0 {
        not_null(buff, "buff")?;
    }
    let is_on_gpu = size > 0 && comm.memory.of(buff.addr()) == MemoryKind::Cuda;
    let number = comm.windows.lock().add(buff.expose_provenance(), size, is_on_gpu);
    place.set(ptr::without_provenance_mut(number));
    Ok(())
}

/// ncclCommWindowDeregister. Does nothing for NULL.
pub unsafe fn deregister(comm: ncclComm_t, win: ncclWindow_t) -> Result<()> {
    let comm = Comm::from_handle(comm)?;
    if win.is_null() {
        return Ok(());
    }
    comm.windows.lock().remove(win)
}

/// ncclWinGetUserPtr.
pub unsafe fn user_pointer(comm: ncclComm_t, win: ncclWindow_t, outUserPtr: *mut *mut c_void) -> Result<()> {
    // SAFETY: the caller promises a writable pointer or NULL.
    let place = unsafe { Out::new(outUserPtr, "outUserPtr") }?;
    let window = Comm::from_handle(comm)?.windows.lock().get(win)?;
    place.set(ptr::with_exposed_provenance_mut(window.start));
    Ok(())
}

/// ncclPutSignal.
pub unsafe fn put_signal(
    localbuff: *const c_void,
    count: usize,
    datatype: ncclDataType_t,
    peer: c_int,
    peerWin: ncclWindow_t,
    peerWinOffset: usize,
    sigIdx: c_int,
    ctx: c_int,
    flags: c_uint,
    comm: ncclComm_t,
    stream: cudaStream_t,
) -> Result<Progress> {
    let comm = Comm::from_handle(comm)?;
    let to = check::rank(peer, comm.engine()?.size(), "peer")?;
    let datatype = datatype_of(datatype)?;
    let call = Call { kind: CallKind::Transfer, datatype, op: None, root: 0, count: count as u64 };
    buffers::check_transfer(&call, localbuff.addr(), "localbuff")?;
    let bytes = count * datatype.bytes();
    comm.memory.check_host(localbuff.addr(), bytes, "localbuff")?;
    comm.windows.lock().get(peerWin)?.check_host()?;
    let tag = tag_of(sigIdx, ctx)?;
    no_flags(flags)?;
    let payload = if bytes > 0 {
        // SAFETY: not NULL, as was checked; the caller promises that many elements.
        unsafe { std::slice::from_raw_parts(localbuff.cast::<u8>(), bytes) }
    } else {
        &[]
    };
    let put = Put::new(to, tag, peerWin.addr(), peerWinOffset, payload);
    // SAFETY: a put has copied the caller's buffer and uses it no more.
    unsafe { group::submit(comm, Action::Put(put), stream) }
}

/// ncclSignal.
pub unsafe fn signal(
    peer: c_int,
    sigIdx: c_int,
    ctx: c_int,
    flags: c_uint,
    comm: ncclComm_t,
    stream: cudaStream_t,
) -> Result<Progress> {
    let comm = Comm::from_handle(comm)?;
    let to = check::rank(peer, comm.engine()?.size(), "peer")?;
    let tag = tag_of(sigIdx, ctx)?;
    no_flags(flags)?;
    let put = Put::signal(to, tag);
    // SAFETY: as above.
    unsafe { group::submit(comm, Action::Put(put), stream) }
}

fn no_flags(flags: c_uint) -> Result<()> {
    if flags == 0 { Ok(()) } else { invalid("flags", format!("{flags}; accepted: 0")) }
}

/// ncclWaitSignal.
pub unsafe fn wait_signal(
    nDesc: c_int,
    signalDescs: *mut ncclWaitSignalDesc_t,
    comm: ncclComm_t,
    stream: cudaStream_t,
) -> Result<Progress> {
    let comm = Comm::from_handle(comm)?;
    let size = comm.engine()?.size();
    let Ok(len) = usize::try_from(nDesc) else {
        return invalid("nDesc", format!("{nDesc}; accepted: 0 and more"));
    };
    let descriptors = if len == 0 {
        &[]
    } else {
        not_null(signalDescs, "signalDescs")?;
        // SAFETY: not NULL; the caller promises that many descriptors, which nobody changes during the call.
        unsafe { std::slice::from_raw_parts(signalDescs, len) }
    };
    let mut waits = Vec::with_capacity(len);
    for ncclWaitSignalDesc_t { opCnt, peer, sigIdx, ctx } in descriptors {
        let Ok(times) = u32::try_from(*opCnt) else {
            return invalid("signalDescs", format!("opCnt {opCnt}; accepted: 0 and more"));
        };
        let peer = check::rank(*peer, size, "peer")?;
        waits.push(SignalWait { peer, tag: tag_of(*sigIdx, *ctx)?, times });
    }
    // SAFETY: the action uses no buffers but the windows, which the program leaves alone until this has
    // ended.
    unsafe { group::submit(comm, Action::Wait(waits), stream) }
}
