//! Models of an owner that gives up its call, and a leader whose kernel may use the buffers.

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

use super::{AtomicU64, Offered, UseWord};

/// A word, and the buffer of a call.
struct Call {
    word: UseWord,
    buffer: UnsafeCell<u32>,
}

fn call() -> Arc<Call> {
    Arc::new(Call { word: UseWord(AtomicU64::new(0)), buffer: UnsafeCell::new(0) })
}

/// The owner uses its buffer again once the kernel cannot, and loom sees an access of both at once.
#[test]
fn an_owner_has_its_buffer_back_when_the_kernel_does_not_use_it() {
    loom::model(|| {
        let call = call();
        let offer = call.word.offer().expect("a new word is free");
        let leader = {
            let (call, bits) = (Arc::clone(&call), offer.to_bits());
            thread::spawn(move || {
                let offer = Offered::from_bits(bits).expect("an offer");
                if call.word.take(offer) {
                    // SAFETY: loom checks that no other thread uses it meanwhile.
                    call.buffer.with_mut(|buffer| unsafe { *buffer = 1 });
                    call.word.finish(offer);
                }
            })
        };
        if !call.word.withdraw(offer) {
            // SAFETY: as above.
            call.buffer.with_mut(|buffer| unsafe { *buffer += 2 });
        }
        leader.join().unwrap();
        assert!(!call.word.withdraw(offer), "the kernel has ended");
    });
}

/// A slow leader does not take the offer of the next call, whose buffer is another one.
#[test]
fn a_slow_leader_takes_no_other_offer() {
    loom::model(|| {
        let call = call();
        let first = call.word.offer().expect("a new word is free");
        let leader = {
            let call = Arc::clone(&call);
            thread::spawn(move || {
                let is_taken = call.word.take(first);
                if is_taken {
                    call.word.finish(first);
                }
                is_taken
            })
        };
        call.word.free(first);
        let next = call.word.offer();
        let is_taken = leader.join().unwrap();
        if let Some(next) = next {
            assert!(call.word.take(next), "nobody else knows of it");
            assert!(call.word.withdraw(next), "the kernel uses its buffer");
        } else {
            assert!(is_taken, "a word is given up only while a kernel uses it");
        }
    });
}

/// Two calls that look for a word at once get different ones.
#[test]
fn a_word_serves_one_call() {
    loom::model(|| {
        let call = call();
        let other = {
            let call = Arc::clone(&call);
            thread::spawn(move || call.word.offer().is_some())
        };
        let mine = call.word.offer().is_some();
        assert!(mine != other.join().unwrap());
    });
}
