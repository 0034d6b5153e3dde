//! The messages of the control channel, and the record of calls that one of them carries.

/// A message from one rank to another. Its context is that of a communicator, as in [`super::super::Header`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ControlMessage {
    /// Doorbell: shared memory holds something new, and the peer must wake up.
    Doorbell,
    /// The sender has waited in this call for a while.
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
        /// Kind of the failure; the layer above defines the numbers.
        kind: u8,
        /// The rank that noticed it.
        origin: u32,
        /// The rank that failed, or another number that the layer above defines.
        subject: u32,
        /// The failure in words.
        text: String,
    },
    /// The sender has left this communicator in good order.
    Left {
        /// Context of the communicator.
        context: u32,
        /// Position of the sender's link ([`super::super::Link::sent`]). Data of the sender may be on its way
        /// until the receiver has come there.
        sent: u64,
        /// Calls that the sender has made in it. `None`: the communicator failed there, so the calls may
        /// differ.
        calls: Option<CallRecord>,
    },
    /// The sender has left this communicator on its own, after doing its part in some calls.
    Quit {
        /// Context of the communicator.
        context: u32,
        /// Position of the sender's link, as in `Left`.
        sent: u64,
        /// Number of collective calls in which the sender's part is done.
        calls: u32,
        /// The reason in words.
        reason: String,
    },
    /// The sender holds much data for calls that it has not made yet: no more data of later calls may be
    /// sent.
    Hold {
        /// Context of the communicator.
        context: u32,
        /// The first call that the sender has not made yet.
        from: u32,
    },
    /// The end of a hold: data of any call may be sent again.
    Release {
        /// Context of the communicator.
        context: u32,
    },
    /// One round of an agreement among the survivors of a communicator. It tells which ranks are lost, as far
    /// as the sender knows.
    Agree {
        /// Context of the communicator.
        context: u32,
        /// Numbers of the layer above: the agreement, its round, what the sender proposes, and whether it
        /// acknowledges the losses.
        numbers: [u32; 4],
        /// The lost ranks, one bit per rank.
        lost: Vec<u8>,
    },
    /// A call that makes a communicator has failed at the sender, with the communicator on which it was made.
    Unformed {
        /// Context of the communicator on which the call was made.
        context: u32,
        /// Number of the call.
        call: u32,
    },
    /// The receiver waits in a call that ended at the sender too long ago to be compared.
    Ended {
        /// Context of the communicator.
        context: u32,
        /// Number of the call.
        sequence: u32,
        /// Position of the sender's link, as in `Left`. Nothing for the call comes behind it.
        sent: u64,
    },
    /// The sender ends in good order: the closing of its socket is no failure.
    Bye,
}

impl ControlMessage {
    /// The context of the communicator that it is about. `None`: it is about none.
    pub fn context(&self) -> Option<u32> {
        match self {
            ControlMessage::Stall { context, .. }
            | ControlMessage::Notice { context, .. }
            | ControlMessage::Left { context, .. }
            | ControlMessage::Quit { context, .. }
            | ControlMessage::Hold { context, .. }
            | ControlMessage::Release { context }
            | ControlMessage::Agree { context, .. }
            | ControlMessage::Unformed { context, .. }
            | ControlMessage::Ended { context, .. } => Some(*context),
            ControlMessage::Doorbell | ControlMessage::Bye => None,
        }
    }
}

/// The calls that a rank has made in a communicator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallRecord {
    /// Number of the next call.
    pub next: u32,
    /// Digest of all calls. Equal calls give equal digests; different calls give different ones, except by
    /// chance.
    pub digest: u64,
    /// The latest calls, packed, oldest first; at most [`CallRecord::LATEST`].
    pub latest: Vec<[u64; 2]>,
}

impl CallRecord {
    /// Number of calls that travel with a record, so that an error can name the call that differs.
    pub const LATEST: usize = 16;
}
