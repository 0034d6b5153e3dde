//! User objects: what a program lets live as long as the graphs that use it.
//!
//! An object has references of the program and of graphs. A graph that can be launched takes those of the
//! graph that it was made from, and keeps them until its last launch has ended. After the last reference, the
//! destructor runs, sooner or later, as a host function does: on a thread of the driver, which calls nothing
//! of it.

use std::ffi::c_void;
use std::sync::{Arc, LazyLock};

use crate::counts::{self, Kind};
use crate::delays::Random;
use crate::host_thread::Caller;

/// One object. Each `Arc` is a reference.
pub struct UserObject {
    data: usize,
    destructor: extern "C" fn(*mut c_void),
}

/// References that a graph holds, with the handles of the objects.
#[derive(Clone, Default)]
pub struct References(pub Vec<(usize, Arc<UserObject>)>);

/// The thread that runs destructors.
static DESTRUCTORS: LazyLock<Caller> = LazyLock::new(Caller::default);

impl UserObject {
    /// An object with its first reference.
    pub fn new(data: *mut c_void, destructor: extern "C" fn(*mut c_void)) -> Arc<UserObject> {
        counts::add(Kind::UserObjects, 1);
        Arc::new(UserObject { data: data.expose_provenance(), destructor })
    }
}

impl Drop for UserObject {
    fn drop(&mut self) {
        counts::add(Kind::UserObjects, -1);
        let (data, destructor) = (self.data, self.destructor);
        DESTRUCTORS.send(move || {
            Random::fresh().pause();
            destructor(std::ptr::with_exposed_provenance_mut(data));
        });
    }
}
