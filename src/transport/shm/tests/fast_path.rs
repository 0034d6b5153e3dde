//! Tests of whole messages on the fast path.

use super::super::control_line::INLINE_BYTES;
use super::*;

/// The lengths of the fragments that `peek` finds of a message of `most` bytes. The flag says whether `peek`
/// left the rest to the slow path.
fn peek_all(link: &mut ShmLink, most: usize) -> (Vec<usize>, bool) {
    let (mut lens, mut left) = (Vec::new(), most);
    loop {
        match link.peek(&HEADER, left) {
            Peek::Data(_, bytes) => {
                link.release();
                lens.push(bytes);
                left -= bytes;
                if left == 0 {
                    return (lens, false);
                }
            }
            Peek::Empty => return (lens, false),
            Peek::SlowPath => return (lens, true),
        }
    }
}

#[test]
fn a_posted_message_arrives_completely_or_not_at_all_in_fragments_of_the_requested_size() {
    let (mut a, mut b) = pair();
    for link in [&mut a, &mut b] {
        link.set_oversubscribed(false);
    }
    // A sleeping sender gets each slot back at once.
    a.set_sleeping(true);
    // A link probes its peer when the first fragment arrives.
    assert_eq!(send(&mut a, &[1]), Some(1));
    assert!(receive(&mut b).is_some());
    let bytes = vec![7; layout::quota(SLOTS) * FRAGMENT_BYTES];
    let post = |a: &mut ShmLink, len: usize, size| {
        // SAFETY: a vector is readable for its length, which is more.
        unsafe { a.post(&HEADER, bytes.as_ptr(), len, size) }
    };
    for _ in 0..3 {
        assert!(post(&mut a, 0, FragmentSize::Small) && post(&mut a, FRAGMENT_BYTES + 1, FragmentSize::Full));
        assert_eq!(peek_all(&mut b, 0), (vec![0], false));
        assert_eq!(peek_all(&mut b, FRAGMENT_BYTES + 1), (vec![FRAGMENT_BYTES, 1], false));
        assert!(post(&mut a, FRAGMENT_BYTES + 1, FragmentSize::Small));
        assert_eq!(
            peek_all(&mut b, FRAGMENT_BYTES + 1),
            (vec![HALF_FRAGMENT_BYTES, HALF_FRAGMENT_BYTES, 1], false)
        );
    }
    // Those messages used nine buffers. The peer has returned none yet.
    let left = layout::quota(SLOTS) - 9;
    let whole = |buffers: usize| vec![FRAGMENT_BYTES; buffers];
    assert!(!post(&mut a, (left + 1) * FRAGMENT_BYTES, FragmentSize::Full));
    assert!(!post(&mut a, (left + 1) * HALF_FRAGMENT_BYTES, FragmentSize::Small));
    assert!(post(&mut a, left * FRAGMENT_BYTES, FragmentSize::Full));
    assert!(
        !post(&mut a, INLINE_BYTES + 1, FragmentSize::Small)
            && post(&mut a, INLINE_BYTES, FragmentSize::Small)
    );
    assert_eq!(peek_all(&mut b, left * FRAGMENT_BYTES), (whole(left), false));
    assert_eq!(peek_all(&mut b, INLINE_BYTES), (vec![INLINE_BYTES], false));
    // Now the peer has returned them.
    assert!(post(&mut a, 8 * HALF_FRAGMENT_BYTES, FragmentSize::Small));
    assert_eq!(peek_all(&mut b, 8 * HALF_FRAGMENT_BYTES), (vec![HALF_FRAGMENT_BYTES; 8], false));
    // The ring takes as many messages as it has slots.
    for _ in 0..SLOTS {
        assert!(post(&mut a, 0, FragmentSize::Small));
    }
    assert!(!post(&mut a, 0, FragmentSize::Small) && !post(&mut a, FRAGMENT_BYTES, FragmentSize::Full));
    for _ in 0..SLOTS {
        assert_eq!(peek_all(&mut b, 0), (vec![0], false));
    }
    // More bytes than were to come are an error, which the slow path reports.
    assert!(post(&mut a, HALF_FRAGMENT_BYTES, FragmentSize::Full));
    assert_eq!(peek_all(&mut b, HALF_FRAGMENT_BYTES - 1), (vec![], true));
}
