//! `anyccl-mpiexec`: `anyccl run` with the options that every mpiexec has.
//!
//! The tool is `anyccl` itself under another name, one that contains `mpiexec` or `mpirun`. Options are
//! parsed by hand ([`options`]), because they begin with one dash and end at the program. Programs are
//! separated by colons. [`placement`] turns hosts into the places of `anyccl run`. Everything else is as in
//! `anyccl run`: one job, one world, no processes left behind.

mod options;
pub mod placement;

use std::ffi::{OsStr, OsString};
use std::time::Duration;

use crate::failure::Failure;
use crate::output;
use crate::run::{self, RunArguments};
use options::{Asked, Options};

/// The help, also in the man page.
pub const HELP: &str = "\
Start an MPI program on N ranks, or several programs as one job

Usage: anyccl-mpiexec [options] PROGRAM [arguments] [: [options] PROGRAM [arguments]]...

For one program, and again after each colon:
  -n N, -np N               number of ranks (default: 1, or one for each place of the hosts)
  -env NAME VALUE           set a variable for these ranks
  -x NAME[=VALUE]           the same; without a value, that of this command
  -wdir FOLDER              start them in this folder

For the job, in front of the first program:
  -host A,B  -hosts A:2,B   hosts, with numbers of ranks
  -hostfile FILE, -f FILE, -machinefile FILE
                            hosts from a file: lines such as \"node1:4\" or \"node1 slots=4\"
  -ppn N                    ranks for each host that has no number
  -genv NAME VALUE          set a variable for all ranks
  -l, -prepend-rank         put the rank in front of each line
  -bind-to core|none        cores for each rank (default: core)
  -launcher ssh|WORDS       how a command is started on another host, as for `anyccl run --launcher`
  -timeout SECONDS          end the job when it has run this long
  -as mpi|nccl|none         give the ranks the MPI of anyccl, whichever they are linked with (the default where
                            it is possible), or its NCCL, or nothing
  -fake-gpu N               let the ranks see N GPUs that do not exist, as `anyccl run --fake-gpu`
  -disable-auto-cleanup     let the other ranks go on when one fails

  -version, -help

All variables of this command reach the ranks on this host. Other hosts are reached by ssh, and there only
ANYCCL_* variables and those that are named. Several programs run on this host alone: for several hosts, use
the mpiexec of MPICH, or Slurm's srun, with a program that is linked with anyccl.

Exit code: as of `anyccl run`: 0 when every rank exited with 0, else that of the first rank that failed, or
the code of MPI_Abort.

Examples:
  anyccl-mpiexec -n 4 ./program --size 1000
  anyccl-mpiexec -n 1 ./master : -n 7 -wdir work ./worker
  anyccl-mpiexec -hosts node1:8,node2:8 -x OMP_NUM_THREADS=1 ./program
";

/// Whether a command of this name means this tool.
pub fn is_meant(name: &OsStr) -> bool {
    let file = std::path::Path::new(name).file_name().unwrap_or(name).to_string_lossy();
    file.contains("mpiexec") || file.contains("mpirun")
}

/// Runs the job that the arguments describe.
pub fn mpiexec(words: &[OsString]) -> Result<u8, Failure> {
    let wrong = |text: String| Failure { code: 2, text: format!("{text}; see -help") };
    let options = match options::read(words).map_err(wrong)? {
        Asked::Help => return output::say(HELP),
        Asked::Version => {
            return output::say(&format!("anyccl-mpiexec {}\n", anyccl_engine::base::VERSION));
        }
        Asked::Job(options) => options,
    };
    run::run(&arguments(options).map_err(wrong)?)
}

fn arguments(mut options: Options) -> Result<RunArguments, String> {
    let is_one = options.parts.len() == 1;
    let only = &mut options.parts[0];
    let (hosts, ranks) = match &options.hosts {
        None => (None, None),
        Some(hosts) => {
            let placed = placement::place(hosts, only.ranks, &placement::is_here)?;
            (placed.hosts, Some(placed.ranks))
        }
    };
    if hosts.is_some() && !is_one {
        return Err("several programs on several hosts are not possible here: use the mpiexec of MPICH, or Slurm's srun"
            .into());
    }
    if hosts.is_some() && only.folder.is_some() {
        return Err("-wdir is for this host; on other hosts ranks start in the folder of this command".into());
    }
    let parts: Vec<run::Part> = options
        .parts
        .into_iter()
        .map(|part| run::Part {
            ranks: part.ranks.or(ranks.filter(|_| is_one)).unwrap_or(1),
            command: part.command,
            environment: part.environment,
            folder: part.folder,
        })
        .collect();
    let total: u64 = parts.iter().map(|part| u64::from(part.ranks)).sum();
    let total = u32::try_from(total).ok().filter(|total| *total <= 65536);
    let total = total.ok_or("at most 65536 ranks are possible")?;
    let mut environment = options.environment;
    if hosts.is_some() {
        environment.extend(parts[0].environment.iter().cloned());
    }
    Ok(RunArguments {
        ranks: hosts.is_none().then_some(total),
        hosts,
        hostfile: None,
        launcher: options.launcher.unwrap_or_else(|| "ssh".into()),
        remote_anyccl: None,
        bind: options.bind,
        no_prefix: !options.prepends_rank,
        tag_output: false,
        own_output: false,
        keep_going: options.keep_going,
        timeout: options.timeout,
        grace: Duration::from_secs(2),
        env: environment,
        stand_in: options.stand_in,
        facade_is_implied: options.facade_is_implied,
        by: None,
        fake_gpus: options.fake_gpus,
        python: "python3".into(),
        command: parts[0].command.clone(),
        parts,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(line: &str) -> Result<RunArguments, String> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        match options::read(&words)? {
            Asked::Job(options) => arguments(options),
            _ => Err("no job".into()),
        }
    }

    #[test]
    fn programs_behind_colons_are_parts_of_one_job() {
        let job = job("-genv A 1 -n 1 ./a x : -np 3 -env B 2 -wdir /tmp ./b").unwrap();
        assert_eq!((job.ranks, job.env), (Some(4), vec![("A".to_string(), "1".to_string())]));
        assert_eq!((job.parts[0].ranks, job.parts[0].command.len()), (1, 2));
        assert_eq!(job.parts[1].environment, [("B".to_string(), "2".to_string())]);
        assert_eq!(job.parts[1].folder, Some("/tmp".into()));
        assert!(job.no_prefix && job.fake_gpus.is_none());
    }

    #[test]
    fn an_mpi_program_may_use_nccl_on_gpus_that_do_not_exist() {
        let job = job("-as nccl -fake-gpu 2 -n 4 ./a").unwrap();
        assert_eq!((job.fake_gpus, job.facade()), (Some(2), Some(crate::facade::Facade::Nccl)));
    }

    #[test]
    fn an_mpi_program_gets_the_mpi_of_anyccl_without_being_asked() {
        let facade = |line| job(line).map(|job| (job.facade(), job.facade_is_implied)).unwrap();
        assert_eq!(facade("-n 2 ./a"), (Some(crate::facade::Facade::Mpi), true));
        assert_eq!(facade("-as mpi -n 2 ./a"), (Some(crate::facade::Facade::Mpi), false));
        assert_eq!(facade("-as none -n 2 ./a"), (None, false));
    }

    #[test]
    fn this_host_is_no_other_host_and_others_are_those_of_run() {
        assert_eq!(job("-host localhost -n 3 ./a").map(|job| (job.hosts, job.ranks)), Ok((None, Some(3))));
        assert_eq!(job("-hosts localhost:2 ./a").map(|job| job.ranks), Ok(Some(2)));
        let far = job("-hosts a:2,b:2 -n 3 -x B=2 ./a").unwrap();
        assert_eq!((far.hosts.as_deref(), far.ranks), (Some("a:2,b:1"), None));
        assert_eq!(far.env, [("B".to_string(), "2".to_string())]);
        let error = job("-hosts a,b ./a : ./b").err().unwrap();
        assert!(error.contains("mpiexec of MPICH") && error.contains("srun"), "{error}");
    }

    #[test]
    fn the_tool_is_known_by_its_name() {
        for (name, meant) in [
            ("anyccl-mpiexec", true),
            ("/opt/bin/mpirun", true),
            ("anyccl", false),
            ("mpiexec.d/anyccl", false),
        ] {
            assert_eq!(is_meant(OsStr::new(name)), meant, "{name}");
        }
    }
}
