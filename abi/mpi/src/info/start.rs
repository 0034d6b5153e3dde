//! How this process was started: `MPI_INFO_ENV` and `MPI_Info_create_env` (MPI 5.0, section 11.2.1).

use super::pairs::Pairs;
use crate::state;

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
    if let Ok(world) = state::world() {
        set("maxprocs", &world.size().to_string());
        set("soft", &world.size().to_string());
    }
    if let Ok(host) = state::host_name() {
        set("host", &host);
    }
    set("arch", std::env::consts::ARCH);
    if let Ok(folder) = std::env::current_dir() {
        set("wdir", &folder.to_string_lossy());
    }
    set("thread_level", state::thread_level_name(state::thread_level()));
    pairs
}
