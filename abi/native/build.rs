//! What the linker needs to know about libanyccl.so.
//!
//! Here, in the crate with nothing above it: a soname set in a dependency would reach every door that links
//! it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The number changes when a program built against an older library would break.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libanyccl.so.0");
    // Threads of the engine may outlive a dlclose, and so does the handler of pthread_atfork.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
