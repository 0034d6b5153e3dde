//! Ranks that are processes: they find each other by the environment, and survive the death of one.

use std::env;
use std::process::{Command, Stdio, exit};

use anyccl::{Communicator, ErrorKind, Op};

/// Runs `body` in `size` processes, each of which runs the test `name` of this program again. Rank `lost`, if
/// there is one, may end with any status.
fn in_processes(name: &str, size: usize, lost: Option<usize>, body: fn(Communicator)) {
    if env::var_os("ANYCCL_RANK").is_some() {
        body(Communicator::world().unwrap());
        return;
    }
    let meeting = env::temp_dir().join(format!("anyccl-rust-{name}-{}", std::process::id()));
    let start = |rank: usize| {
        let mut program = Command::new(env::current_exe().unwrap());
        program.args(["--exact", name]).stdout(Stdio::null());
        program.env("ANYCCL_RANK", rank.to_string()).env("ANYCCL_WORLD_SIZE", size.to_string());
        program.env("ANYCCL_STORE", format!("file:{}", meeting.display()));
        program.spawn().unwrap()
    };
    let ranks: Vec<_> = (0..size).map(start).collect();
    for (rank, mut process) in ranks.into_iter().enumerate() {
        let status = process.wait().unwrap();
        assert!(status.success() || lost == Some(rank), "rank {rank}: {status}");
    }
}

#[test]
fn processes_of_a_job_form_a_world() {
    in_processes("processes_of_a_job_form_a_world", 3, None, |world| {
        assert_eq!((world.size(), world.name()), (3, "world"));
        let mut sum = vec![world.rank() as f64; 100_000];
        world.all_reduce_in_place(&mut sum, Op::Sum).unwrap();
        assert!(sum.iter().all(|element| *element == 3.0));
        // While a handle exists, there is one world. Afterwards there is none.
        let again = Communicator::world().unwrap();
        assert_eq!(again.close().unwrap_err().kind(), ErrorKind::InvalidUsage);
        world.close().unwrap();
        assert_eq!(Communicator::world().unwrap_err().kind(), ErrorKind::InvalidUsage);
    });
}

#[test]
fn survivors_learn_which_rank_was_lost_and_go_on_without_it() {
    let name = "survivors_learn_which_rank_was_lost_and_go_on_without_it";
    in_processes(name, 3, Some(1), |world| {
        world.barrier().unwrap();
        if world.rank() == 1 {
            exit(3);
        }
        let request = world.start_all_reduce_in_place(vec![1.0f32; 50_000], Op::Sum).unwrap();
        let (buffers, outcome) = request.wait_outcome();
        let error = outcome.unwrap_err();
        assert_eq!((error.kind(), error.lost_rank()), (ErrorKind::PeerLost, Some(1)), "{error}");
        assert_eq!(buffers.unwrap().len(), 50_000);
        let rest = world.shrink().unwrap();
        let mut sum = [1u8];
        rest.all_reduce_in_place(&mut sum, Op::Sum).unwrap();
        assert_eq!((rest.size(), sum), (2, [2]));
    });
}
