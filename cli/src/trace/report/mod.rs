//! `anyccl trace report` and `merge`: what the time lines say that ranks have written (`ANYCCL_TRACE`,
//! `ANYCCL_RECORD`).
//!
//! [`super::read`] reads the files, `clocks` puts the times of several machines on one clock, and
//! `numbers` computes the report, which `text` and `page` show. `merge` writes all time lines to one
//! file.

mod clocks;
mod merge;
mod numbers;
mod page;

mod text;

use std::path::Path;

use anyccl_engine::base::VERSION;
use serde_json::json;

use crate::failure::Failure;
use crate::output::{self, say, say_json};

pub use merge::merge;

/// Shows the report of a folder. Returns the exit code.
pub fn report(folder: &Path, as_json: bool, html: Option<&Path>) -> Result<u8, Failure> {
    let reports = numbers::reports(crate::trace::read::read(folder)?);
    if let Some(path) = html {
        output::write(path, page::page(&reports))?;
    }
    if as_json {
        return say_json(&json!({ "anyccl": VERSION, "jobs": reports }));
    }
    say(&text::of_all(&reports))
}
