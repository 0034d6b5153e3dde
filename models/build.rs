//! Turns the engine's `cfg(loom)` on in this crate only: its sources are included here, with loom's atomics.
fn main() {
    println!("cargo::rustc-cfg=loom");
}
