//! Linker arguments of the double's libcudart.so.12.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The soname: programs linked with the runtime ask the loader for this name.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libcudart.so.12");
    // Calls inside this library stay inside, also when another libcudart is loaded.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic-functions");
}
