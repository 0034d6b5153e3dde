//! Linker arguments of libmpiwrapper.so.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libmpiwrapper.so");
    // Threads of the engine, and the handler of pthread_atfork, may outlive a dlclose.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    // The program has functions with MPI's names: those of MPItrampoline, which call ours.
    println!("cargo::rustc-cfg=internal_mpi_names");
}
