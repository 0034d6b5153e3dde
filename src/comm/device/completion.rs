//! The end of a call on a device, as a request waits for it.

use super::outcome_cell::OutcomeCell;
use crate::progress::CallOutcome;

/// The outcome of a call, once its stream has passed it.
pub(in crate::comm) type DeviceCompletion = OutcomeCell<CallOutcome>;
