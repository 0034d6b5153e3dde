//! The history of a simulation: when each step of each message and round happened, and what it waited for
//! last.

/// The last thing for which an event waited.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::simulate) enum Cause {
    /// The call began.
    #[default]
    Begin,
    /// The local work of a round was done.
    Computed(u32),
    /// A message had left its sender.
    Sent(u32),
    /// The first byte of a short message was at its receiver.
    Reached(u32),
    /// The receiver was done with a message.
    Received(u32),
}

/// The end of a message at which an event happened.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::simulate) enum Side {
    #[default]
    Sender,
    Receiver,
}

/// History of one message.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::simulate) struct Trip {
    /// Progress of the message, as the flags below.
    pub(super) flags: u16,
    /// Number of parts of a short message's way that are not done.
    pub(super) legs: u8,
    /// The cause that started the message, and the end at which it happened.
    pub start: (Cause, Side),
    /// The last cause for which the receiver waited, if it came late and finished last.
    pub late_take: Option<Cause>,
    /// Times when the message had left its sender, when its first byte was at the receiver, and when all was
    /// done.
    pub sent: f64,
    pub reached: f64,
    pub received: f64,
}

pub(super) const SENDER_OPEN: u16 = 1;
pub(super) const RECEIVER_OPEN: u16 = 2;
/// The previous message in the same queue has been sent.
pub(super) const SENDER_FREE: u16 = 4;
/// The receiver has begun to take the previous message.
pub(super) const RECEIVER_FREE: u16 = 8;
/// The message has started, or waits behind others of its sender.
pub(super) const QUEUED: u16 = 16;
pub(super) const TAKEN: u16 = 32;
/// The first byte has arrived.
pub(super) const REACHED: u16 = 64;
/// The receiver has done its part.
pub(super) const WORKED: u16 = 128;
pub(super) const ARRIVED: u16 = 256;

pub(super) const MAY_SEND: u16 = SENDER_OPEN | SENDER_FREE;
pub(super) const MAY_TAKE: u16 = RECEIVER_OPEN | RECEIVER_FREE;

impl Trip {
    /// Whether all of these flags are set.
    pub(super) fn has(&self, flags: u16) -> bool {
        self.flags & flags == flags
    }
}

/// History of one round.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::simulate) struct Visit {
    pub(super) open_transfers: u32,
    /// The cause for which the round was entered last.
    pub entered: Cause,
    /// Time when the local work was done.
    pub computed: f64,
}

/// The result of a simulation's run.
#[derive(Debug)]
pub(in crate::simulate) struct History {
    pub trips: Vec<Trip>,
    pub visits: Vec<Visit>,
    /// Time and cause of the last event.
    pub end: (f64, Cause),
    /// Number of forecasts, including those made anew when shares changed: the work of the simulation itself.
    pub events: u64,
}
