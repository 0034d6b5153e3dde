//! Sets variables that oneCCL reads to values that suit our calls. Variables that the user has set stay.

use std::env;
use std::path::Path;

use crate::config::raw;

/// Names and values. Each of our calls waits inside the library, so the library needs no worker thread. A
/// worker that shares a core with the ranks slows every call down greatly.
const DEFAULTS: [(&str, &str); 4] = [
    // Without it, oneCCL looks for an Intel GPU and fails.
    ("CCL_PLUGIN", FOR_PROCESSORS),
    ("CCL_WORKER_OFFLOAD", "0"),
    // The other transport is an MPI, which would have to be the launcher's.
    ("CCL_ATL_TRANSPORT", "ofi"),
    // Otherwise it warns of every launcher that is not Intel's.
    ("CCL_LOG_LEVEL", "error"),
];
const FOR_PROCESSORS: &str = "ONECCL_LEGACY_CPU";

/// Sets the variables; must be called before the first call. Returns whether oneCCL will use its plugin for
/// processors.
#[expect(clippy::disallowed_methods, reason = "oneCCL reads its settings from nowhere else")]
pub fn prepare(folder: &Path) -> bool {
    let mut wanted: Vec<(&str, String)> =
        DEFAULTS.iter().map(|(name, value)| (*name, value.to_string())).collect();
    // The network library finds its providers by itself only if oneCCL was installed by Intel's own packages.
    if folder.join("libtcp-fi.so").is_file() {
        wanted.push(("FI_PROVIDER_PATH", folder.to_string_lossy().into_owned()));
    }
    for (name, value) in wanted {
        if raw(name).is_none() {
            // SAFETY: runs once per process, under the lock under which an engine is opened. Rust code that
            // reads the environment meanwhile waits for a lock of std. C code does not: a program that needs
            // that safety sets the variables itself, as docs/backends.md says, and then nothing is set here.
            unsafe { env::set_var(name, value) };
        }
    }
    raw("CCL_PLUGIN").as_deref() == Some(FOR_PROCESSORS)
}
