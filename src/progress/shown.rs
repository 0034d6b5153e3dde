//! What other processes can read of an engine ([`crate::observe::status`]).

use std::path::PathBuf;
use std::time::Duration;

use super::context::CommId;
use super::engine::{Engine, Ticket};
use crate::base::{Error, Rank, mix};
use crate::log_line;
use crate::observe::ras;
use crate::observe::status::{CommIdentity, HeldPage, Identity, StatusPage, WaitSlot, write_dump};

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
    /// after a kill. `ranks`: their processes.
    pub fn hold_pages(&mut self, job: u64, ranks: impl Iterator<Item = (u32, Rank)>) {
        self.held_pages.extend(ranks.filter_map(|(pid, rank)| HeldPage::of(pid, job, rank)));
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
            Ticket::Call(number) => match self.calls.active.iter().find(|a| a.number == number) {
                Some(active) => (active.comm, Some(active.execution.header().sequence)),
                None => return,
            },
        };
        let Some(comm) = self.comms.find(id) else { return };
        if slot.is_none() {
            *slot = page.add_wait();
        }
        if let Some(slot) = slot {
            slot.describe(comm.context, number, silence, &self.describe_missing_ranks(ticket));
        }
    }
}
