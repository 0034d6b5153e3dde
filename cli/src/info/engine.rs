//! Questions to the engine about itself. Only this file of `info` knows where the engine has the answers.

use anyccl_engine::comm::DevicePath;
use anyccl_engine::config::{Config, MemoryKind};
pub use anyccl_engine::sys::interfaces::Interface as EngineInterface;

/// The instruction set that the reduction kernels of this process use.
pub fn reduction_kernels() -> &'static str {
    anyccl_engine::reduce::instruction_set()
}

/// Every interface of this host.
pub fn interfaces() -> Result<Vec<EngineInterface>, String> {
    anyccl_engine::sys::interfaces::interfaces().map_err(|error| error.to_string())
}

/// Names of the interfaces that TCP would use, and the reason; an error if there is none.
pub fn chosen_interfaces() -> Result<(Vec<String>, String), String> {
    let choice = anyccl_engine::bootstrap::interface::choose(None).map_err(|error| error.to_string())?;
    Ok((choice.interfaces.into_iter().map(|interface| interface.name).collect(), choice.reason))
}

/// Where anyccl_init would find its job, or why it would not find one.
pub fn job() -> String {
    anyccl_engine::bootstrap::source_in_environment()
        .unwrap_or_else(|error| format!("none can be found: {error}"))
}

/// The path of calls on device memory, its meaning, and whether ranks may choose NCCL by
/// themselves. A choice that is wrong counts as none.
pub fn device_path() -> (&'static str, &'static str, bool) {
    let choice = Config::from_environment().map(|config| config.backend).unwrap_or_default();
    let path = DevicePath::of_choice(&choice);
    (path.name(), path.meaning(), choice.named(MemoryKind::Cuda).is_none())
}
