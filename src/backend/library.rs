//! Opens the first suitable one of several libraries, and says why the others were not suitable.

use crate::base::{Error, Result};
use crate::config::BackendName;
use crate::sys::foreign_library::ForeignLibrary;

/// Tries `names` in order: paths of files, or names for the loader. `accept` binds the symbols that are
/// needed, or says what is missing: then the next name is tried.
pub fn open_first<T>(
    engine: BackendName,
    names: &[String],
    mut accept: impl FnMut(ForeignLibrary) -> std::result::Result<T, String>,
) -> Result<T> {
    let mut refusals = Vec::new();
    for name in names {
        // SAFETY: the user has named this library, or it is the usual name of this engine's library.
        let outcome = unsafe { ForeignLibrary::open(name) };
        match outcome.and_then(&mut accept) {
            Ok(opened) => return Ok(opened),
            // The loader's own sentence usually begins with the name.
            Err(why) if why.starts_with(name.as_str()) => refusals.push(why),
            Err(why) => refusals.push(format!("{name}: {why}")),
        }
    }
    let text = format!("backend {} cannot be loaded; tried {}", engine.name(), refusals.join("; "));
    Err(Error::Unsupported(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_that_was_tried_is_named_with_what_was_missing_there() {
        let names = ["libno_such_engine.so.7".to_string(), "libc.so.6".to_string()];
        let outcome = open_first(BackendName::Mpi, &names, |library| {
            library.symbol(c"MPI_Init").map(|_| ()).ok_or_else(|| "it has no MPI_Init".to_string())
        });
        let text = outcome.unwrap_err().to_string();
        assert!(text.starts_with("backend mpi cannot be loaded; tried libno_such_engine.so.7: "), "{text}");
        assert!(text.ends_with("libc.so.6: it has no MPI_Init"), "{text}");
    }
}
