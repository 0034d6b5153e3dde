//! Tests of what the flight recorder has of messages.

use super::messages::{buffer, from, outgoing, receive, send};
use super::*;
use crate::observe::status::OperationSnapshot;
use crate::p2p::Selector;

/// What is recorded of a message: whether it is sent, with whom, tag, count, and whether it has ended.
type Facts = (bool, Option<Rank>, i32, u64, bool);

fn recorded(driver: &Driver) -> Vec<Facts> {
    let facts = |one: &OperationSnapshot| {
        let side = one.side.expect("it is a message");
        (side.is_send, side.peer, one.call.root.cast_signed(), one.call.count, one.has_ended)
    };
    let engine = driver.lock();
    engine.page.as_ref().expect("it is shown").snapshot().messages.iter().map(facts).collect()
}

#[test]
fn messages_are_recorded_with_what_they_have_got_on_the_fast_path_and_off_it() {
    for kind in KINDS {
        let outcomes = on_all(&world(2, kind), move |rank, driver| -> Result<Vec<Facts>> {
            driver.lock().show(kind as u64, &["here".to_string()]);
            let (short, long) = (input(0, 3), input(0, 100_000));
            if rank == 0 {
                send(driver, 1, 5, &short)?;
                send(driver, 1, 6, &long)?;
                // It is received when all others are.
                send(driver, 1, 7, &short)?;
                return Ok(recorded(driver));
            }
            let mut room = vec![0; 100_000];
            receive(driver, from(0, 5), &mut room[..3], LONG)?;
            receive(driver, Selector::ANY, &mut room, LONG)?;
            receive(driver, from(0, 7), &mut room[..3], LONG)?;
            let mut never = [0; 4];
            // SAFETY: the room lives until the receive is cancelled.
            let ticket =
                unsafe { driver.lock().start_receive(CommId::FIRST, Selector::ANY, buffer(&mut never)) }?;
            let found = recorded(driver);
            assert!(driver.lock().cancel(ticket));
            driver.wait(ticket, Some(LONG))?;
            assert!(recorded(driver)[3].4, "a receive that was cancelled has ended");
            Ok(found)
        });
        let ended = |is_send, peer| {
            [(5, 3), (6, 100_000), (7, 3)].map(|(tag, count)| (is_send, Some(peer), tag, count, true))
        };
        let outcomes: Vec<Vec<Facts>> = outcomes.into_iter().map(Result::unwrap).collect();
        assert_eq!(outcomes[0], ended(true, 1), "{kind:?}");
        assert_eq!(outcomes[1][..3], ended(false, 0), "{kind:?}");
        assert_eq!(outcomes[1][3], (false, None, i32::MIN, 4, false), "{kind:?}");
    }
}

#[test]
fn a_receive_that_finds_nothing_is_recorded_once() {
    let [driver, _other] = &world(2, Kind::Shm)[..] else { unreachable!("two ranks") };
    driver.lock().show(9, &["here".to_string()]);
    let mut room = [0; 4];
    // SAFETY: the room lives until the receive is cancelled.
    let started = unsafe { driver.start_receive(CommId::FIRST, from(1, 5), buffer(&mut room)) }.unwrap();
    let Started::Running(ticket) = started else { panic!("nobody has sent") };
    assert_eq!(recorded(driver), [(false, Some(1), 5, 4, false)]);
    assert!(driver.lock().cancel(ticket));
    driver.wait(ticket, Some(LONG)).unwrap();
    assert_eq!(recorded(driver), [(false, Some(1), 5, 4, true)]);
}

#[test]
fn a_send_that_has_failed_is_recorded_as_such() {
    let [driver, _other] = &world(2, Kind::Tcp)[..] else { unreachable!("two ranks") };
    driver.lock().show(10, &["here".to_string()]);
    let data = input(0, 1 << 20);
    // SAFETY: the data lives until the send has failed.
    let started = unsafe { driver.start_send(CommId::FIRST, &outgoing(1, 5, &data)) }.unwrap();
    let Started::Running(ticket) = started else { panic!("nobody has received") };
    driver.lock().fail(CommId::FIRST, crate::base::Error::Aborted("a test".into()));
    driver.wait(ticket, None).unwrap_err();
    let messages = driver.lock().page.as_ref().unwrap().snapshot().messages;
    assert!(messages[0].has_ended && messages[0].has_failed);
}
