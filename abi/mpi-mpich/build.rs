//! What the linker needs to know about libmpi.so.12.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // What programs that were linked with MPI ask the loader for. MPI libraries have no symbol versions.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libmpi.so.12");
    // Threads of the engine may outlive a dlclose, and so does the handler of pthread_atfork.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    // A tool that wraps MPI_X and calls PMPI_X must not meet its own wrapper again from in here.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic-functions");
}
