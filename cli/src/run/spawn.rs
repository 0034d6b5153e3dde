//! Starts the ranks.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::process::{Child, Command, Stdio};

use super::arguments::Bind;
use super::binding::cores_of;
use super::part::{Part, part_of};
use super::watchdog::Watchdog;
use super::{jax, torch};
use crate::failure::Failure;
use crate::sys::child::{Orders, prepare};
use crate::sys::cpus::CpuSet;
use crate::sys::files::FileLimit;
use crate::sys::signal::SignalMask;

/// The file whose input has ended.
const NO_INPUT: &str = "/dev/null";

/// Everything that the ranks of one job on one host share.
pub struct JobOrders<'a> {
    /// Program and arguments.
    pub command: &'a [OsString],
    /// Ranks with commands of their own.
    pub parts: &'a [Part],
    /// Variables in addition to this process's own.
    pub environment: &'a [(String, String)],
    /// Variables that put anyccl in the place of another library. They include the contents of the user's
    /// variables, and take precedence over them.
    pub takeover: &'a [(String, String)],
    /// Cores for each rank.
    pub bind: Bind,
    /// Number of ranks of the job.
    pub world: u32,
    /// The ranks of this host.
    pub ranks: Range<u32>,
    /// Standard input of rank 0, if it runs here.
    pub input: fn() -> Stdio,
    /// Whether the ranks have this process's own standard output and error; otherwise these are pipes.
    pub own_output: bool,
    /// Value of `ANYCCL_STORE`.
    pub store: String,
    /// The job's secret.
    pub key: &'a [u8; 32],
    /// Limit on open files that the ranks get back.
    pub files: FileLimit,
    /// Mask of blocked signals that the ranks get back.
    pub mask: SignalMask,
    /// The watchdog, which learns of every rank.
    pub watchdog: &'a Watchdog,
}

/// Starts all ranks of this host, in order, or none: on an error the caller drops the watchdog.
pub fn start_all(orders: &JobOrders<'_>) -> Result<Vec<Child>, Failure> {
    let usable = match orders.bind {
        Bind::None => None,
        Bind::Core => Some(CpuSet::of_this_process().map_err(Failure::own)?.cores()),
    };
    let key: String = orders.key.iter().map(|byte| format!("{byte:02x}")).collect();
    let here = orders.ranks.len();
    let mut children = Vec::with_capacity(here);
    for (at, rank) in orders.ranks.clone().enumerate() {
        let cores = usable.as_deref().map(|usable| cores_of(at, here, usable));
        let (number, part) = part_of(orders.parts, rank).unzip();
        let words = part.map_or(orders.command, |part| &part.command);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        if let Some(folder) = part.and_then(|part| part.folder.as_ref()) {
            command.current_dir(folder);
        }
        let own = part.map_or(&[][..], |part| &part.environment);
        let variables = orders.environment.iter().chain(own).chain(orders.takeover);
        command.envs(variables.map(|(name, value)| (name, value)));
        if let Some(number) = number {
            command.env("ANYCCL_APPNUM", number.to_string());
        }
        command.envs(torch::environment_of(rank, orders.world, at, here));
        command.envs(jax::environment_of(orders.environment, rank, orders.world, at));
        command.env("ANYCCL_RANK", rank.to_string());
        command.env("ANYCCL_WORLD_SIZE", orders.world.to_string());
        command.env("ANYCCL_STORE", &orders.store);
        command.env("ANYCCL_JOB_KEY", &key);
        command.stdin(if rank == 0 { (orders.input)() } else { no_input()? });
        let output = || if orders.own_output { Stdio::inherit() } else { Stdio::piped() };
        command.stdout(output()).stderr(output());
        let own = Orders {
            watchdog: orders.watchdog.descriptor(),
            cpus: cores.map(CpuSet::from_cores),
            files: orders.files,
            mask: orders.mask,
        };
        prepare(&mut command, own);
        children.push(command.spawn().map_err(|error| not_started(&words[0], rank, &error))?);
    }
    Ok(children)
}

/// Standard input that has ended. It is opened here, because an error of the start would blame the program.
fn no_input() -> Result<Stdio, Failure> {
    let opened = File::open(NO_INPUT).map(Stdio::from);
    opened.map_err(|error| {
        Failure::own(format_args!("cannot open {NO_INPUT}, which ranks other than 0 get as input: {error}"))
    })
}

/// The failure with a shell's exit code: 127 when there is no such program, 126 when it cannot be executed.
fn not_started(program: &OsStr, rank: u32, error: &io::Error) -> Failure {
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
