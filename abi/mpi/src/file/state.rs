//! What a process keeps of an open file for itself.

use std::sync::Arc;

use super::view::View;
use crate::status::Status;

/// A split access that was begun: the function that ends it, and its status.
pub type Begun = (&'static str, Status);

/// What a process knows of an open file, apart from the other ranks.
pub struct State {
    /// The view.
    pub view: Arc<View>,
    /// The individual file pointer, in etypes.
    pub pointer: i64,
    /// The split access that was begun.
    pub split: Option<Begun>,
}
