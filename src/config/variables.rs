//! The table of all environment variables.

use crate::base::Error;

/// Name of the variable that chooses the path of collectives on device memory. It is older than the word.
pub const DEVICE_PATH_VARIABLE: &str = "ANYCCL_DEVICE_WAY";

/// One environment variable that the library reads.
#[derive(Debug)]
pub struct Variable {
    /// Name of the variable.
    pub name: &'static str,
    /// Value that applies when the variable is unset, as a user would write it.
    pub default: &'static str,
    /// Meaning of the variable, in one or a few sentences.
    pub meaning: &'static str,
}

/// Every variable that this library reads.
pub static VARIABLES: &[Variable] = &[
    Variable {
        name: "ANYCCL_RANK",
        default: "unset",
        meaning: "This process's rank in the job; requires ANYCCL_WORLD_SIZE and, with more than one rank, ANYCCL_STORE.",
    },
    Variable { name: "ANYCCL_WORLD_SIZE", default: "unset", meaning: "Number of ranks in the job." },
    Variable {
        name: "ANYCCL_STORE",
        default: "unset",
        meaning: "Where the ranks find each other: tcp://HOST:PORT (rank 0 serves it; with ?served=1 another process does) or file:PATH on a shared file system. Without ANYCCL_RANK it tells the ranks of another launcher where to meet.",
    },
    Variable {
        name: "ANYCCL_APPNUM",
        default: "unset",
        meaning: "Number of the program among those of one job, for MPI_APPNUM; set by anyccl-mpiexec.",
    },
    Variable {
        name: "ANYCCL_JOB_KEY",
        default: "derived from the store's name",
        meaning: "Secret of the job, 64 hexadecimal digits; every connection proves that it knows it. `anyccl run` generates it.",
    },
    Variable {
        name: "ANYCCL_TIMEOUT_MS",
        default: "300000",
        meaning: "Deadline of every wait in milliseconds; 0 waits for ever.",
    },
    Variable {
        name: "ANYCCL_TRANSPORT",
        default: "auto",
        meaning: "auto: shared memory within a host, TCP between hosts; tcp: TCP everywhere; shm: shared memory or an error; ofi: shared memory within a host, libfabric between hosts or an error.",
    },
    Variable {
        name: "ANYCCL_CONNECT",
        default: "auto",
        meaning: "When two ranks connect. start: when they join, each with all others. demand: when one of them first needs the other. auto: demand for more than 256 ranks. The value of rank 0 counts.",
    },
    Variable {
        name: "ANYCCL_OFI_LIB",
        default: "libfabric.so.1",
        meaning: "The library that the transport ofi opens: a file, or a name for the loader. It is libfabric 1.9 or later.",
    },
    Variable {
        name: "ANYCCL_OFI_PROVIDER",
        default: "the first of hardware, else the first between hosts",
        meaning: "Name of the provider of libfabric that the transport ofi uses, such as verbs or tcp;ofi_rxm. A name without layers means any layers over it.",
    },
    Variable {
        name: "ANYCCL_TCP_LANES",
        default: "1",
        meaning: "TCP connections over which messages of 64 KiB and more to a rank are spread, 1 to 16, or auto; smaller ones then have a connection of their own. 1: one connection carries all. auto: 4 to a rank that is at least 4 ms away and back, fewer to each in jobs of more than 65 ranks, and else 1. Of the values of two ranks, the smaller counts. If ANYCCL_SOCKET_IFNAME lists several interfaces, the connections for long messages use them in turn.",
    },
    Variable {
        name: "ANYCCL_BACKEND",
        default: "auto",
        meaning: "Engine that serves calls: auto, builtin, nccl, mpi or oneccl. A prefix cpu: or cuda: limits it to one kind of memory; | separates engines that are tried in order, for example cpu:mpi|builtin,cuda:nccl. All ranks must have the same value.",
    },
    Variable {
        name: DEVICE_PATH_VARIABLE,
        default: "auto",
        meaning: "Path of calls on GPU memory that the builtin engine serves. direct: one rank runs one kernel over the buffers of all for each collective, and receivers copy long messages, where all are on one host. staged: through copies in host memory. auto: direct for NCCL programs and for communicators that are made for GPU memory, else staged. With direct, a collective has GPU memory on all ranks or on none, and NCCL is not chosen by itself.",
    },
    Variable {
        name: "ANYCCL_DEVICE_MAP",
        default: "all",
        meaning: "Which GPU buffers of other processes rank 0, and the receiver of a long message, map on the direct path, so that calls run on them without copies. all: all that the driver can export. exportable: only memory that lives until all processes have unmapped it, such as that of anyccl_mem_alloc_kind and of ncclMemAlloc. off: none.",
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
        name: "ANYCCL_CUDA_DOUBLE",
        default: "beside the tool",
        meaning: "Folder of the CUDA driver for tests, for `anyccl run --fake-gpu`; `cargo xtask cuda-double` builds it and prints its folder.",
    },
    Variable {
        name: "ANYCCL_TORCH_AS",
        default: "unset",
        meaning: "gloo: the groups that PyTorch makes by this name are anyccl's. The Python package reads it when torch is imported; any other value is an error.",
    },
    Variable {
        name: "ANYCCL_TORCH_MEMORY",
        default: "unset",
        meaning: "shared: from its first group on, PyTorch allocates tensors of 64 KiB to 1 GiB on the CPU in memory that the other ranks of the host read in place. A fork then copies them. The Python package reads it when a group is made; any other value is an error.",
    },
    Variable {
        name: "ANYCCL_ONECCL_LIB",
        default: "libccl.so.2 in lib of CCL_ROOT or of the program's Python, else for the loader",
        meaning: "The library that the engine oneccl opens: a file, or a name for the loader.",
    },
    Variable {
        name: "CCL_ROOT",
        default: "unset",
        meaning: "Folder in which oneCCL is installed; its libraries are in the folder lib below it.",
    },
    Variable {
        name: "CCL_PLUGIN",
        default: "ONECCL_LEGACY_CPU",
        meaning: "oneCCL's variable: its plugin. The engine oneccl sets it if it is unset, and also the next four.",
    },
    Variable {
        name: "CCL_WORKER_OFFLOAD",
        default: "0",
        meaning: "oneCCL's variable: whether worker threads of oneCCL make calls.",
    },
    Variable {
        name: "CCL_ATL_TRANSPORT",
        default: "ofi",
        meaning: "oneCCL's variable: how its ranks reach each other.",
    },
    Variable { name: "CCL_LOG_LEVEL", default: "error", meaning: "oneCCL's variable: its log level." },
    Variable {
        name: "FI_PROVIDER_PATH",
        default: "oneCCL's folder",
        meaning: "libfabric's variable: folder of the providers of oneCCL's network.",
    },
    Variable {
        name: "NCCL_MULTI_RANK_GPU_ENABLE",
        default: "unset",
        meaning: "NCCL's variable, since 2.30: 1 lets ranks share a GPU, also under the engine nccl.",
    },
    Variable {
        name: "CUDA_DEVICE_MAX_CONNECTIONS",
        default: "8",
        meaning: "CUDA's variable: queues by which a GPU works on the streams of a process. Below 32, a warning tells threads that share a GPU of it.",
    },
    Variable {
        name: "VIRTUAL_ENV",
        default: "unset",
        meaning: "Python's virtual environment; the libraries of the engines nccl and oneccl are searched in its packages.",
    },
    Variable {
        name: "CONDA_PREFIX",
        default: "unset",
        meaning: "Conda's environment, used like VIRTUAL_ENV.",
    },
    Variable {
        name: "PYTHONPATH",
        default: "unset",
        meaning: "Folders of Python modules; the library of the engine nccl is searched in them.",
    },
    Variable {
        name: "LD_LIBRARY_PATH",
        default: "unset",
        meaning: "Folders of the loader; the library of the engine nccl is searched in them.",
    },
    Variable {
        name: "ANYCCL_ALGORITHM",
        default: "chosen by predicted cost",
        meaning: "Comma-separated COLLECTIVE:ALGORITHM, for example all_reduce:ring,broadcast:binomial. Rank 0's value applies to all ranks.",
    },
    Variable {
        name: "ANYCCL_DETERMINISTIC",
        default: "0",
        meaning: "1: reductions of floats have the same bits in every call with the same inputs among as many ranks. The length of the message, the algorithm, the transport and the hosts do not matter. All ranks must have the same value.",
    },
    Variable {
        name: "ANYCCL_WIRE",
        default: "full",
        meaning: "bf16, f8 or int8-block: sums and averages of floats travel between hosts in this format, and are added in float32. It rounds each contribution, and in all_reduce the result. full: they travel as they are. All ranks must have the same value.",
    },
    Variable {
        name: "ANYCCL_TUNING_FILE",
        default: "built-in figures",
        meaning: "File of measured link and reduction costs, from which algorithms are chosen; `anyccl perf --tune FILE` writes it. Every rank that has this variable reads the file; rank 0's figures apply to all ranks.",
    },
    Variable {
        name: "ANYCCL_CHUNK_BYTES",
        default: "65536",
        meaning: "Bytes of one chunk of a pipelined algorithm. Rank 0's value applies to all ranks.",
    },
    Variable {
        name: "ANYCCL_DEVICE_PIECE_BYTES",
        default: "1048576",
        meaning: "Least bytes of the pieces in which a long call on memory of a GPU is copied while it runs; 0 copies the whole before and after the call. Ranks may differ.",
    },
    Variable {
        name: "ANYCCL_DEVICE_MESSAGE_BYTES",
        default: "1048576",
        meaning: "On communicators with the direct path, longest message of a group of libnccl.so.2 that goes through host memory. Longer ones are copied by their receivers, and their sends wait for them. Ranks may differ.",
    },
    Variable {
        name: "ANYCCL_SOCKET_IFNAME",
        default: "all interfaces that are up, loopback last",
        meaning: "Interfaces for TCP: comma-separated name prefixes; a leading ^ excludes them, a leading = demands exact names.",
    },
    Variable {
        name: "ANYCCL_PORT_RANGE",
        default: "any free port",
        meaning: "Ports at which ranks and `anyccl run` listen, LOW-HIGH. A rank listens at one port of each interface, one more where it makes unique ids.",
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
        meaning: "1: receivers may read large messages directly out of the sender's memory (process_vm_readv) if the kernel permits it. They do so where ranks share cores, and for exchanges and messages where a trial found it faster. 0: never.",
    },
    Variable {
        name: "ANYCCL_ASYNC_PROGRESS",
        default: "0",
        meaning: "1: in an MPI program, a thread of the library serves accesses of other hosts to windows of this rank while the program computes. It looks every 50 microseconds. 0: they are served while a thread of the program waits or tests in a call.",
    },
    Variable {
        name: "ANYCCL_HOST_ID",
        default: "the kernel's boot id and the network namespace",
        meaning: "Ranks with the same value count as ranks of one host. Set it to split one machine into simulated hosts.",
    },
    Variable {
        name: "ANYCCL_ALLOW_OTHER_USERS",
        default: "0",
        meaning: "1: store files and tuning files are trusted even if they belong to other users or others may write them, and ranks of one host may belong to different users. All ranks must have the same value.",
    },
    Variable {
        name: "ANYCCL_DUMP",
        default: "unset",
        meaning: "Folder to which each rank writes its last 1,024 collectives and 1,024 messages when a communicator fails on it: after a time-out, an abort, a disagreement, the loss of a rank. `anyccl trace show` reads them. Unset: nothing is written.",
    },
    Variable {
        name: "ANYCCL_METRICS",
        default: "unset",
        meaning: "Metrics of each process for Prometheus. file:PATH: a file, written every 5 seconds and at the end; {rank}, {job} and {pid} in it are replaced, and without {rank} or {pid} the rank is put before its ending. PORT or ADDRESS:PORT: answers requests there, on loopback unless an address is given; the local rank is added to the port. Unset: nothing is counted.",
    },
    Variable {
        name: "ANYCCL_TRACE",
        default: "unset",
        meaning: "Folder to which each rank writes the time line of its calls, rounds and messages, for Perfetto and `anyccl trace report`. Unset: nothing is recorded.",
    },
    Variable {
        name: "ANYCCL_RECORD",
        default: "unset",
        meaning: "Folder to which each rank writes its calls, with the times between them, for `anyccl simulate --replay` and `anyccl perf --replay`: the files of ANYCCL_TRACE without rounds and their messages. Unset: nothing is recorded.",
    },
    Variable {
        name: "ANYCCL_PROFILE",
        default: "0",
        meaning: "1: when the ranks finalize, rank 0 writes a table to standard error: how often all ranks made each call, with how many bytes, and how long it took. It is enough that one rank has it.",
    },
    Variable {
        name: "ANYCCL_RAS",
        default: "1 in NCCL programs, else 0",
        meaning: "Whether each process serves clients of NCCL's RAS, such as ncclras, and where: 1 (at NCCL_RAS_ADDR), HOST:PORT or 0. Only this user and root may ask from this host.",
    },
    Variable {
        name: "NCCL_RAS_ADDR",
        default: "localhost:28028",
        meaning: "NCCL's variable: where its RAS is served, HOST:PORT.",
    },
    Variable {
        name: "ANYCCL_LOG",
        default: "warn",
        meaning: "off, error, warn, info or debug. info reports what each communicator uses.",
    },
    Variable {
        name: "ANYCCL_SPIN_US",
        default: "30",
        meaning: "Microseconds for which a waiting rank polls before it yields its core. Soon after, it sleeps.",
    },
    Variable { name: "RANK", default: "unset", meaning: "torchrun's rank; used when ANYCCL_RANK is unset." },
    Variable { name: "WORLD_SIZE", default: "unset", meaning: "torchrun's number of ranks." },
    Variable { name: "MASTER_ADDR", default: "unset", meaning: "torchrun's address of rank 0." },
    Variable {
        name: "MASTER_PORT",
        default: "unset",
        meaning: "torchrun's port. anyccl never binds it: it identifies the job, and the ports to try are derived from it.",
    },
    Variable {
        name: "TORCHELASTIC_RUN_ID",
        default: "unset",
        meaning: "torchrun's job name; part of the derived job key.",
    },
    Variable {
        name: "TORCHELASTIC_RESTART_COUNT",
        default: "0",
        meaning: "Number of times that torchrun has restarted its ranks; part of the derived job key.",
    },
    Variable {
        name: "PMI_FD",
        default: "unset",
        meaning: "Connection to the mpiexec of MPICH or Intel MPI, or to Slurm's pmi2; the ranks meet through it.",
    },
    Variable { name: "PMI_RANK", default: "unset", meaning: "Rank of this process, with PMI_FD." },
    Variable { name: "PMI_SIZE", default: "unset", meaning: "Number of ranks, with PMI_FD." },
    Variable {
        name: "PMI_PORT",
        default: "unset",
        meaning: "HOST:PORT of the process manager (mpiexec -pmi-port), instead of PMI_FD.",
    },
    Variable {
        name: "PMI_ID",
        default: "unset",
        meaning: "Identity of this process for the process manager at PMI_PORT.",
    },
    Variable {
        name: "MPI_LOCALNRANKS",
        default: "unset",
        meaning: "mpiexec's number of ranks on this host. If it equals PMI_SIZE, ranks that have called MPI_Init before meet by a file in a private folder.",
    },
    Variable {
        name: "PMI_APPNUM",
        default: "unset",
        meaning: "mpiexec's number of the program among those of one job, for MPI_APPNUM.",
    },
    Variable {
        name: "PMI_UNIVERSE_SIZE",
        default: "unset",
        meaning: "Number of ranks that mpiexec has room for, for MPI_UNIVERSE_SIZE.",
    },
    Variable { name: "OMPI_COMM_WORLD_RANK", default: "unset", meaning: "Open MPI's rank." },
    Variable { name: "OMPI_COMM_WORLD_SIZE", default: "unset", meaning: "Open MPI's number of ranks." },
    Variable {
        name: "OMPI_COMM_WORLD_LOCAL_SIZE",
        default: "unset",
        meaning: "Open MPI's number of ranks on this host. If other hosts have ranks, too, ANYCCL_STORE must say where they meet.",
    },
    Variable { name: "PMIX_NAMESPACE", default: "unset", meaning: "PMIx's name of an Open MPI job." },
    Variable {
        name: "OMPI_MCA_ess_base_jobid",
        default: "unset",
        meaning: "Name of a job of Open MPI before 5.0.",
    },
    Variable {
        name: "OMPI_COMM_WORLD_APP_CTX",
        default: "unset",
        meaning: "Open MPI's number of the program among those of one job, for MPI_APPNUM.",
    },
    Variable {
        name: "OMPI_UNIVERSE_SIZE",
        default: "unset",
        meaning: "Number of ranks that Open MPI has room for, for MPI_UNIVERSE_SIZE.",
    },
    Variable {
        name: "SLURM_PROCID",
        default: "unset",
        meaning: "Slurm's rank; used if SLURM_STEP_ID is the id of a step.",
    },
    Variable { name: "SLURM_STEP_NUM_TASKS", default: "unset", meaning: "Number of ranks of a Slurm step." },
    Variable {
        name: "SLURM_NTASKS",
        default: "unset",
        meaning: "Number of ranks, used if SLURM_STEP_NUM_TASKS is unset.",
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

/// The value of a variable; unset and empty are both `None`.
///
/// # Panics
/// If the name is not in [`VARIABLES`]: an undocumented variable is a bug.
pub fn raw(name: &str) -> Option<String> {
    assert!(VARIABLES.iter().any(|v| v.name == name), "{name} is not in config::VARIABLES");
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The error for the value of a variable.
pub(super) fn bad(what: &'static str, got: &str, accepted: &str) -> Error {
    Error::InvalidArgument { what, got: format!("\"{got}\"; accepted: {accepted}") }
}
