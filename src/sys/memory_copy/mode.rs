//! How bytes get to whoever reads them next.

/// How bytes get to the reader of shared memory, depending on where it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyMode {
    /// The reader shares a cache with the writer.
    Near,
    /// The reader shares no cache with the writer.
    Far,
    /// Like [`CopyMode::Far`], where getting the lines back from the reader would cost more than writing
    /// past the caches.
    PastCaches,
}
