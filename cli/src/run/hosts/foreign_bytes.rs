//! Targets of fuzzing: the frames between launcher and agents, and lists of hosts.

use super::frame::Frame;
use super::host_list::places;
use crate::harness::{check_sentence, pieces, split};
use crate::mpiexec::placement::{Slots, place, read_file, read_list};
use crate::sys::process::Ending;

/// Reads a stream in pieces, and one frame at a time.
pub fn frames(bytes: &[u8]) {
    let ([length], bytes) = split(bytes);
    let (mut waiting, mut read, mut is_broken) = (Vec::new(), Vec::new(), false);
    for piece in pieces(bytes, length) {
        waiting.extend_from_slice(piece);
        match Frame::take_all(&mut waiting) {
            Ok(frames) => read.extend(frames),
            Err(_) => is_broken = true,
        }
        if is_broken {
            break;
        }
    }
    for frame in &read {
        assert_eq!(Frame::take_all(&mut frame.to_bytes()).unwrap().as_slice(), std::slice::from_ref(frame));
        if let Frame::Ended { ending, .. } = frame {
            let _: u8 = Ending::code(*ending);
        }
    }
    let mut stream = bytes;
    let mut one_by_one = Vec::new();
    while let Ok(frame) = Frame::read(&mut stream) {
        one_by_one.push(frame);
    }
    // Frames in the piece with something else are not believed.
    assert!(read == one_by_one || is_broken && read.len() <= one_by_one.len());
}

/// A frame of each kind.
pub fn each_frame() -> Vec<Frame> {
    vec![
        Frame::Order(b"{}".to_vec()),
        Frame::Signal(15),
        Frame::Input { rank: 3, bytes: b"x\n".to_vec() },
        Frame::Started,
        Frame::Line { rank: 70000, kind: 1, bytes: b"line\n".to_vec() },
        Frame::Taken { rank: 3, bytes: 2 },
        Frame::Ended { rank: 1, pid: 4711, ending: Ending::Exit(3) },
        Frame::Ended { rank: 1, pid: 4711, ending: Ending::Signal { number: 9, core: false } },
        Frame::Ended { rank: 1, pid: 4711, ending: Ending::Signal { number: 11, core: true } },
        Frame::Usage(b"[]".to_vec()),
        Frame::Remark("warning".into()),
        Frame::Failed { code: 127, text: "no".into() },
        Frame::Quiet,
    ]
}

pub fn some_frames() -> Vec<Vec<u8>> {
    let frames = each_frame();
    let all: Vec<u8> = frames.iter().flat_map(Frame::to_bytes).collect();
    let mut seeds: Vec<Vec<u8>> = frames.iter().map(|frame| [&[0][..], &frame.to_bytes()].concat()).collect();
    seeds.extend([[&[0][..], &all].concat(), [&[7][..], &all].concat(), b"\0Welcome to node1!".to_vec()]);
    seeds
}

/// A list or a file of hosts, and the ranks that they get.
pub fn hosts(bytes: &[u8]) {
    let ([kind, ranks], bytes) = split(bytes);
    let text = String::from_utf8_lossy(bytes);
    let ranks = (ranks > 0).then(|| u32::from(ranks));
    let read: Result<Vec<Slots>, String> = match kind % 3 {
        0 => read_list(&text),
        1 => read_file(&text),
        _ => {
            let wanted = ranks;
            return match places(&text, wanted) {
                Ok(places) => {
                    let ends = places.windows(2).all(|pair| pair[0].ranks.end == pair[1].ranks.start);
                    let last = places.last().expect("a list names a host").ranks.end;
                    assert!(ends && last > 0 && wanted.is_none_or(|wanted| wanted == last));
                }
                Err(text) => check_sentence(&text, bytes),
            };
        }
    };
    let placed = read.and_then(|hosts| place(&hosts, ranks, &|host| host == "localhost"));
    match placed {
        Ok(placed) => {
            assert!(placed.ranks > 0);
            if let Some(hosts) = placed.hosts {
                // `anyccl run --hosts` reads it again, and may find fault with a name or with the number.
                if let Ok(places) = places(&hosts, None) {
                    assert_eq!(places.last().map(|place| place.ranks.end), Some(placed.ranks));
                }
            }
        }
        Err(text) => check_sentence(&text, bytes),
    }
}

pub fn some_hosts() -> Vec<Vec<u8>> {
    let texts = [
        "\0\0a,b:2",
        "\0\x05node1:2,localhost",
        "\x01\0# nodes\na\nb:2\nc slots=3 max_slots=4\n\n[::1]:2\n",
        "\x01\x09a slots=65536\nb",
        "\x02\0a:2,b:3",
        "\x02\x07a,b,c",
        "\x02\0[::1]:2,[fe80::2]",
    ];
    texts.map(|text| text.as_bytes().to_vec()).to_vec()
}
