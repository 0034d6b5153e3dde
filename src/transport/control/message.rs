//! What the control channel carries: messages, and the record of calls in one of them.

/// A message of one rank to another. The context is that of a communicator, like in [`super::super::Header`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ControlMessage {
    /// Doorbell: there is something in shared memory, and the peer must wake up.
    Doorbell,
    /// The sender has been waiting in this call for a while.
    Stall {
        /// Context of the communicator.
        context: u32,
        /// Number of the call.
        sequence: u32,
        /// The call, packed.
        call: [u64; 2],
    },
    /// A communicator has failed.
    Notice {
        /// Context of the communicator.
        context: u32,
        /// Kind of the failure, a number of the layer above.
        kind: u8,
        /// The rank that noticed it.
        origin: u32,
        /// The rank that it is about, or another number of the layer above.
        subject: u32,
        /// The failure in words.
        text: String,
    },
    /// The sender has given up this communicator, in good order.
    Left {
        /// Context of the communicator.
        context: u32,
        /// Calls that the sender has made in it; `None`: it has failed there, and the calls may differ.
        calls: Option<CallRecord>,
    },
    /// The sender has given up this communicator by itself, and has done its part in some calls.
    Quit {
        /// Context of the communicator.
        context: u32,
        /// Number of collective calls in which its part is done.
        calls: u32,
        /// The reason in words.
        reason: String,
    },
    /// The sender holds much of what was sent ahead of its calls: nothing more may come of later calls.
    Hold {
        /// Context of the communicator.
        context: u32,
        /// The first call that the sender has not made.
        from: u32,
    },
    /// The end of a hold: everything may come.
    Release {
        /// Context of the communicator.
        context: u32,
    },
    /// One round of an agreement among the survivors of a communicator: who is lost, as far as the sender
    /// knows.
    Agree {
        /// Context of the communicator.
        context: u32,
        /// Numbers of the layer above: which agreement, which round of it, and what this rank proposes.
        numbers: [u32; 3],
        /// One bit per rank.
        lost: Vec<u8>,
    },
    /// The sender leaves in good order: that its socket closes means nothing.
    Bye,
}

/// The calls that a rank has made in a communicator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallRecord {
    /// Number of the next call.
    pub next: u32,
    /// Digest of all calls, by number: equal where they are, different where one differs, but for chance.
    pub digest: u64,
    /// The latest calls, packed, the oldest first; at most [`CallRecord::LATEST`].
    pub latest: Vec<[u64; 2]>,
}

impl CallRecord {
    /// Number of calls that travel with a record: so the one that differs can be named.
    pub const LATEST: usize = 16;
}
