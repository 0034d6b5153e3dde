//! Tests of matching against its definition: two plain lists, searched from the front.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// The definition of matching.
#[derive(Default)]
struct Lists {
    receives: Vec<(Selector, u32)>,
    messages: Vec<(Envelope, u32)>,
}

impl Lists {
    fn take_unexpected(&mut self, selector: Selector) -> Option<(Envelope, u32)> {
        let at = self.messages.iter().position(|(envelope, _)| selector.accepts(*envelope))?;
        Some(self.messages.remove(at))
    }

    fn take_posted(&mut self, envelope: Envelope) -> Option<u32> {
        let at = self.receives.iter().position(|(selector, _)| selector.accepts(envelope))?;
        Some(self.receives.remove(at).1)
    }
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Receive(Selector),
    Message(Envelope),
    Probe(Selector),
    /// A matched probe: it takes the message, and does not wait.
    Take(Selector),
    /// Cancels one of the posted receives: the one with this number, modulo their count.
    Cancel(usize),
}

fn selector() -> impl Strategy<Value = Selector> {
    let any_or = |limit: u32| prop_oneof![1 => Just(None), 2 => (0..limit).prop_map(Some)];
    (any_or(3), any_or(4)).prop_map(|(source, tag)| Selector::new(source, tag.map(|tag| tag as Tag - 1)))
}

fn event() -> impl Strategy<Value = Event> {
    let envelope = (0..3u32, -1..3).prop_map(|(source, tag)| Envelope { source, tag });
    prop_oneof![
        4 => selector().prop_map(Event::Receive),
        4 => envelope.prop_map(Event::Message),
        1 => selector().prop_map(Event::Probe),
        1 => selector().prop_map(Event::Take),
        1 => any::<usize>().prop_map(Event::Cancel),
    ]
}

proptest! {
    #[test]
    fn receives_and_messages_match_as_the_definition_says(events in vec(event(), 0..if cfg!(miri) { 20 } else { 200 })) {
        let mut lists = Lists::default();
        let mut matching = Matching::<u32, u32>::default();
        let mut waiting: Vec<(u32, Waiting)> = Vec::new();
        for (number, event) in events.into_iter().enumerate() {
            let number = number as u32;
            match event {
                Event::Receive(selector) => {
                    let expected = lists.take_unexpected(selector);
                    prop_assert_eq!(matching.take_unexpected(selector), expected);
                    if expected.is_none() {
                        lists.receives.push((selector, number));
                        waiting.push((number, matching.post_receive(selector, number)));
                    }
                }
                Event::Message(envelope) => {
                    let expected = lists.take_posted(envelope);
                    prop_assert_eq!(matching.take_posted(envelope), expected);
                    match expected {
                        Some(receive) => waiting.retain(|(number, _)| *number != receive),
                        None => {
                            lists.messages.push((envelope, number));
                            matching.put_unexpected(envelope, number);
                        }
                    }
                }
                Event::Probe(selector) => {
                    let expected = lists.messages.iter().find(|(e, _)| selector.accepts(*e)).copied();
                    prop_assert_eq!(matching.find_unexpected(selector), expected);
                }
                Event::Take(selector) => {
                    prop_assert_eq!(matching.take_unexpected(selector), lists.take_unexpected(selector));
                }
                Event::Cancel(at) if !waiting.is_empty() => {
                    let (number, place) = waiting.remove(at % waiting.len());
                    prop_assert_eq!(matching.cancel(place), number);
                    lists.receives.retain(|(_, receive)| *receive != number);
                }
                Event::Cancel(_) => {}
            }
            prop_assert_eq!(matching.posted(), lists.receives.len());
            prop_assert_eq!(matching.unexpected().count(), lists.messages.len());
            prop_assert_eq!(matching.is_empty(), lists.receives.is_empty() && lists.messages.is_empty());
        }
    }
}

#[test]
fn messages_of_one_source_are_received_in_order_with_any_mixture_of_wildcards() {
    let mut matching = Matching::<(), u32>::default();
    for number in 0..4 {
        matching.put_unexpected(Envelope { source: 1, tag: 5 }, number);
    }
    let ways = [(Some(1), Some(5)), (None, Some(5)), (Some(1), None), (None, None)];
    for (number, (source, tag)) in ways.into_iter().enumerate() {
        let taken = matching.take_unexpected(Selector::new(source, tag));
        assert_eq!(taken.map(|(_, message)| message), Some(number as u32));
    }
    assert!(matching.is_empty());
}

#[test]
fn many_tags_that_are_each_used_once_leave_no_memory_behind() {
    let mut matching = Matching::<u32, u32>::default();
    for tag in 0..if cfg!(miri) { 200 } else { 100_000 } {
        matching.put_unexpected(Envelope { source: 0, tag }, 0);
        matching.take_unexpected(Selector::new(None, Some(tag))).unwrap();
        matching.post_receive(Selector::new(Some(0), Some(tag)), 0);
        matching.take_posted(Envelope { source: 0, tag }).unwrap();
    }
    assert!(matching.unexpected.room() < 64 && matching.posted.room() < 64);
}
