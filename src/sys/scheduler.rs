//! The waits of a thread in the hands of a test: the test decides who runs next, and when.
//!
//! Every wait of the library ends in [`super::poll`], [`super::clock`] or [`super::cores`]. There a thread
//! that has a scheduler asks it, and not the kernel. It also hears of connections that are made. Compiled for
//! the engine's own tests only.

use std::cell::RefCell;
use std::io;
use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::time::Instant;

use super::cores::CoreSet;
use super::socket::Socket;

/// Decides when its caller goes on.
pub(crate) trait Scheduler {
    /// Lets others run for a moment.
    fn yield_now(&self);
    /// Lets others run until something may have happened, at most until that time.
    fn wait(&self, until: Option<Instant>);
    /// Lets others run until that time.
    fn sleep(&self, until: Instant);
    /// May let others run between two looks of a loop that does not give its processor away.
    fn pause(&self);
    /// Notes that the caller listens at a place.
    fn listen(&self, place: &[u8]);
    /// Puts the network of the test into a connection that the caller has made with a place.
    fn connect(&self, place: &[u8], real: OwnedFd, is_unix: bool) -> io::Result<Socket>;
    /// The processors that the caller may use.
    fn cores(&self) -> CoreSet;
}

thread_local! {
    static MINE: RefCell<Option<Rc<dyn Scheduler>>> = const { RefCell::new(None) };
}

/// Puts the waits of this thread into the hands of a scheduler, or gives them back to the kernel.
pub(crate) fn obey(scheduler: Option<Rc<dyn Scheduler>>) {
    MINE.with(|mine| *mine.borrow_mut() = scheduler);
}

/// The scheduler of this thread. `None` in a program.
pub(crate) fn mine() -> Option<Rc<dyn Scheduler>> {
    // A thread that ends has none.
    MINE.try_with(|mine| mine.borrow().clone()).ok().flatten()
}
