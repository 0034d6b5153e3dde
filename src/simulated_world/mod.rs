//! A world of ranks in which a seed decides everything that is left to chance outside: which rank runs, which
//! connection brings how many bytes, when, and what goes wrong.
//!
//! **Why.** A quiet machine makes few of the orders that are possible, and the same ones each time. Faults in
//! the others are met by luck, once in a thousand runs. Here a thousand seeds are a thousand orders, and each
//! can be had again.
//!
//! **How it works.** Ranks are the real engine and communicators over the real transports, TCP and shared
//! memory, with their control channels. Each rank is a coroutine, and one runs at a time, until it would wait
//! or, sometimes, looks again ([`turns`]). A connection is two pairs of sockets with the [`network`] between
//! them, which holds bytes back and passes them on in pieces. Data and control of a pair are two connections,
//! and overtake each other. Time is that of `sys::clock`, which a test has stopped: a turn takes some, and
//! when all ranks wait, it is turned.
//!
//! In some worlds the ranks first meet in a store in memory and connect each other, by the real handshakes
//! ([`wiring`]). In the others they begin connected.
//!
//! A [`job`] is what the ranks do ([`perform`]), and up to two things that go wrong. The [`oracle`] knows
//! each error that a rank may be told, and which steps must fail. [`search`] runs seeds, and makes a job that
//! fails small.
//!
//! **Limits.** Stores over files and TCP are not part of it, nor is a child of fork. Words in shared memory
//! are seen at once and in order; the models in `models/` ask for other orders. A killed rank ends where it
//! waits. A lost wake-up heals within 25 ms of the clock. So until something goes wrong, no rank may go on by
//! its time alone while nothing is on its way ([`turns`]).

mod job;
mod network;
mod oracle;
mod perform;
mod random;
mod search;
mod turns;
mod wiring;

mod tests;
