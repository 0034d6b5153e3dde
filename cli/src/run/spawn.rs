//! Starts the ranks.

use std::ffi::OsStr;
use std::io;
use std::process::{Child, Command, Stdio};

use super::arguments::{Bind, RunArguments};
use super::binding::cores_of;
use super::input::Input;
use super::watchdog::Watchdog;
use crate::Failure;
use crate::sys::child::{Orders, prepare};
use crate::sys::cpus::CpuSet;
use crate::sys::files::FileLimit;
use crate::sys::signal::SignalMask;

/// Everything that the ranks of one job have in common.
pub struct JobOrders<'a> {
    /// What the user said.
    pub arguments: &'a RunArguments,
    /// Value of `ANYCCL_STORE`.
    pub store: String,
    /// The job's secret.
    pub key: &'a [u8; 32],
    /// Limit on open files that the ranks get back.
    pub files: FileLimit,
    /// Held-back signals that the ranks get back.
    pub mask: SignalMask,
    /// Learns of every rank.
    pub watchdog: &'a Watchdog,
}

/// The ranks as started, in order, and what feeds rank 0.
pub struct Started {
    /// One child per rank; standard output and error are piped, unless the ranks have this process's own.
    pub children: Vec<Child>,
    /// Standard input of rank 0.
    pub input: Input,
}

/// Starts all ranks, or none: on an error the caller drops the watchdog.
pub fn start_all(orders: &JobOrders<'_>) -> Result<Started, Failure> {
    let arguments = orders.arguments;
    let usable = match arguments.bind {
        Bind::None => None,
        Bind::Core => Some(CpuSet::of_this_process().map_err(Failure::own)?.cores()),
    };
    let key: String = orders.key.iter().map(|byte| format!("{byte:02x}")).collect();
    let ranks = arguments.ranks as usize;
    let mut children = Vec::with_capacity(ranks);
    for rank in 0..ranks {
        let cores = usable.as_deref().map(|usable| cores_of(rank, ranks, usable));
        let mut command = Command::new(&arguments.command[0]);
        command.args(&arguments.command[1..]);
        command.envs(arguments.env.iter().map(|(name, value)| (name, value)));
        command.env("ANYCCL_RANK", rank.to_string());
        command.env("ANYCCL_WORLD_SIZE", ranks.to_string());
        command.env("ANYCCL_STORE", &orders.store);
        command.env("ANYCCL_JOB_KEY", &key);
        command.stdin(if rank == 0 { Input::of_rank_0() } else { Stdio::null() });
        let output = || if arguments.own_output { Stdio::inherit() } else { Stdio::piped() };
        command.stdout(output()).stderr(output());
        let own = Orders {
            watchdog: orders.watchdog.descriptor(),
            cpus: cores.map(CpuSet::from_cores),
            files: orders.files,
            mask: orders.mask,
        };
        prepare(&mut command, own);
        children.push(command.spawn().map_err(|error| not_started(&arguments.command[0], rank, &error))?);
    }
    let input = Input::new(children[0].stdin.take());
    Ok(Started { children, input })
}

/// As shells tell it: 127 when there is no such program, 126 when it cannot be executed.
fn not_started(program: &OsStr, rank: usize, error: &io::Error) -> Failure {
    let name = program.display();
    let searched = !program.as_encoded_bytes().contains(&b'/');
    match error.kind() {
        io::ErrorKind::NotFound if searched => Failure {
            code: 127,
            text: format!("program \"{name}\" not found in PATH; write ./{name} if it is here"),
        },
        io::ErrorKind::NotFound => Failure {
            code: 127,
            text: format!("program \"{name}\" not found (or the interpreter that its first line names)"),
        },
        io::ErrorKind::PermissionDenied => {
            Failure { code: 126, text: format!("program \"{name}\" may not be executed: {error}") }
        }
        _ if error.raw_os_error() == Some(libc::ENOEXEC) => Failure {
            code: 126,
            text: format!("program \"{name}\" is neither a binary nor a script with #!"),
        },
        _ => Failure::own(format_args!("cannot start rank {rank}, program \"{name}\": {error}")),
    }
}
