//! Threads of the library in a process that belongs to the program.

use std::io;
use std::mem::MaybeUninit;
use std::ptr;
use std::thread::{Builder, JoinHandle};

/// Starts a thread that takes no signals. The program's handlers run on the program's threads, as if this
/// thread did not exist.
pub fn spawn_quiet(name: &str, body: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    // A new thread inherits the signal mask of the thread that starts it.
    let before = block_all_signals()?;
    let thread = Builder::new().name(name.into()).spawn(body);
    // SAFETY: `before` is a mask that the kernel filled in; the old mask is not requested.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &before, ptr::null_mut()) };
    thread
}

/// Blocks all signals of this thread. Returns the mask before.
fn block_all_signals() -> io::Result<libc::sigset_t> {
    let mut all = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: initialises the set behind the pointer.
    unsafe { libc::sigfillset(all.as_mut_ptr()) };
    let mut before = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `all` was filled above; `before` is writable and of the right type.
    match unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), before.as_mut_ptr()) } {
        // SAFETY: the call succeeded, so it has stored the old mask.
        0 => Ok(unsafe { before.assume_init() }),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocked() -> Vec<bool> {
        let mut mask = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: a null set changes nothing; the mask is stored to a writable place.
        let rc = unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, ptr::null(), mask.as_mut_ptr()) };
        assert_eq!(rc, 0);
        // SAFETY: the call succeeded, so it has stored the mask.
        let mask = unsafe { mask.assume_init() };
        // SAFETY: reads an initialised set; the numbers are valid signals.
        [libc::SIGINT, libc::SIGTERM, libc::SIGALRM]
            .map(|n| unsafe { libc::sigismember(&mask, n) } == 1)
            .into()
    }

    #[test]
    fn the_new_thread_takes_no_signals_and_the_mask_of_the_old_one_is_restored() {
        let before = blocked();
        let (tell, told) = std::sync::mpsc::channel();
        spawn_quiet("quiet", move || tell.send(blocked()).unwrap()).unwrap().join().unwrap();
        assert_eq!(told.recv().unwrap(), [true, true, true]);
        assert_eq!(blocked(), before);
    }
}
