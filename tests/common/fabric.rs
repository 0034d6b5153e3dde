//! libfabric for tests, and the job whose ranks use it.

use super::network::skip;
use super::processes::ProcessJob;

/// The file of libfabric: of `ANYCCL_OFI_LIB`, or of MPICH's package where the tests of launchers have
/// installed it. None: the test should end, having said why.
pub fn library() -> Option<String> {
    let installed = concat!(env!("CARGO_MANIFEST_DIR"), "/target/launchers/mpich/lib/mpich/libfabric.so.1");
    let installed = Some(installed.to_string()).filter(|file| std::path::Path::new(file).exists());
    let found = std::env::var("ANYCCL_OFI_LIB").ok().or(installed);
    if found.is_none() {
        skip("no libfabric; `python3 capi-tests/launchers.py mpich` installs one");
    }
    found
}

/// Sets the transport of a job. Over libfabric ("ofi"), each rank pretends to be on a host of its own, and
/// uses the provider that is software over TCP.
pub fn over(mut job: ProcessJob, transport: &str) -> ProcessJob {
    if transport == "ofi" {
        let host = |rank: u32| vec!["env".to_string(), format!("ANYCCL_HOST_ID=host {rank}")];
        job.prefixes = (0..job.size).map(host).collect();
        job = job.set("ANYCCL_OFI_LIB", library().expect("libfabric")).set("ANYCCL_OFI_PROVIDER", "tcp");
    }
    job.set("ANYCCL_TRANSPORT", transport)
}
