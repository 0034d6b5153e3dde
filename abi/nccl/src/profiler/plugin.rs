//! The plugin of the process: how it is found, and its functions.

use std::ffi::{CStr, c_char, c_int, c_ulong, c_void};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering};

use anyccl_engine::log_line;
use anyccl_engine::sys::foreign_library::ForeignLibrary;

use super::abi::{Body, Description4, Description5, Functions4, Functions5};
use crate::result::ncclSuccess;
use crate::variables;

/// A plugin, which stays until the end of the process.
pub struct Plugin {
    functions: Functions,
    _library: ForeignLibrary,
}

#[derive(Clone, Copy)]
enum Functions {
    V4(Functions4),
    V5(Functions5),
}

// SAFETY: function pointers and a name, which nobody writes. NCCL's interface has plugins expect calls
// from any thread.
unsafe impl Send for Plugin {}
// SAFETY: as above.
unsafe impl Sync for Plugin {}

/// A communicator, as a plugin wants to know it.
pub struct About<'a> {
    pub number: u64,
    pub name: &'a CStr,
    pub hosts: u32,
    pub size: u32,
    pub rank: u32,
}

static PLUGIN: OnceLock<Option<Plugin>> = OnceLock::new();

/// The events that the plugin asks for, of all communicators. Plugins write here whenever they like.
static ASKED_FOR: AtomicI32 = AtomicI32::new(0);

/// The events that the plugin asks for now.
pub fn asked_for() -> u64 {
    u64::from(ASKED_FOR.load(Ordering::Relaxed).cast_unsigned())
}

/// Whether the process has a plugin. Opens it, if that is the first question.
pub fn is_wanted() -> bool {
    plugin().is_some()
}

pub fn plugin() -> Option<&'static Plugin> {
    PLUGIN.get_or_init(load).as_ref()
}

fn load() -> Option<Plugin> {
    let wanted =
        variables::value("NCCL_PROFILER_PLUGIN").filter(|name| !name.eq_ignore_ascii_case("none"))?;
    let names = [wanted.clone(), format!("libnccl-profiler-{wanted}.so")];
    let mut reasons = Vec::new();
    for name in &names {
        // SAFETY: the user has named the library, whose initialisers run.
        match unsafe { ForeignLibrary::open(name) } {
            Ok(library) => return Plugin::of(library),
            Err(reason) => reasons.push(reason),
        }
    }
    log_line!(Warn, "NCCL_PROFILER_PLUGIN={wanted}: no profiler: {}", reasons.join("; "));
    None
}

impl Plugin {
    fn of(library: ForeignLibrary) -> Option<Plugin> {
        let functions = if let Some(address) = library.symbol(c"ncclProfiler_v5") {
            // SAFETY: the symbol's name promises this object, which stays as long as the library.
            Functions::V5(unsafe { *address.cast::<Functions5>() })
        } else if let Some(address) = library.symbol(c"ncclProfiler_v4") {
            // SAFETY: as above.
            Functions::V4(unsafe { *address.cast::<Functions4>() })
        } else {
            log_line!(
                Warn,
                "{}: no profiler: it has neither ncclProfiler_v5 nor ncclProfiler_v4",
                library.name()
            );
            return None;
        };
        log_line!(Info, "profiler plugin {}", library.name());
        Some(Plugin { functions, _library: library })
    }

    /// Whether events of functions are within those of groups, and operations within events of functions.
    pub fn has_function_events(&self) -> bool {
        matches!(self.functions, Functions::V5(_))
    }

    /// Introduces a communicator, whose name stays until [`Plugin::finish`]. Returns the plugin's name of it.
    /// `None`: the plugin refuses it.
    pub fn begin(&self, about: &About) -> Option<*mut c_void> {
        let (mut context, asked_for) = (ptr::null_mut(), ASKED_FOR.as_ptr());
        let (hosts, size, rank) = (about.hosts as c_int, about.size as c_int, about.rank as c_int);
        let name = about.name.as_ptr();
        let code = match self.functions {
            Functions::V4(Functions4 { init, .. }) => {
                // SAFETY: the arguments are those of version 4. The number lives as long as the process,
                // and the name as long as the communicator.
                unsafe { init?(&mut context, asked_for, name, about.number, hosts, size, rank, log) }
            }
            Functions::V5(Functions5 { init, .. }) => {
                // SAFETY: as above, in the order of version 5.
                unsafe { init?(&mut context, about.number, asked_for, name, hosts, size, rank, log) }
            }
        };
        (code == ncclSuccess).then_some(context)
    }

    /// Begins an event. Returns the plugin's name of it, or NULL.
    pub fn start(
        &self,
        context: *mut c_void,
        kind: u64,
        parent: *mut c_void,
        rank: c_int,
        body: Body,
    ) -> *mut c_void {
        let mut event = ptr::null_mut();
        let code = match self.functions {
            Functions::V4(Functions4 { start: Some(start), .. }) => {
                let mut description = Description4 { kind: kind as u8, parent, rank, body };
                // SAFETY: `context` is the plugin's, and the description stays while the call lasts.
                unsafe { start(context, &mut event, &mut description) }
            }
            Functions::V5(Functions5 { start: Some(start), .. }) => {
                let mut description = Description5 { kind, parent, rank, body };
                // SAFETY: as above.
                unsafe { start(context, &mut event, &mut description) }
            }
            _ => return ptr::null_mut(),
        };
        if code == ncclSuccess { event } else { ptr::null_mut() }
    }

    /// Ends an event.
    pub fn stop(&self, event: *mut c_void) {
        let (Functions::V4(Functions4 { stop, .. }) | Functions::V5(Functions5 { stop, .. })) =
            self.functions;
        if let Some(stop) = stop.filter(|_| !event.is_null()) {
            // SAFETY: the plugin has named the event, and it ends once. What it returns changes nothing.
            let _ = unsafe { stop(event) };
        }
    }

    /// Takes leave of a communicator.
    pub fn finish(&self, context: *mut c_void) {
        let (Functions::V4(Functions4 { finalize, .. }) | Functions::V5(Functions5 { finalize, .. })) =
            self.functions;
        if let Some(finalize) = finalize {
            // SAFETY: the plugin has named the communicator, and all its events have ended.
            let _ = unsafe { finalize(context) };
        }
    }
}

/// Writes what a plugin says to the log, without the arguments of its format.
unsafe extern "C" fn log(_: c_int, _: c_ulong, _: *const c_char, _: c_int, format: *const c_char) {
    if !format.is_null() {
        // SAFETY: not NULL, so a terminated text, which stays while the call lasts.
        let text = unsafe { CStr::from_ptr(format) }.to_string_lossy();
        log_line!(Debug, "the profiler plugin says: {}", text.trim_end());
    }
}
