//! Every variable, in one table.

/// One environment variable that the library reads.
#[derive(Debug)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// What holds when it is unset, as a user would write it.
    pub default: &'static str,
    /// One sentence.
    pub meaning: &'static str,
}

/// Every variable that this library reads.
pub static VARIABLES: &[Variable] = &[
    Variable {
        name: "ANYCCL_RANK",
        default: "unset",
        meaning: "This process's rank in the job; goes with ANYCCL_WORLD_SIZE and ANYCCL_STORE.",
    },
    Variable { name: "ANYCCL_WORLD_SIZE", default: "unset", meaning: "Number of ranks in the job." },
    Variable {
        name: "ANYCCL_STORE",
        default: "unset",
        meaning: "Where the ranks find each other: tcp://HOST:PORT (rank 0 serves it; with ?served=1 somebody else does) or file:PATH on a shared file system.",
    },
    Variable {
        name: "ANYCCL_JOB_KEY",
        default: "derived from the store's name",
        meaning: "Secret of the job, 64 hexadecimal digits; every connection proves that it knows it. `anyccl run` makes one.",
    },
    Variable {
        name: "ANYCCL_TIMEOUT_MS",
        default: "300000",
        meaning: "Deadline of every wait in milliseconds; 0 waits for ever.",
    },
    Variable {
        name: "ANYCCL_TRANSPORT",
        default: "auto",
        meaning: "auto: shared memory within a host, TCP between hosts; tcp: TCP everywhere; shm: shared memory or an error.",
    },
    Variable {
        name: "ANYCCL_ALGORITHM",
        default: "chosen by predicted cost",
        meaning: "Comma-separated COLLECTIVE:ALGORITHM, for example all_reduce:ring,broadcast:binomial. Rank 0's value holds for all ranks.",
    },
    Variable {
        name: "ANYCCL_TUNING_FILE",
        default: "built-in figures",
        meaning: "File of measured link and reduction costs, from which algorithms are chosen; `anyccl perf --tune FILE` writes it. Every rank that has this variable reads it, rank 0's figures hold for all ranks.",
    },
    Variable {
        name: "ANYCCL_CHUNK_BYTES",
        default: "65536",
        meaning: "Bytes of one chunk of a pipelined algorithm. Rank 0's value holds for all ranks.",
    },
    Variable {
        name: "ANYCCL_SOCKET_IFNAME",
        default: "first interface that is up and not loopback",
        meaning: "Interfaces for TCP: comma-separated name prefixes; a leading ^ excludes them, a leading = wants exact names.",
    },
    Variable {
        name: "NCCL_SOCKET_IFNAME",
        default: "unset",
        meaning: "Used when ANYCCL_SOCKET_IFNAME is unset; same syntax.",
    },
    Variable {
        name: "GLOO_SOCKET_IFNAME",
        default: "unset",
        meaning: "Used when the two above are unset; same syntax.",
    },
    Variable {
        name: "SAR_SOCKET_NAME",
        default: "unset",
        meaning: "Used when the three above are unset; one exact name.",
    },
    Variable {
        name: "ANYCCL_SINGLE_COPY",
        default: "1",
        meaning: "1: where ranks share processors, large messages are read straight out of the sender's memory (process_vm_readv) if the kernel permits it; 0: never.",
    },
    Variable {
        name: "ANYCCL_HOST_ID",
        default: "the kernel's boot id and the network namespace",
        meaning: "Ranks with the same value share a host. Set it to split one machine into pretended hosts.",
    },
    Variable {
        name: "ANYCCL_LOG",
        default: "warn",
        meaning: "off, error, warn, info or debug. info says what each communicator uses.",
    },
    Variable {
        name: "ANYCCL_SPIN_US",
        default: "30",
        meaning: "Microseconds that a waiting rank polls before it yields its core; it sleeps soon after.",
    },
    Variable { name: "RANK", default: "unset", meaning: "torchrun's rank; used when ANYCCL_RANK is unset." },
    Variable { name: "WORLD_SIZE", default: "unset", meaning: "torchrun's number of ranks." },
    Variable { name: "MASTER_ADDR", default: "unset", meaning: "torchrun's address of rank 0." },
    Variable {
        name: "MASTER_PORT",
        default: "unset",
        meaning: "torchrun's port. Never bound: it names the job, and the ports tried are derived from it.",
    },
    Variable {
        name: "TORCHELASTIC_RUN_ID",
        default: "unset",
        meaning: "torchrun's job name; part of the derived job key.",
    },
];

/// The variable's value; unset and empty are both `None`.
///
/// # Panics
/// When the name is not in [`VARIABLES`]: an undocumented variable is a bug.
pub fn raw(name: &str) -> Option<String> {
    assert!(VARIABLES.iter().any(|v| v.name == name), "{name} is not in config::VARIABLES");
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
