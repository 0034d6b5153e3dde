//! Handles of events for other processes.

use std::sync::Arc;

use super::shared_event::SharedEvent;
use super::{EVENT, Handle};
use crate::argument::Out;
use crate::context::{self};
use crate::entry::call;
use crate::event;
use crate::memory_file::MemoryFile;
use crate::status::Status;

/// `cuIpcGetEventHandle`.
#[unsafe(no_mangle)]
pub extern "C" fn cuIpcGetEventHandle(handle: Out<Handle>, event: usize) -> Status {
    call("cuIpcGetEventHandle", || {
        context::current()?;
        let event = event::get(event)?;
        let shared = event.shared.as_ref().ok_or(Status::INVALID_VALUE)?;
        handle.set(Handle::of(EVENT, &shared.file, 0))
    })
}

/// `cuIpcOpenEventHandle`.
#[unsafe(no_mangle)]
pub extern "C" fn cuIpcOpenEventHandle(event: Out<usize>, handle: Handle) -> Status {
    call("cuIpcOpenEventHandle", || {
        context::current()?;
        let (object, _) = handle.parse(EVENT)?;
        let shared = SharedEvent::map(MemoryFile::from_descriptor(object.open()?.into())?)?;
        event.set(event::add(Some(Arc::new(shared)), false)?)
    })
}
