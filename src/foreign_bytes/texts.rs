//! Texts that a person writes: files of models, values of variables. And packed words of calls.

use super::{Target, harness, split};
use crate::base::{Call, ListCount};
use crate::config::{BackendChoice, PortRange};
use crate::p2p::protocol::ProtocolMessage;
use crate::simulate::Model;
use crate::sys::cores::CoreSet;

pub const TARGETS: &[Target] = &[
    Target { name: "model_file", read: model_file, seeds: model_files, room: 64 << 10 },
    Target { name: "settings", read: settings, seeds: values, room: 64 << 10 },
    Target { name: "calls", read: calls, seeds: packed_calls, room: 16 << 10 },
];

fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

fn model_file(bytes: &[u8]) {
    let text = text(bytes);
    match Model::parse(&text, &Model::FREE) {
        Ok(model) => {
            let written = model.to_text();
            let read = Model::parse(&written, &Model::FREE);
            let read = read.unwrap_or_else(|error| panic!("{error:?} in what was written: {written}"));
            assert_eq!(read.to_text(), written);
        }
        Err((line, why)) => {
            assert!(line <= text.lines().count());
            harness::check_sentence(&why, bytes);
        }
    }
}

fn model_files() -> Vec<Vec<u8>> {
    let all = Model::FREE.to_text();
    let texts = [
        all.as_str(),
        "# mine\npreset = 100gbe # base\n\n between.latency_us=3\nwithin.eager_bytes = 9\n",
        "preset = shm+tcp\nbetween.exchange_us = 8:1 64:3.5 4096:9.25\nreduce.us = 4096:0.125\ncopy.us = 1:1\n",
        "nic.gigabytes_per_second = inf\nwithin.core_gigabytes_per_second = 1e-3\nwithin.message_us = 0.25\n",
    ];
    texts.map(|text| text.as_bytes().to_vec()).to_vec()
}

fn settings(bytes: &[u8]) {
    let ([kind], rest) = split(bytes);
    let text = text(rest);
    match kind % 2 {
        0 => {
            if let Ok(range) = PortRange::parse(&text) {
                let mut ports = range.ports();
                assert!(ports.next().is_some_and(|port| port > 0) && ports.count() < 65535);
            }
        }
        _ => match BackendChoice::parse("ANYCCL_BACKEND", &text) {
            Ok(choice) => {
                assert_eq!(BackendChoice::parse("ANYCCL_BACKEND", &choice.to_string()).unwrap(), choice);
                assert_eq!(BackendChoice::from_bytes(choice.to_bytes()), choice);
            }
            Err(error) => harness::check_sentence(&error.to_string(), bytes),
        },
    }
}

fn values() -> Vec<Vec<u8>> {
    let texts = [
        "\x0030000-30999",
        "\x001-65535",
        "\x01auto",
        "\x01cpu:oneccl|mpi|builtin,cuda:nccl",
        "\x01mpi|nccl",
    ];
    texts.map(|text| text.as_bytes().to_vec()).to_vec()
}

/// The 16 bytes of a header that hold a call, and two kinds of bits that ranks exchange.
fn calls(bytes: &[u8]) {
    let (words, rest) = split::<16>(bytes);
    let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| words[at + i]));
    let words = [word(0), word(8)];
    if let Some(call) = Call::unpack(words) {
        assert_eq!(Call::unpack(call.pack()), Some(call));
        assert!(Call::agree(call.pack(), call.pack()));
        harness::check_sentence(&call.to_string(), &[]);
    }
    if let Some(message) = ProtocolMessage::unpack(words) {
        assert_eq!(ProtocolMessage::unpack(message.pack()), Some(message));
        if let ProtocolMessage::Data(announcement) = message
            && let Some(bytes) = announcement.bytes()
        {
            assert!(bytes <= isize::MAX as usize);
            let _ = (announcement.eager_bytes(bytes), announcement.needs_reply());
        }
    }
    let count = ListCount::from_bits(words[1]);
    assert_eq!(count.to_bits(), words[1]);
    harness::check_sentence(&count.to_string(), &[]);
    let set = CoreSet::from_bytes(rest);
    assert!(set.count() <= 8 * rest.len());
}

fn packed_calls() -> Vec<Vec<u8>> {
    let heads = [
        0x0000_0002_00ff_0400u64,
        0x0000_0000_0000_0420,
        0x0000_0007_0100_0420,
        33,
        34,
        35,
        0x0305,
        0x0140,
        0x0161,
    ];
    let counts = [0u64, 1, 1 << 20, u64::MAX - 7, 1 << 63];
    let both = heads.iter().zip(counts.iter().cycle());
    both.map(|(head, count)| [head.to_le_bytes(), count.to_le_bytes()].concat()).collect()
}
