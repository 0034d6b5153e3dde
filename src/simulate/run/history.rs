//! History of a simulation: of each message and round what happened when, and what it had waited for
//! last.

/// The cause that an event had waited for last.
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

/// At which end of a message it happened.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::simulate) enum Side {
    #[default]
    Sender,
    Receiver,
}

/// History of one message.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::simulate) struct Trip {
    /// Its progress, as the flags below.
    pub(super) flags: u16,
    /// Parts of a short message's way that are not done.
    pub(super) legs: u8,
    /// The cause that started it, and at which end.
    pub start: (Cause, Side),
    /// If the receiver came late and was the last to finish: what it had waited for.
    pub late_take: Option<Cause>,
    /// When it had left its sender, when the first byte was at its receiver, and when all was done.
    pub sent: f64,
    pub reached: f64,
    pub received: f64,
}

pub(super) const SENDER_OPEN: u16 = 1;
pub(super) const RECEIVER_OPEN: u16 = 2;
/// The message before it in its queue has been sent.
pub(super) const SENDER_FREE: u16 = 4;
/// The receiver has begun to take the message before it.
pub(super) const RECEIVER_FREE: u16 = 8;
/// The message has started, or waits at the door of its sender.
pub(super) const QUEUED: u16 = 16;
pub(super) const TAKEN: u16 = 32;
/// The first byte is there.
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
    /// Why the round was entered.
    pub entered: Cause,
    /// When the local work was done.
    pub computed: f64,
}

/// The history that a simulation leaves.
#[derive(Debug)]
pub(in crate::simulate) struct History {
    pub trips: Vec<Trip>,
    pub visits: Vec<Visit>,
    /// The last event.
    pub end: (f64, Cause),
    /// Ends of flows that were forecast, and forecast anew when shares changed: the work of the simulation
    /// itself.
    pub events: u64,
}
