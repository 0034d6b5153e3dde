//! Every variable, in one table.

/// One environment variable that the library reads.
#[derive(Debug)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// The value that holds when it is unset, as a user would write it.
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
        meaning: "Where the ranks find each other: tcp://HOST:PORT (rank 0 serves it; with ?served=1 somebody else does) or file:PATH on a shared file system. Without ANYCCL_RANK: where the ranks of another launcher do.",
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
        name: "ANYCCL_BACKEND",
        default: "auto",
        meaning: "Which engine serves calls: auto, builtin, nccl, mpi or oneccl; for one memory by cpu: or cuda:, several in order with |, for example cpu:mpi|builtin,cuda:nccl. The same on all ranks.",
    },
    Variable {
        name: "ANYCCL_MPI_LIB",
        default: "the MPI that the program has initialised, else libmpi_abi.so.1, libmpi.so.12, libmpi.so.40",
        meaning: "The MPI library that the engine mpi opens: a file, or a name for the loader.",
    },
    Variable {
        name: "ANYCCL_NCCL_LIB",
        default: "libnccl.so.2 of the program, of its Python, of the loader's folders",
        meaning: "The file that the engine nccl opens: an absolute path.",
    },
    Variable {
        name: "ANYCCL_ONECCL_LIB",
        default: "libccl.so.2 in lib of CCL_ROOT or of the program's Python, else for the loader",
        meaning: "The library that the engine oneccl opens: a file, or a name for the loader.",
    },
    Variable {
        name: "CCL_ROOT",
        default: "unset",
        meaning: "Where oneCCL is installed; its libraries are in the folder lib.",
    },
    Variable {
        name: "CCL_PLUGIN",
        default: "ONECCL_LEGACY_CPU",
        meaning: "oneCCL's: its plugin. Set by the engine oneccl when it is unset, as are the next four.",
    },
    Variable {
        name: "CCL_WORKER_OFFLOAD",
        default: "0",
        meaning: "oneCCL's: whether threads of its own make calls.",
    },
    Variable {
        name: "CCL_ATL_TRANSPORT",
        default: "ofi",
        meaning: "oneCCL's: how its ranks reach each other.",
    },
    Variable { name: "CCL_LOG_LEVEL", default: "error", meaning: "oneCCL's: what it prints." },
    Variable {
        name: "FI_PROVIDER_PATH",
        default: "oneCCL's folder",
        meaning: "libfabric's: where the providers of oneCCL's network are.",
    },
    Variable {
        name: "NCCL_MULTI_RANK_GPU_ENABLE",
        default: "unset",
        meaning: "NCCL's, since 2.30: 1 lets ranks share a GPU. The engine nccl then lets them, too.",
    },
    Variable {
        name: "VIRTUAL_ENV",
        default: "unset",
        meaning: "Python's virtual environment; the engines nccl and oneccl are looked for in its packages.",
    },
    Variable { name: "CONDA_PREFIX", default: "unset", meaning: "The same, of conda." },
    Variable {
        name: "PYTHONPATH",
        default: "unset",
        meaning: "Folders of Python modules; the engine nccl is looked for in them.",
    },
    Variable {
        name: "LD_LIBRARY_PATH",
        default: "unset",
        meaning: "Folders of the loader; the engine nccl is looked for in them.",
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
        default: "all interfaces that are up, loopback last",
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
        meaning: "1: where ranks share processors, and in exchanges and messages for which that was tried and found faster, large messages are read straight out of the sender's memory (process_vm_readv) if the kernel permits it; 0: never.",
    },
    Variable {
        name: "ANYCCL_HOST_ID",
        default: "the kernel's boot id and the network namespace",
        meaning: "Ranks with the same value share a host. Set it to split one machine into pretended hosts.",
    },
    Variable {
        name: "ANYCCL_ALLOW_OTHER_USERS",
        default: "0",
        meaning: "1: store files and tuning files of other users, or that others may write, are trusted, and ranks of one host may belong to different users. The same on all ranks.",
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
    Variable {
        name: "TORCHELASTIC_RESTART_COUNT",
        default: "0",
        meaning: "How often torchrun has restarted its ranks; part of the derived job key.",
    },
    Variable {
        name: "PMI_FD",
        default: "unset",
        meaning: "Connection to the mpiexec of MPICH or Intel MPI, or to Slurm's pmi2; the ranks meet through it.",
    },
    Variable { name: "PMI_RANK", default: "unset", meaning: "Rank that goes with PMI_FD." },
    Variable { name: "PMI_SIZE", default: "unset", meaning: "Number of ranks that goes with PMI_FD." },
    Variable {
        name: "PMI_PORT",
        default: "unset",
        meaning: "Instead of PMI_FD, HOST:PORT of the process manager (mpiexec -pmi-port).",
    },
    Variable {
        name: "PMI_ID",
        default: "unset",
        meaning: "Who this process is to the process manager at PMI_PORT.",
    },
    Variable {
        name: "MPI_LOCALNRANKS",
        default: "unset",
        meaning: "mpiexec's number of ranks on this host. Where it is PMI_SIZE, ranks that have called MPI_Init before meet by a file in a private folder.",
    },
    Variable { name: "OMPI_COMM_WORLD_RANK", default: "unset", meaning: "Open MPI's rank." },
    Variable { name: "OMPI_COMM_WORLD_SIZE", default: "unset", meaning: "Open MPI's number of ranks." },
    Variable {
        name: "OMPI_COMM_WORLD_LOCAL_SIZE",
        default: "unset",
        meaning: "Open MPI's number of ranks on this host. Where it is less than all, ANYCCL_STORE has to say where they meet.",
    },
    Variable { name: "PMIX_NAMESPACE", default: "unset", meaning: "PMIx's name of an Open MPI job." },
    Variable {
        name: "OMPI_MCA_ess_base_jobid",
        default: "unset",
        meaning: "Name of a job of Open MPI before 5.0.",
    },
    Variable {
        name: "SLURM_PROCID",
        default: "unset",
        meaning: "Slurm's rank; used when SLURM_STEP_ID is that of a step.",
    },
    Variable { name: "SLURM_STEP_NUM_TASKS", default: "unset", meaning: "Number of ranks of a Slurm step." },
    Variable {
        name: "SLURM_NTASKS",
        default: "unset",
        meaning: "The same, where SLURM_STEP_NUM_TASKS is unset.",
    },
    Variable {
        name: "SLURM_JOB_ID",
        default: "unset",
        meaning: "Slurm's job; part of the derived port and key.",
    },
    Variable {
        name: "SLURM_STEP_ID",
        default: "unset",
        meaning: "Slurm's step; part of the derived port and key.",
    },
    Variable {
        name: "SLURM_STEP_NODELIST",
        default: "unset",
        meaning: "Hosts of a Slurm step; rank 0 is on the first. With one host the ranks meet by a file in a private folder.",
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
