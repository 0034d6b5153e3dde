//! Linker arguments of libnccl.so.2.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The name by which programs linked with NCCL ask the loader. NCCL has no symbol versions.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libnccl.so.2");
    // Threads of the engine, and the handler of pthread_atfork, may outlive a dlclose.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    // A profiler that wraps ncclX and calls pncclX must not meet its own wrapper again from inside this
    // library.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic-functions");
}
