//! The functions for user objects.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;

use super::GRAPHS;
use super::user_object::UserObject;
use crate::argument::Out;
use crate::capture;
use crate::entry::call;
use crate::handles::fresh;
use crate::status::{Result, Status, require};

/// `CU_USER_OBJECT_NO_DESTRUCTOR_SYNC`, which a program must give.
const NO_DESTRUCTOR_SYNC: u32 = 1;
/// `CU_GRAPH_USER_OBJECT_MOVE`: the references of the program become those of the graph.
const MOVE: u32 = 1;

/// The references of the program, by handle.
static OF_PROGRAM: LazyLock<Mutex<HashMap<usize, Vec<Arc<UserObject>>>>> = LazyLock::new(Mutex::default);

/// `cuUserObjectCreate`.
#[unsafe(no_mangle)]
pub extern "C" fn cuUserObjectCreate(
    object: Out<usize>,
    data: *mut c_void,
    destructor: Option<extern "C" fn(*mut c_void)>,
    count: u32,
    flags: u32,
) -> Status {
    call("cuUserObjectCreate", || {
        require(!object.is_null() && count > 0 && flags == NO_DESTRUCTOR_SYNC)?;
        let destructor = destructor.ok_or(Status::INVALID_VALUE)?;
        let handle = fresh();
        OF_PROGRAM.lock().insert(handle, vec![UserObject::new(data, destructor); count as usize]);
        object.set(handle)
    })
}

/// `cuUserObjectRetain`.
#[unsafe(no_mangle)]
pub extern "C" fn cuUserObjectRetain(object: usize, count: u32) -> Status {
    call("cuUserObjectRetain", || {
        require(count > 0)?;
        let mut known = OF_PROGRAM.lock();
        let references = known.get_mut(&object).ok_or(Status::INVALID_VALUE)?;
        let one = references.first().cloned().ok_or(Status::INVALID_VALUE)?;
        references.extend(vec![one; count as usize]);
        Ok(())
    })
}

/// `cuUserObjectRelease`.
#[unsafe(no_mangle)]
pub extern "C" fn cuUserObjectRelease(object: usize, count: u32) -> Status {
    call("cuUserObjectRelease", || take(object, count).map(drop))
}

/// `cuGraphRetainUserObject`. A graph that a stream is capturing may be given, too.
#[unsafe(no_mangle)]
pub extern "C" fn cuGraphRetainUserObject(graph: usize, object: usize, count: u32, flags: u32) -> Status {
    call("cuGraphRetainUserObject", || {
        require(flags & !MOVE == 0)?;
        let graph = match GRAPHS.get(graph) {
            Ok(graph) => graph,
            Err(_) => capture::graph(graph).ok_or(Status::INVALID_VALUE)?,
        };
        let moved = take(object, count)?;
        if flags & MOVE == 0 {
            OF_PROGRAM.lock().entry(object).or_default().extend(moved.iter().cloned());
        }
        graph.objects.lock().0.extend(moved.into_iter().map(|reference| (object, reference)));
        Ok(())
    })
}

/// `cuGraphReleaseUserObject`.
#[unsafe(no_mangle)]
pub extern "C" fn cuGraphReleaseUserObject(graph: usize, object: usize, count: u32) -> Status {
    call("cuGraphReleaseUserObject", || {
        let graph = GRAPHS.get(graph).map_err(|_| Status::INVALID_VALUE)?;
        for _ in 0..count {
            let held = &mut graph.objects.lock().0;
            let at = held.iter().position(|(handle, _)| *handle == object).ok_or(Status::INVALID_VALUE)?;
            held.swap_remove(at);
        }
        Ok(())
    })
}

/// Takes references of the program.
fn take(object: usize, count: u32) -> Result<Vec<Arc<UserObject>>> {
    require(count > 0)?;
    let mut known = OF_PROGRAM.lock();
    let references = known.get_mut(&object).ok_or(Status::INVALID_VALUE)?;
    let left = references.len().checked_sub(count as usize).ok_or(Status::INVALID_VALUE)?;
    let taken = references.split_off(left);
    if left == 0 {
        known.remove(&object);
    }
    Ok(taken)
}
