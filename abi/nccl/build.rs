//! Linker arguments of libnccl.so.2.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The soname: programs linked with NCCL ask the loader for this name. NCCL has no symbol versions, so
    // none are given here.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libnccl.so.2");
    // Threads of the engine, and the handler of pthread_atfork, may outlive a dlclose.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    // Calls inside this library stay inside. A profiler that wraps ncclX and calls pncclX must not meet its
    // own wrapper again.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic-functions");
}
