//! Targets of fuzzing: what strangers, other ranks, launchers and files say while a job starts.

pub(crate) use super::auth::foreign_bytes::TARGETS as AUTH;
pub(crate) use super::discovery::foreign_bytes::TARGETS as DISCOVERY;
pub(crate) use super::job::foreign_bytes::TARGETS as JOB;
pub(crate) use super::mesh::foreign_bytes::TARGETS as MESH;
pub(crate) use super::store::foreign_bytes::TARGETS as STORE;
pub(crate) use super::store::pmi::foreign_bytes::TARGETS as PMI;
pub(crate) use super::store::tcp::foreign_bytes::TARGETS as TCP;
