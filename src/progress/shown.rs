//! What other processes can read of an engine ([`crate::observe::status`]).

use std::os::fd::RawFd;
use std::path::PathBuf;
use std::time::Duration;

use super::context::CommId;
use super::engine::{Engine, Ticket};
use super::messaging::MessageTicket;
use crate::base::{Error, Rank, mix};
use crate::log_line;
use crate::observe::ras;
use crate::observe::status::{CommIdentity, HeldPage, Identity, PeerLink, StatusPage, WaitSlot, write_dump};
use crate::sys::poll::Interest;

impl Engine {
    /// Shows the engine from now on, with the communicators that it has. `job` is a number that its ranks
    /// have in common, `hosts` the name of each host. Without memory for that the job goes on.
    pub fn show(&mut self, job: u64, hosts: &[String]) {
        let identity = Identity { job, rank: self.rank, size: self.endpoints.len() as u32, hosts };
        self.page = StatusPage::create(identity);
        self.job = job;
        if self.page.is_none() {
            log_line!(
                Debug,
                "`anyccl status` will not see rank {}: no memory, or too many engines",
                self.rank
            );
        }
        for id in self.comms.ids() {
            self.show_comm(id);
        }
    }

    /// Writes the last operations to that folder when a communicator fails.
    pub fn dump_to(&mut self, folder: PathBuf) {
        self.dump_folder = Some(folder);
    }

    /// Lets this process tell clients of NCCL's RAS about its job, at that host and number.
    pub fn serve_ras(&self, place: &(String, u16)) {
        ras::start(place);
    }

    /// Holds the pages of other ranks of this host for as long as the engine lives, so that they can be read
    /// after a kill. `ranks`: their processes, and the descriptors of the pages there.
    pub fn hold_pages(&mut self, job: u64, ranks: impl Iterator<Item = ((u32, RawFd), Rank)>) {
        self.held_pages.extend(ranks.filter_map(|(place, rank)| HeldPage::of(place, job, rank)));
    }

    /// Shows that ranks of a host do not see each other's processes.
    pub fn show_pid_namespaces(&self) {
        self.page.iter().for_each(StatusPage::note_pid_namespaces);
    }

    /// Writes the last operations to a file, if that is wanted.
    pub(super) fn write_dump(&self, error: &Error) {
        let (Some(page), Some(folder)) = (&self.page, &self.dump_folder) else { return };
        match write_dump(folder, &page.snapshot(), &error.to_string()) {
            Ok(path) => {
                log_line!(Info, "rank {}: wrote its last operations to {}", self.rank, path.display());
            }
            Err(error) => log_line!(
                Warn,
                "rank {}: cannot write its last operations to {}: {error}",
                self.rank,
                folder.display()
            ),
        }
    }

    /// Shows a new communicator.
    pub(super) fn show_comm(&mut self, id: CommId) {
        let Some(page) = &self.page else { return };
        let comm = self.comms.get_mut(id);
        let group = comm.group();
        let members: Vec<Rank> = comm.members.iter().map(|member| member.endpoint).collect();
        let slot = page.add_comm(&CommIdentity {
            context: comm.context,
            group,
            name: &comm.name,
            rank: comm.rank,
            size: comm.size(),
            members: &members,
        });
        comm.collectives.show(Some(slot));
    }

    /// A number of the communicator that is the same on all its ranks, and tells it from others.
    pub fn number_of(&self, id: CommId) -> u64 {
        let comm = self.comms.get(id);
        mix(self.job ^ mix(u64::from(comm.context))) ^ comm.group()
    }

    /// Shows what a thread waits for, in which nothing has moved for `silence`. `slot` is the thread's.
    pub(super) fn show_wait(&self, ticket: Ticket, silence: Duration, slot: &mut Option<WaitSlot>) {
        let Some(page) = &self.page else { return };
        let (id, number) = match ticket {
            Ticket::Message(ticket) => (ticket.comm, None),
            Ticket::Call(number) => match self.find_call(number) {
                Some(active) => (active.comm, Some(active.execution.header().sequence)),
                None => return,
            },
        };
        let Some(comm) = self.comms.find(id) else { return };
        if slot.is_none() {
            *slot = page.add_wait();
        }
        if let Some(slot) = slot {
            self.show_links(ticket, Some(slot));
            slot.describe(comm.context, number, silence, &self.describe_missing_ranks(ticket));
        }
    }

    /// Shows how the links to other ranks are, for a thread that waits and has shown for what.
    pub(super) fn show_links(&self, ticket: Ticket, slot: Option<&WaitSlot>) {
        if let Some(slot) = slot {
            slot.show_links(&self.links_of_wait(ticket));
        }
    }

    /// The links to other ranks of a communicator, as many as are shown. Those for which the operation waits
    /// come first, then those of its other messages.
    fn links_of_wait(&self, ticket: Ticket) -> Vec<PeerLink<&'static str>> {
        let (id, needs, peers) = match ticket {
            Ticket::Call(number) => match self.find_call(number) {
                Some(active) => {
                    let peers = active.prepared.program.traffic().map(|(endpoint, ..)| endpoint).collect();
                    (active.comm, active.execution.waits_for().collect(), peers)
                }
                None => return Vec::new(),
            },
            Ticket::Message(ticket) => {
                (ticket.comm, self.need_of_message(ticket).into_iter().collect(), Vec::new())
            }
        };
        let Some(comm) = self.comms.find(id) else { return Vec::new() };
        let (needs, peers): (Vec<(u32, Interest)>, Vec<u32>) = (needs, peers);
        let wanted = needs.iter().map(|(endpoint, _)| *endpoint).chain(peers);
        let mut ranks: Vec<Rank> = Vec::new();
        for rank in wanted.filter_map(|endpoint| comm.rank_of(endpoint)).chain(0..comm.size()) {
            if ranks.len() == WaitSlot::MOST_LINKS {
                break;
            }
            if rank != comm.rank && !ranks.contains(&rank) {
                ranks.push(rank);
            }
        }
        let link = |peer: Rank| {
            let endpoint = comm.members[peer as usize].endpoint;
            let wants = |unwanted| needs.iter().any(|(at, need)| *at == endpoint && *need != unwanted);
            let link = &self.endpoints[endpoint as usize].inbox.link;
            PeerLink {
                peer,
                reads: wants(Interest::Write),
                writes: wants(Interest::Read),
                transport: link.transport(),
                sent: link.sent(),
                received: link.received(),
            }
        };
        ranks.into_iter().map(link).collect()
    }

    /// What the wait for a message needs of the link to its peer, if that is one rank.
    fn need_of_message(&self, MessageTicket { comm, ticket, .. }: MessageTicket) -> Option<(u32, Interest)> {
        let comm = self.comms.find(comm)?;
        let peer = comm.conversation.party(ticket)?;
        let is_send = comm.conversation.is_send(ticket);
        Some((comm.members[peer as usize].endpoint, if is_send { Interest::Write } else { Interest::Read }))
    }
}
