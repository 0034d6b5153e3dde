//! PMIx, by the launcher's own library: Open MPI's mpirun and prterun, for ranks on several hosts.
//!
//! The protocol of PMIx is private to its library and differs by version, so that library is opened at run
//! time. Rank 0 puts a beacon into the launcher's store, a fence makes it visible, and the others get it.
//! Everything else goes through our own store.

mod library;
pub(in crate::bootstrap) mod session;
mod space;

pub(in crate::bootstrap) use space::PmixSpace;
