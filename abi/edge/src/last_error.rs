//! The sentence of the last failure of this thread.
//!
//! There is one per thread, so that no lock is needed and no other thread can replace it between the failing
//! call and the query. A success does not clear it: a status says whether there is something to read.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Stores the sentence of a failure.
pub fn set(text: &str) {
    // A zero byte would end the sentence early, so it becomes a question mark. It can only come from a peer's
    // or a user's text.
    let text = CString::new(text.replace('\0', "?")).unwrap_or_default();
    // While the thread ends, its storage may be gone already. The sentence is then lost, and `get` gives an
    // empty one.
    let _ = LAST.try_with(|last| last.replace(text));
}

/// The sentence, terminated, never NULL. It is empty if this thread has seen no failure, or is ending. The
/// pointer is valid until the next [`set`] of this thread, or its end.
pub fn get() -> *const c_char {
    const NOTHING: &CStr = c"";
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(NOTHING.as_ptr())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text() -> String {
        // SAFETY: `get` never gives NULL, and nothing is set before the text is copied.
        unsafe { CStr::from_ptr(get()) }.to_str().unwrap().to_owned()
    }

    #[test]
    fn each_thread_reads_its_own_sentence() {
        set("mine");
        let other = std::thread::spawn(|| {
            let before = text();
            set("theirs");
            (before, text())
        });
        assert_eq!(other.join().unwrap(), (String::new(), "theirs".to_owned()));
        assert_eq!(text(), "mine");
    }

    #[test]
    fn a_zero_byte_does_not_cut_the_sentence() {
        set("name \0 of a peer");
        assert_eq!(text(), "name ? of a peer");
    }
}
