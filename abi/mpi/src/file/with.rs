//! Calls on an open file.

use std::sync::Arc;

use super::File;
use crate::arguments::FileHandle;
use crate::call::check_outside_callback;
use crate::error::Result;

/// Runs a function on the file of a handle. The file's error handler handles its failure.
pub fn with<T>(handle: FileHandle, run: impl FnOnce(&Arc<File>) -> Result<T>) -> Result<T> {
    let file = File::from_handle(handle)?;
    check_outside_callback().and_then(|()| run(&file)).map_err(|error| error.on_file(file.id))
}
