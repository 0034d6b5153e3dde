//! Socket addresses as bytes.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use super::wire::{Reader, Writer};

/// Limit of addresses of one rank.
pub(crate) const ADDRESSES: usize = 16;

const V4: u8 = 4;
const V6: u8 = 6;

/// Bytes that `write` appends.
pub(crate) fn encoded_bytes(address: &SocketAddr) -> usize {
    if address.is_ipv4() { 7 } else { 19 }
}

/// Appends an address.
pub(crate) fn write(writer: &mut Writer, address: &SocketAddr) {
    match address.ip() {
        IpAddr::V4(ip) => {
            writer.u8(V4);
            writer.0.extend(ip.octets());
        }
        IpAddr::V6(ip) => {
            writer.u8(V6);
            writer.0.extend(ip.octets());
        }
    }
    writer.u16(address.port());
}

/// Reads an address.
pub(crate) fn read(reader: &mut Reader<'_>) -> Option<SocketAddr> {
    let ip = match reader.u8()? {
        V4 => IpAddr::V4(Ipv4Addr::from(reader.array::<4>()?)),
        V6 => IpAddr::V6(Ipv6Addr::from(reader.array::<16>()?)),
        _ => return None,
    };
    let port = reader.u16()?;
    (port != 0).then_some(SocketAddr::new(ip, port))
}
