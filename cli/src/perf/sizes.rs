//! The sizes to measure, and the number of elements of each.
//!
//! A size means what it means in nccl-tests: the bytes of the larger buffer. For all_gather, gather,
//! reduce_scatter, scatter and all_to_all, these are all blocks together.

use anyccl_engine::base::Collective;

/// A geometric series of sizes. The largest one belongs to it if the series meets it.
#[derive(Clone, Copy, Debug)]
pub struct Sweep {
    /// First size.
    pub min: u64,
    /// Upper limit of sizes.
    pub max: u64,
    /// Factor from one size to the next, at least 2.
    pub factor: u64,
}

impl Sweep {
    /// The sizes in bytes. A series that starts at 0 goes on with 1.
    pub fn bytes(self) -> impl Iterator<Item = u64> {
        let next = move |&at: &u64| at.max(1).checked_mul(if at == 0 { 1 } else { self.factor });
        std::iter::successors(Some(self.min), next).take_while(move |&at| at <= self.max)
    }

    /// The element counts of calls on `size` ranks. Each size is rounded down to whole elements per rank, but
    /// to at least one. Equal counts are measured once. A barrier has no elements.
    pub fn counts(self, collective: Collective, size: u32, element_bytes: usize) -> Vec<usize> {
        if collective == Collective::Barrier {
            return vec![0];
        }
        let unit = (blocks(collective, size) * element_bytes) as u64;
        let mut counts: Vec<_> = self.bytes().map(|bytes| (bytes / unit).max(1) as usize).collect();
        counts.dedup();
        counts
    }
}

/// Bytes of the larger buffer of a call.
pub fn size_of_call(collective: Collective, size: u32, count: usize, element_bytes: usize) -> u64 {
    match collective {
        Collective::Barrier => 0,
        _ => (count * blocks(collective, size) * element_bytes) as u64,
    }
}

/// Number of blocks of the larger buffer.
fn blocks(collective: Collective, size: u32) -> usize {
    use Collective::*;
    match collective {
        AllReduce | Reduce | Broadcast | Barrier | Scan | Exscan => 1,
        _ => size as usize,
    }
}

/// Parses a size: 512, 8K, 64M or 1G.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let shift = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        _ => return Err(expected()),
    };
    let number: u64 = digits.parse().map_err(|_| expected())?;
    // Far above every memory, and low enough that sizes can be added and multiplied by ranks.
    number.checked_mul(1 << shift).filter(|&bytes| bytes <= 1 << 44).ok_or_else(|| "too large".into())
}

fn expected() -> String {
    "expected a number of bytes, such as 512, 8K or 64M".into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_and_without_a_unit() {
        let table = [("8", 8), ("0", 0), ("4K", 4096), ("4k", 4096), ("64M", 64 << 20), ("1GiB", 1 << 30)];
        for (text, bytes) in table {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
        for text in ["", "K", "-1", "1.5K", "8X", "99999999999999G", "\u{e9}", "1\u{e9}"] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_sweep_ends_at_its_largest_size() {
        let sizes = |min, max, factor| Sweep { min, max, factor }.bytes().collect::<Vec<_>>();
        assert_eq!(sizes(8, 64, 2), [8, 16, 32, 64]);
        assert_eq!(sizes(10, 999, 10), [10, 100]);
        assert_eq!(sizes(0, 4, 2), [0, 1, 2, 4]);
        assert_eq!(sizes(7, 7, 2), [7]);
    }

    #[test]
    fn a_size_is_the_larger_buffer_in_whole_elements_per_rank() {
        use Collective::*;
        let sweep = Sweep { min: 8, max: 64, factor: 2 };
        let table: [(Collective, &[usize]); 4] = [
            (AllReduce, &[2, 4, 8, 16]),
            (Broadcast, &[2, 4, 8, 16]),
            (AllGather, &[1, 2, 5]),
            (Barrier, &[0]),
        ];
        for (collective, counts) in table {
            assert_eq!(sweep.counts(collective, 3, 4), counts, "{collective:?}");
        }
        assert_eq!(size_of_call(AllReduce, 3, 5, 4), 20);
        for collective in [AllGather, Gather, Scatter, ReduceScatter, AllToAll] {
            assert_eq!(size_of_call(collective, 3, 5, 4), 60, "{collective:?}");
        }
        assert_eq!(size_of_call(Barrier, 3, 0, 4), 0);
    }
}
