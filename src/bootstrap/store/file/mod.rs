//! The file by which ranks that share a file system find rank 0's store.

pub(in crate::bootstrap) mod announcement;
pub(in crate::bootstrap) mod private_folder;
pub(in crate::bootstrap) mod published;
