//! What the linker needs to know about libnccl.so.2.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // What programs that were linked with NCCL ask the loader for. NCCL has no symbol versions.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libnccl.so.2");
    // Threads of the engine may outlive a dlclose, and so does the handler of pthread_atfork.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    // A profiler that wraps ncclX and calls pncclX must not meet its own wrapper again from in here.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic-functions");
}
