//! Targets of fuzzing: which interfaces a person wants.

use super::interface::choose_among;
use crate::foreign_bytes::harness::check_sentence;
use crate::foreign_bytes::{Target, split};
use crate::sys::interfaces::Interface;

pub(crate) const TARGETS: &[Target] =
    &[Target { name: "interfaces", read: interfaces, seeds: rules, room: 32 << 10 }];

fn interfaces(bytes: &[u8]) {
    let ([variable], rest) = split(bytes);
    let interface = |name: &str, address: &str, loopback| Interface {
        name: name.into(),
        addresses: vec![address.parse().unwrap()],
        up: true,
        loopback,
    };
    let all = [
        interface("lo", "127.0.0.1", true),
        interface("eth0", "10.0.0.1", false),
        interface("eth1", "fd00::1", false),
    ];
    let names = ["ANYCCL_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME", "SAR_SOCKET_NAME"];
    let wanted = names[usize::from(variable) % names.len()];
    match choose_among(&all, &|name| (name == wanted).then(|| String::from_utf8_lossy(rest).into_owned())) {
        Ok(choice) => assert!(!choice.interfaces.is_empty() && !choice.addresses().is_empty()),
        Err(error) => check_sentence(&error.to_string(), bytes),
    }
}

fn rules() -> Vec<Vec<u8>> {
    ["\0eth", "\x01=eth0,lo", "\x02^=eth0", "\x03lo", "\0^eth1, lo"]
        .map(|text| text.as_bytes().to_vec())
        .to_vec()
}
