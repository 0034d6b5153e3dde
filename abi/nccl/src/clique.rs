//! Cliques: the communicators of this process that were made with one id. They are counted, so that the last
//! one to leave waits for all.

use std::sync::Arc;

use anyccl_edge::PerProcess;
use anyccl_engine::base::{Error, Result};
use anyccl_engine::bootstrap::UniqueId;
use parking_lot::{Condvar, Mutex};

/// The communicators of this process that were made with one id.
pub struct Clique {
    count: Mutex<Count>,
    changed: Condvar,
}

/// Numbers of members, and a failure that no call has returned yet.
struct Count {
    /// Members that have not begun to leave.
    staying: usize,
    /// Members that are leaving.
    leaving: usize,
    /// Error of a goodbye that nobody waited for.
    failure: Option<Error>,
}

/// Cliques by their ids.
type Cliques = Mutex<Vec<(UniqueId, Arc<Clique>)>>;

static CLIQUES: PerProcess<Cliques> = PerProcess::new();

/// The cliques of this process.
fn cliques() -> &'static Cliques {
    &CLIQUES.get_or(Cliques::default).value
}

/// Membership of a communicator in its clique. Dropping it ends the membership.
pub struct Member {
    id: UniqueId,
    clique: Arc<Clique>,
    is_leaving: bool,
}

impl Member {
    /// Adds a member to the clique of this id.
    pub fn of(id: &UniqueId) -> Member {
        let mut cliques = cliques().lock();
        let known = cliques.iter().find(|(known, _)| known == id).map(|(_, clique)| Arc::clone(clique));
        let clique = known.unwrap_or_else(|| {
            let count = Mutex::new(Count { staying: 0, leaving: 0, failure: None });
            let clique = Arc::new(Clique { count, changed: Condvar::new() });
            cliques.push((*id, Arc::clone(&clique)));
            clique
        });
        clique.count.lock().staying += 1;
        Member { id: *id, clique, is_leaving: false }
    }

    /// The clique of this member.
    pub fn clique(&self) -> &Arc<Clique> {
        &self.clique
    }

    /// Begins to leave; returns whether other members stay.
    pub fn begin(&mut self) -> bool {
        let mut count = self.clique.count.lock();
        count.staying -= 1;
        count.leaving += 1;
        self.is_leaving = true;
        count.staying > 0
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        let mut cliques = cliques().lock();
        let mut count = self.clique.count.lock();
        match self.is_leaving {
            true => count.leaving -= 1,
            false => count.staying -= 1,
        }
        self.clique.changed.notify_all();
        if count.staying + count.leaving == 0 {
            drop(count);
            cliques.retain(|(id, _)| *id != self.id);
        }
    }
}

impl Clique {
    /// Waits for the goodbyes of all members, unless some have not begun. Returns the error of a goodbye that
    /// nobody waited for.
    pub fn wait(&self) -> Result<()> {
        let mut count = self.count.lock();
        while count.staying == 0 && count.leaving > 0 {
            self.changed.wait(&mut count);
        }
        drop(count);
        self.tell_failure()
    }

    /// Keeps the error of a goodbye that nobody waits for; the first error counts.
    pub fn keep_failure(&self, error: Error) {
        self.count.lock().failure.get_or_insert(error);
    }

    /// Returns the error of a goodbye that nobody waited for, once.
    pub fn tell_failure(&self) -> Result<()> {
        self.count.lock().failure.take().map_or(Ok(()), Err)
    }
}
