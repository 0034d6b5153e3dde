//! Words for ranks that want different communicators.

use crate::base::{Rank, WireFormat};

/// The two ranks of which one wants the same bits in every call and the other does not, in words. `None`: all
/// want the same.
pub(super) fn unequal_bits(wishes: impl Iterator<Item = bool>) -> Option<String> {
    let mut wishes = (0..).zip(wishes);
    let (first, wish): (Rank, bool) = wishes.next()?;
    let (other, _) = wishes.find(|(_, other)| *other != wish)?;
    let (yes, no) = if wish { (first, other) } else { (other, first) };
    Some(format!(
        "rank {yes} asks for fixed bits (ANYCCL_DETERMINISTIC or the configuration), rank {no} does not"
    ))
}

/// The two ranks that want different formats between hosts, in words. `None`: all want the same.
pub(super) fn unequal_formats(formats: impl Iterator<Item = Option<WireFormat>>) -> Option<String> {
    let mut formats = (0..).zip(formats);
    let (first, format): (Rank, _) = formats.next()?;
    let (other, unlike) = formats.find(|(_, other)| *other != format)?;
    let [format, unlike] = [format, unlike].map(WireFormat::name_of);
    Some(format!(
        "sums of rank {first} travel as {format} (ANYCCL_WIRE or the configuration), those of rank {other} as {unlike}"
    ))
}
