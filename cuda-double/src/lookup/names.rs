//! The addresses of the exported functions.

use std::ffi::c_void;

use super::*;
use crate::allocation::*;
use crate::capture::api::*;
use crate::context::api::*;
use crate::context::limits::*;
use crate::context::primary::*;
use crate::copy::api::*;
use crate::copy::fill::*;
use crate::copy::plane::*;
use crate::device::api::*;
use crate::event::*;
use crate::exported::each_exported;
use crate::graph::api::*;
use crate::graph::objects::*;
use crate::graph::update::*;
use crate::host_function::*;
use crate::init::*;
use crate::ipc::events::*;
use crate::ipc::memory::*;
use crate::managed::*;
use crate::module::api::*;
use crate::module::function::*;
use crate::module::launch::*;
use crate::pinned::*;
use crate::pointer::*;
use crate::pool::*;
use crate::status_text::*;
use crate::stream::api::*;
use crate::value::api::*;
use crate::value::batch::*;
use crate::vmm::export::*;
use crate::vmm::map::*;
use crate::vmm::reserve::*;
use crate::vmm::*;

/// An exported function.
pub struct Function {
    /// Its name, with suffixes.
    pub name: &'static str,
    /// Its address.
    pub address: *const c_void,
}

// SAFETY: the addresses are those of functions.
unsafe impl Sync for Function {}

/// Lists functions by their names.
macro_rules! functions {
    ($($name:ident)*) => {
        &[$(Function { name: stringify!($name), address: $name as *const c_void }),*]
    };
}

/// All exported functions of the driver.
pub static FUNCTIONS: &[Function] = each_exported!(functions);
