//! Linker arguments of libmpi.so.40.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The soname: programs linked with MPI ask the loader for this name. MPI libraries have no symbol
    // versions, so none are given here.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libmpi.so.40");
    // Threads of the engine, and the handler of pthread_atfork, may outlive a dlclose.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    // Calls inside this library stay inside. A tool that wraps MPI_X and calls PMPI_X must not meet its own
    // wrapper again.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic-functions");
}
