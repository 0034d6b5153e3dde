//! How this process was started: `MPI_INFO_ENV` and `MPI_Info_create_env` (MPI 5.0, section 11.2.1).

use anyccl_engine::bootstrap;

use super::pairs::Pairs;
use crate::{ending, state};

/// The known facts about the start of this process.
pub(super) fn of_this_process() -> Pairs {
    let arguments: Vec<String> =
        std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect();
    of_arguments(&arguments)
}

/// The known facts about a process that was started with these arguments, its command first.
pub(super) fn of_arguments(arguments: &[String]) -> Pairs {
    let mut pairs = Pairs::default();
    let mut set = |key: &str, value: &str| {
        if !value.is_empty() {
            // A value that is too long is left out.
            let _ = pairs.set(key, value);
        }
    };
    if let [command, rest @ ..] = arguments {
        set("command", command);
        set("argv", &rest.join(" "));
    }
    if let Some(size) = size_of_world() {
        set("maxprocs", &size.to_string());
        set("soft", &size.to_string());
    }
    if let Ok(host) = state::host_name() {
        set("host", &host);
    }
    set("arch", std::env::consts::ARCH);
    if let Ok(folder) = std::env::current_dir() {
        set("wdir", &folder.to_string_lossy());
    }
    pairs
}

/// The number of processes, which is the same before MPI is initialised and after it has ended.
fn size_of_world() -> Option<u32> {
    ending::SEAT.get().map(|(_, size)| *size).or_else(bootstrap::size_in_environment)
}
