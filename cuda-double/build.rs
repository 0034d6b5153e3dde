//! Linker arguments of the double's libcuda.so.1.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The soname: programs linked with the driver ask the loader for this name.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libcuda.so.1");
    // Threads of the streams outlive a dlclose.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    // Calls inside this library stay inside, also when another libcuda is loaded.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic-functions");
}
