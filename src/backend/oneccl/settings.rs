//! The variables that oneCCL reads, set as it suits our calls. What the user has set stays.

use std::env;
use std::path::Path;

use crate::config::raw;

/// Name and value. Each of our calls waits inside the library, so it needs no thread of its own there; and
/// two that share a processor with the ranks make a call a thousand times slower.
const DEFAULTS: [(&str, &str); 4] = [
    // Without it, oneCCL looks for a GPU of Intel's, and fails.
    ("CCL_PLUGIN", FOR_PROCESSORS),
    ("CCL_WORKER_OFFLOAD", "0"),
    // Its other way is an MPI, which then must be the launcher's.
    ("CCL_ATL_TRANSPORT", "ofi"),
    // It warns of every launcher that is not Intel's.
    ("CCL_LOG_LEVEL", "error"),
];
const FOR_PROCESSORS: &str = "ONECCL_LEGACY_CPU";

/// Before the first call. Whether oneCCL will use its plugin for processors.
pub fn prepare(folder: &Path) -> bool {
    let mut wanted: Vec<(&str, String)> =
        DEFAULTS.iter().map(|(name, value)| (*name, value.to_string())).collect();
    // The network library finds its providers by itself only where oneCCL was installed by Intel's own
    // packages.
    if folder.join("libtcp-fi.so").is_file() {
        wanted.push(("FI_PROVIDER_PATH", folder.to_string_lossy().into_owned()));
    }
    for (name, value) in wanted {
        if raw(name).is_none() {
            // SAFETY: once per process, under the lock by which an engine is opened. Rust code that reads the
            // environment meanwhile waits for a lock of std's; C code does not: a program that must be safe
            // from that sets the variables itself, as docs/backends.md says, and nothing is set here.
            unsafe { env::set_var(name, value) };
        }
    }
    raw("CCL_PLUGIN").as_deref() == Some(FOR_PROCESSORS)
}
