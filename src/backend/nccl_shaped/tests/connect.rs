//! How a communicator of the library is made.

use super::*;

/// The ranks of a communicator of 3, of which this is rank 1. The function says whether they are still there.
struct Ranks<F>(F, Option<Duration>);

impl<F: Fn() -> Result<()>> OobExchange for Ranks<F> {
    fn rank(&self) -> Rank {
        1
    }

    fn size(&self) -> u32 {
        3
    }

    fn all_gather(&self, _mine: &[u8]) -> Result<Vec<Vec<u8>>> {
        unreachable!("everything is known")
    }

    fn broadcast(&self, _root: Rank, _bytes: &mut [u8]) -> Result<()> {
        unreachable!("everything is known")
    }

    fn check(&self) -> Result<()> {
        (self.0)()
    }

    fn patience(&self) -> Option<Duration> {
        self.1
    }
}

fn connect(oob: &dyn OobExchange) -> Result<Calls<128>> {
    let connecting = Connecting {
        dialect: &NCCL,
        functions: functions(),
        features: features(true),
        version: 22000,
        stream: Box::new(NoStream),
        id: UniqueId([0; 128]),
        rank: oob.rank(),
        size: oob.size(),
    };
    connecting.connect(oob)
}

#[test]
fn a_communicator_is_made_by_a_thread_that_may_wait() {
    let _test = alone();
    connect(&Ranks(|| Ok(()), None)).unwrap();
    assert_eq!(noted(), ["init 1 of 3"]);
    ANSWER.store(2, Ordering::SeqCst);
    let text = connect(&Ranks(|| Ok(()), None)).err().unwrap().to_string();
    assert_eq!(text, "NCCL failed in pncclCommInitRankConfig: system error (2): because it says so");
}

#[test]
fn a_rank_that_is_lost_or_late_while_a_communicator_is_made_ends_the_wait() {
    let _test = alone();
    let lost = || Err(Error::Aborted("rank 2 is lost".into()));
    for (ranks, expected) in [
        (&Ranks(lost, None) as &dyn OobExchange, "rank 2 is lost"),
        (
            &Ranks(|| Ok(()), Some(Duration::from_millis(20))),
            "NCCL has not found all ranks in pncclCommInitRankConfig",
        ),
    ] {
        noted();
        IS_HELD.store(true, Ordering::SeqCst);
        let text = connect(ranks).err().unwrap().to_string();
        assert!(text.contains(expected), "{text}");
        // The ranks come after all, too late.
        IS_HELD.store(false, Ordering::SeqCst);
        wait_until(|| is_noted("abort"));
        assert_eq!(noted(), ["init 1 of 3", "abort"]);
    }
}
