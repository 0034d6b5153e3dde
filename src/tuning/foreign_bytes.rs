//! Targets of fuzzing: files of measured costs, what rank 0 sends of them, and the algorithms that a user
//! demands.

use super::overrides::Overrides;
use super::{Links, Tuning};
use crate::config::Config;
use crate::cost::Curve;
use crate::foreign_bytes::Target;
use crate::foreign_bytes::harness::check_sentence;

pub(crate) const TARGETS: &[Target] = &[
    Target { name: "tuning_file", read: file, seeds: files, room: 64 << 10 },
    Target { name: "tuning_wire", read: wire, seeds: sent, room: 32 << 10 },
    Target { name: "algorithms", read: demands, seeds: texts, room: 32 << 10 },
];

fn file(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match Links::parse(&text) {
        Ok(links) => {
            let written = links.to_text(true, true);
            let read = Links::parse(&written)
                .unwrap_or_else(|error| panic!("{error:?} in what was written: {written}"));
            assert_eq!(read.to_text(true, true), written);
            // What rank 0 has read from a file, the others must be able to read from rank 0.
            let tuning =
                Tuning { shm: links.shm, tcp: links.tcp, ..Tuning::from_config(&Config::default()).unwrap() };
            assert_eq!(Tuning::from_bytes(&tuning.to_bytes()).unwrap(), tuning);
        }
        Err((line, why)) => {
            assert!(line <= text.lines().count());
            check_sentence(&why, bytes);
        }
    }
}

fn files() -> Vec<Vec<u8>> {
    let mut links = Links::DEFAULT;
    links.times.tcp.one_way = Curve::new(&[(4096, 0.5), (1 << 20, 200.5)]).unwrap();
    links.times.tcp.exchange = Curve::new(&[(8, 0.5), (1 << 20, 300.25)]).unwrap();
    links.times.reduce = Curve::new(&[(4096, 0.125)]).unwrap();
    let texts = [
        links.to_text(true, true),
        Links::DEFAULT.to_text(true, false),
        "# here\n\nshm.latency_us = 0.5 # measured\nreduce.gigabytes_per_second=4\ncopy.us = \"8:1 64:1e9\"\n".into(),
    ];
    texts.map(String::into_bytes).to_vec()
}

fn wire(bytes: &[u8]) {
    match Tuning::from_bytes(bytes) {
        Ok(tuning) => assert_eq!(Tuning::from_bytes(&tuning.to_bytes()).unwrap(), tuning),
        Err(error) => check_sentence(&error.to_string(), bytes),
    }
}

fn sent() -> Vec<Vec<u8>> {
    let with = |algorithm: Option<&str>| {
        let config = Config { algorithm: algorithm.map(str::to_owned), ..Config::default() };
        Tuning::from_config(&config).unwrap().to_bytes()
    };
    vec![with(None), with(Some("all_to_all:bruck,reduce:chain"))]
}

fn demands(bytes: &[u8]) {
    match Overrides::parse(&String::from_utf8_lossy(bytes)) {
        Ok(overrides) => assert_eq!(Overrides::parse(&overrides.to_text()).unwrap(), overrides),
        Err(error) => check_sentence(&error.to_string(), bytes),
    }
}

fn texts() -> Vec<Vec<u8>> {
    ["all_reduce:ring,broadcast:binomial", " reduce : chain", "barrier:dissemination"]
        .map(|text| text.as_bytes().to_vec())
        .to_vec()
}
