//! The `anyccl` tool.
fn main() {}
