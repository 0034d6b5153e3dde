//! Names of what is installed.

/// The number in the soname, as abi/native/build.rs sets it.
pub const SONAME: &str = "libanyccl.so.0";

/// Packages that are built and installed.
pub const PACKAGES: [&str; 8] = [
    "anyccl-native",
    "anyccl-nccl",
    "anyccl-mpi-std",
    "anyccl-mpi-mpich",
    "anyccl-mpi-ompi",
    "anyccl-mpi-trampoline",
    "anyccl-audit",
    "anyccl-cli",
];
