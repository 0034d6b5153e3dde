//! Calls on a window.

use std::sync::Arc;

use super::Win;
use crate::arguments::WinHandle;
use crate::call::check_outside_callback;
use crate::error::Result;

/// Runs a function on the window of a handle. The window's error handler handles its failure.
pub fn with<T>(handle: WinHandle, run: impl FnOnce(&Arc<Win>) -> Result<T>) -> Result<T> {
    let win = Win::from_handle(handle)?;
    check_outside_callback().and_then(|()| run(win.shared())).map_err(|error| error.on_win(win.id))
}
