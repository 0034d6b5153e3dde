//! Linker arguments of libmpi_abi.so.1.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The name by which programs linked with MPI ask the loader. MPI libraries have no symbol versions.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libmpi_abi.so.1");
    // Threads of the engine, and the handler of pthread_atfork, may outlive a dlclose.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    // A tool that wraps MPI_X and calls PMPI_X must not meet its own wrapper again from inside this library.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic-functions");
}
