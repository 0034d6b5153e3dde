//! Sets `cfg(loom)` for this crate only. It includes sources of the engine and compiles them with loom's
//! atomics.
fn main() {
    println!("cargo::rustc-cfg=loom");
}
