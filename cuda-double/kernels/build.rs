//! Compiles the kernels of the engine as C++, and makes the registry of their names.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The files that define entries.
const SOURCES: [&str; 3] = ["floats", "integers", "moves"];

fn main() {
    let kernels = Path::new("../../src/device/kernels");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let mut build = cc::Build::new();
    // Rounding is part of the result: no product is fused with a sum. Speed comes first even in a debug
    // build, where the tests would wait for every launch.
    build.cpp(true).std("c++17").opt_level(2).include(".").include(kernels).file("run.cpp");
    build.flag("-ffp-contract=off").flag("-Wno-unknown-pragmas").flag_if_supported("-Wno-unused-function");
    let mut names = Vec::new();
    for source in SOURCES {
        let text =
            fs::read_to_string(kernels.join(format!("{source}.cu"))).expect("the sources of the kernels");
        names.extend(text.lines().filter_map(entry).map(str::to_owned));
        let unit = out.join(format!("{source}.cpp"));
        fs::write(&unit, format!("#include \"host.h\"\n#include \"{source}.cu\"\n"))
            .expect("OUT_DIR is writable");
        build.file(unit);
    }
    build.compile("cuda_double_kernels");
    names.sort();
    fs::write(out.join("registry.rs"), registry(&names)).expect("OUT_DIR is writable");
    for watched in [kernels.to_str().expect("a plain path"), "host.h", "run.cpp", "build.rs"] {
        println!("cargo::rerun-if-changed={watched}");
    }
}

/// The name in a line that defines an entry.
fn entry(line: &str) -> Option<&str> {
    line.strip_prefix("ANYCCL_KERNEL(")?.split(',').next()
}

fn registry(names: &[String]) -> String {
    let mut text = String::from("unsafe extern \"C\" {\n");
    for name in names {
        writeln!(text, "    fn {name}(parameters: *const c_void);").expect("a string");
    }
    writeln!(text, "}}\n\nstatic REGISTRY: [(&str, Function); {}] = [", names.len()).expect("a string");
    for name in names {
        writeln!(text, "    (\"{name}\", {name}),").expect("a string");
    }
    text + "];\n"
}
