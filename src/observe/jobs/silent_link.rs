//! Links that do not pass on what they were given, though the processes at both ends are well.
//!
//! A rank that waits shows the ranks whose data it needs, and how many bytes have come from each. If such a
//! peer has given more bytes to the network than have come, they are on their way. If the peer has ended the
//! call, it has given all that the call needs to the transport. In both cases the link is silent, once this
//! has been so for longer than data is on its way.
//!
//! The pages are not read at the same moment. What a sender did after the page of the receiver was read is no
//! sign of a silent link.
//!
//! Shared memory swallows nothing: a rank that does not find its data there has not run. Nothing is known of
//! links to ranks that are not seen.

use super::part::Part;
use crate::observe::status::{PeerLink, WaitSnapshot};

/// A link that is silent.
#[derive(Clone, Debug, PartialEq)]
pub struct SilentLink {
    /// The rank whose data does not come.
    pub from: u32,
    /// The rank that waits for it.
    pub to: u32,
    /// The call, in the rank that waits; none for a message.
    pub call_number: Option<u32>,
    /// Name of the transport.
    pub transport: String,
    /// How long nothing has moved.
    pub seconds: f64,
    /// Bytes that are on their way, if both ends show them.
    pub bytes: Option<u64>,
}

impl SilentLink {
    /// What is wrong with the link.
    pub fn sentence(&self) -> String {
        let SilentLink { from, to, transport, seconds, .. } = self;
        let bytes = match self.bytes {
            Some(bytes) => format!("{bytes} bytes are"),
            None => "what it needs is".to_string(),
        };
        format!(
            "the link from rank {from} to rank {to} ({transport}) is silent: {bytes} on the way for {seconds:.1} s"
        )
    }
}

/// Time that data may be on its way, in seconds: longer than the network takes to send a lost packet again.
const ON_ITS_WAY: f64 = 0.3;

/// The silent links between the ranks of a communicator.
pub(super) fn of(parts: &[Part]) -> Vec<SilentLink> {
    let mut found: Vec<SilentLink> = parts.iter().flat_map(|receiver| links_to(receiver, parts)).collect();
    found.sort_by_key(|link| (link.from, link.to));
    found
}

fn links_to<'a>(receiver: &'a Part, parts: &'a [Part]) -> impl Iterator<Item = SilentLink> + 'a {
    let needed = receiver.wait().map(|wait| {
        wait.links.iter().filter(|link| link.reads && is_network(link)).map(move |it| (wait, it))
    });
    needed.into_iter().flatten().filter_map(move |(wait, link)| {
        let sender = parts.iter().find(|part| part.comm.rank == link.peer)?;
        let is_well = |part: &Part| !part.process.has_ended && !part.process.is_stopped;
        let (seconds, bytes) = on_its_way(sender, receiver, wait, link)?;
        let read = |part: &Part| part.page.clock_zero.saturating_add(part.page.read_at);
        let apart = read(sender).saturating_sub(read(receiver)) as f64 / 1e9;
        (is_well(sender) && is_well(receiver) && seconds - apart >= ON_ITS_WAY).then(|| SilentLink {
            from: link.peer,
            to: receiver.comm.rank,
            call_number: wait.call,
            transport: link.transport.clone(),
            seconds,
            bytes,
        })
    })
}

/// Bytes are counted only of a network, where some have moved when the ranks met.
fn is_network(link: &PeerLink) -> bool {
    link.sent > 0 || link.received > 0
}

/// For how long data has been on its way from a rank to one that waits for it, and how much, if that is
/// known. `None`: none is.
fn on_its_way(
    sender: &Part,
    receiver: &Part,
    wait: &WaitSnapshot,
    link: &PeerLink,
) -> Option<(f64, Option<u64>)> {
    let silence = wait.silence.as_secs_f64();
    let theirs = sender.wait().and_then(|wait| {
        let link = wait.links.iter().find(|link| link.peer == receiver.comm.rank)?;
        Some((wait.silence.as_secs_f64(), link.sent))
    });
    if let Some((since, sent)) = theirs {
        let bytes = sent.checked_sub(link.received).filter(|bytes| *bytes > 0);
        return bytes.map(|bytes| (silence.min(since), Some(bytes)));
    }
    let ended = sender.ended_ago(u64::from(wait.call?))?;
    Some((silence.min(ended), None))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{only_communicator, process, states, waiting};
    use super::super::processes::Process;
    use super::super::rank_report::State;

    fn found(one: Process, other: Process) -> Vec<(u32, u32, Option<u64>)> {
        let comm = only_communicator(vec![one, other]);
        comm.silent_links.iter().map(|link| (link.from, link.to, link.bytes)).collect()
    }

    #[test]
    fn bytes_that_were_sent_and_have_not_come_name_the_link() {
        assert_eq!(found(waiting(0, 100, 70), waiting(1, 70, 60)), [(0, 1, Some(40))]);
        assert_eq!(found(waiting(0, 100, 70), waiting(1, 90, 60)), [(0, 1, Some(40)), (1, 0, Some(20))]);
        assert_eq!(found(waiting(0, 60, 70), waiting(1, 70, 60)), []);
        let comm = only_communicator(vec![waiting(0, 100, 70), waiting(1, 70, 60)]);
        let link = &comm.silent_links[0];
        assert_eq!((link.call_number, link.transport.as_str(), link.seconds), (Some(17), "tcp", 3.0));
        assert_eq!(states(&comm), [(0, State::Waits), (1, State::Waits)]);
    }

    #[test]
    fn what_was_sent_after_the_receiver_was_read_is_not_missed() {
        let (sender, receiver) = (|| waiting(0, 100, 60), || waiting(1, 60, 60));
        let later = |mut process: Process, nanoseconds: u64| {
            process.pages[0].clock_zero += nanoseconds;
            process
        };
        assert_eq!(found(later(sender(), 2_600_000_000), receiver()), [(0, 1, Some(40))]);
        assert_eq!(found(later(sender(), 2_800_000_000), receiver()), []);
        assert_eq!(found(sender(), later(receiver(), 2_800_000_000)), [(0, 1, Some(40))]);
    }

    #[test]
    fn a_rank_that_has_ended_the_call_has_sent_its_data() {
        // It has ended the call 4.5 s ago; the other one has waited for 3 s.
        assert_eq!(found(process(0, 2, 18, 1, false), waiting(1, 70, 60)), [(0, 1, None)]);
        // It has not made the call.
        assert_eq!(found(process(0, 2, 17, 1, false), waiting(1, 70, 60)), []);
        // It has ended the call a moment ago.
        let mut late = process(0, 2, 18, 1, false);
        late.pages[0].operations[0].ended = Some(6_450_000_000);
        assert_eq!(found(late, waiting(1, 70, 60)), []);
        // Shared memory.
        assert_eq!(found(process(0, 2, 18, 1, false), waiting(1, 0, 0)), []);
    }

    #[test]
    fn a_rank_that_is_stopped_or_has_ended_is_the_trouble_and_not_its_link() {
        let mut stopped = waiting(0, 100, 70);
        stopped.is_stopped = true;
        assert_eq!(found(stopped, waiting(1, 70, 60)), []);
        let mut ended = waiting(0, 100, 70);
        ended.has_ended = true;
        assert_eq!(found(ended, waiting(1, 70, 60)), []);
    }
}
