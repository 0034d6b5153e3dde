//! `shm`: the transport between two ranks of one host, through memory that both map.
//!
//! The memory is a part of a sealed `memfd` of the lower rank (`pair_file`), passed over the pair's Unix
//! socket. It has no name in any file system, so kill -9 leaves nothing behind. Each side maps it when the
//! two first talk (`unopened`). Each direction is a ring of slots (`layout`, `control_line`,
//! `ring`, `protocol`). A payload of more than a few bytes lies in a bounce buffer, and both sides recycle
//! these buffers (`pool`). The receiver reads, and reduces, straight out of them. Large messages are read in
//! the sender's memory instead (`exposure`), if the kernel permits it (`cma`) or if both sides can map that
//! memory (`zero_copy`).
//!
//! `link` is the whole of it. `send` and `recv` are its two halves, and `fast_path` is the short way
//! through both. `adapt` has the choices that a link makes from its own measurements.
//!
//! Nothing that the peer wrote is trusted. Each field is loaded once, then checked. Payload is handed on as a
//! raw pointer, never as a reference.

mod adapt;
mod cma;
mod control_line;
mod exposure;
mod fast_path;
#[cfg(any(test, feature = "fuzzing"))]
pub(super) mod foreign_bytes;
mod layout;
mod link;
mod pair;
mod pair_file;
mod peer_arena;
mod pool;
mod protocol;
mod recv;
mod recv_ring;
mod ring;
mod send;
mod send_ring;
#[cfg(test)]
mod tests;
mod unopened;
mod zero_copy;

pub use adapt::exchange_trial::{ExchangeRun, ExchangeTrial};
pub use control_line::FRAGMENT_BYTES;
pub use layout::slots;
pub use link::ShmLink;
pub use pair_file::PairFile;
pub use unopened::{Settings, UnopenedShm, exported_arena, own_arena};
pub use zero_copy::ZERO_COPY_BYTES;
