//! Cuts a rank's output into whole lines, in whatever pieces it arrives.

use std::io::BufRead;

/// Upper limit of a line. A longer one is passed on in parts: memory is finite, and output without any
/// newline may be intended.
const LONGEST: usize = 1 << 20;

/// The unfinished line of one stream.
#[derive(Default)]
pub struct Lines {
    unfinished: Vec<u8>,
}

impl Lines {
    /// Adds bytes; `line` gets each line that is complete now, with its newline. Only a part of an overlong
    /// line comes without a newline.
    pub fn take(&mut self, mut bytes: &[u8], mut line: impl FnMut(&[u8])) {
        while !bytes.is_empty() {
            let mut rest = bytes;
            // Searches as memchr does; a slice cannot fail to be read.
            let len = rest.skip_until(b'\n').unwrap_or(bytes.len());
            let (head, tail) = bytes.split_at(len);
            bytes = tail;
            let complete = head.ends_with(b"\n");
            if complete && self.unfinished.is_empty() {
                line(head);
                continue;
            }
            self.unfinished.extend_from_slice(head);
            if complete || self.unfinished.len() >= LONGEST {
                line(&self.unfinished);
                self.unfinished.clear();
            }
        }
    }

    /// Ends the stream; `line` gets the rest without a newline, if there is any.
    pub fn finish(&mut self, mut line: impl FnMut(&[u8])) {
        if !self.unfinished.is_empty() {
            line(&self.unfinished);
            self.unfinished.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of(pieces: &[&[u8]]) -> Vec<Vec<u8>> {
        let (mut lines, mut found) = (Lines::default(), Vec::new());
        for piece in pieces {
            lines.take(piece, |line| found.push(line.to_vec()));
        }
        lines.finish(|line| found.push(line.to_vec()));
        found
    }

    #[test]
    fn lines_are_the_same_wherever_the_pieces_are_cut() {
        let text = b"one\n\ntwo\0\xff\nunfinished";
        let whole = lines_of(&[text]);
        assert_eq!(whole, [&b"one\n"[..], b"\n", b"two\0\xff\n", b"unfinished"]);
        for cut in 0..=text.len() {
            assert_eq!(lines_of(&[&text[..cut], &text[cut..]]), whole, "cut at {cut}");
        }
        assert_eq!(lines_of(&text.chunks(1).collect::<Vec<_>>()), whole);
    }

    #[test]
    fn a_line_without_end_is_passed_on_in_parts_and_nothing_is_lost() {
        let piece = vec![b'x'; 1000];
        let pieces: Vec<&[u8]> = (0..3000).map(|_| &piece[..]).collect();
        let found = lines_of(&pieces);
        assert!(found.len() > 1 && found.iter().all(|line| line.len() < LONGEST + 1000));
        assert_eq!(found.concat(), vec![b'x'; 3_000_000]);
    }
}
