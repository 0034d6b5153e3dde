//! Messages for ranks that are not connected, which get them when they are.

use crate::transport::control::ControlMessage;

/// Most messages that are kept for ranks that are not connected; the latest count.
const MOST_KEPT: usize = 1024;

/// Messages for ranks that are not connected, oldest first, each with the endpoints that lack it.
#[derive(Default)]
pub(super) struct KeptMessages(Vec<(ControlMessage, Vec<u32>)>);

impl KeptMessages {
    /// Keeps a message for ranks.
    pub fn add(&mut self, message: ControlMessage, to: Vec<u32>) {
        if self.0.len() == MOST_KEPT {
            // A rank that has left one of many communicators in order is missed least.
            let is_left = |(message, _): &(ControlMessage, _)| matches!(message, ControlMessage::Left { .. });
            self.0.remove(self.0.iter().position(is_left).unwrap_or(0));
        }
        self.0.push((message, to));
    }

    /// Drops the messages for an endpoint with which this rank never connects.
    pub fn forget(&mut self, at: u32) {
        self.0.iter_mut().for_each(|(_, to)| to.retain(|endpoint| *endpoint != at));
        self.0.retain(|(_, to)| !to.is_empty());
    }

    /// Takes the messages for an endpoint.
    pub fn take_for(&mut self, at: u32) -> Vec<ControlMessage> {
        let mut all = Vec::new();
        for (message, to) in &mut self.0 {
            if let Some(found) = to.iter().position(|endpoint| *endpoint == at) {
                to.swap_remove(found);
                all.push(message.clone());
            }
        }
        self.0.retain(|(_, to)| !to.is_empty());
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_message_is_given_once_to_each_rank_in_the_order_of_messages() {
        let mut kept = KeptMessages::default();
        let message = |context| ControlMessage::Release { context };
        kept.add(message(1), vec![4, 5]);
        kept.add(message(2), vec![5]);
        assert_eq!(kept.take_for(5), [message(1), message(2)]);
        assert_eq!(kept.take_for(5), []);
        assert_eq!(kept.take_for(4), [message(1)]);
        assert!(kept.0.is_empty());
    }

    #[test]
    fn of_too_many_messages_the_oldest_goodbye_is_forgotten() {
        let mut kept = KeptMessages::default();
        let message = |context| match context {
            0 => ControlMessage::Unformed { context, call: 0 },
            _ => ControlMessage::Left { context, sent: 0, calls: None },
        };
        (0..=MOST_KEPT as u32).for_each(|context| kept.add(message(context), vec![1]));
        let left: Vec<u32> = kept.take_for(1).iter().filter_map(ControlMessage::context).collect();
        assert_eq!((left.len(), left[0], left[1]), (MOST_KEPT, 0, 2));
    }

    #[test]
    fn nothing_is_kept_for_a_rank_that_has_gone() {
        let mut kept = KeptMessages::default();
        kept.add(ControlMessage::Release { context: 1 }, vec![4]);
        kept.add(ControlMessage::Release { context: 2 }, vec![4, 5]);
        kept.forget(4);
        assert_eq!(kept.0.len(), 1);
        assert_eq!(kept.take_for(4), []);
    }
}
