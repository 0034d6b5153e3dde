//! `--as nccl` and `--as mpi`: ranks that ask for NCCL or MPI get anyccl, or the job ends.
//!
//! [`Takeover`] prepares one host: variables for the ranks, and a socket for their reports. The reports come
//! to the job through its crew. [`UsageCheck`] decides what they mean. Its verdict is a line when our
//! library is in use, or a reason to end the job when another one is. If nobody can tell, it is a remark at
//! the end.

use super::arguments::RunArguments;
use super::report::LastWord;
use crate::facade::files::FacadeFiles;
use crate::facade::method::{self, Method};
use crate::facade::usage::{Usage, UsageReport, UsageReports};
use crate::facade::{Facade, StandIn};
use crate::failure::Failure;

/// The settings with which ranks of this host are started.
pub struct Takeover {
    /// Variables for the ranks.
    pub environment: Vec<(String, String)>,
    /// The receiver of their reports.
    pub reports: UsageReports,
    /// The method that is used.
    pub method: Method,
}

impl Takeover {
    /// Prepares what the user has asked for, for ranks on this host with these variables. What nobody has
    /// asked for is left out if it is not possible.
    pub fn of(
        arguments: &RunArguments,
        environment: &[(String, String)],
    ) -> Result<Option<Takeover>, Failure> {
        let prepare = |facade| Takeover::prepare(facade, &arguments.command[0], environment, arguments.by);
        Takeover::if_possible(arguments.facade().map(prepare), arguments.facade_is_implied)
    }

    /// Leaves out what was not possible, if it `is_implied`.
    pub fn if_possible(
        prepared: Option<Result<Takeover, Failure>>,
        is_implied: bool,
    ) -> Result<Option<Takeover>, Failure> {
        prepared.transpose().or_else(|failure| if is_implied { Ok(None) } else { Err(failure) })
    }

    /// Prepares the given method, or the one that fits the program if the user has named none.
    pub fn prepare(
        facade: Facade,
        command: &std::ffi::OsStr,
        environment: &[(String, String)],
        wanted: Option<Method>,
    ) -> Result<Takeover, Failure> {
        let wrong = |text: String| Failure { code: 1, text: format!("--as {}: {text}", facade.word()) };
        let files = FacadeFiles::find(facade).map_err(wrong)?;
        let program = method::program(command, environment);
        let method = method::choose(facade, program.as_ref(), wanted).map_err(wrong)?;
        let before = |name: &str| method::held(environment, name);
        let mut variables = method::variables(method, &files, before);
        let reports = UsageReports::open(files)
            .map_err(|error| wrong(format!("cannot listen to the ranks: {error}")))?;
        variables.push(reports.variable());
        Ok(Takeover { environment: variables, reports, method })
    }
}

/// What to do about a report.
#[derive(Debug, PartialEq, Eq)]
pub enum CheckAction {
    /// Print a line.
    Log(String),
    /// End the job.
    EndJob(String),
}

/// Checks which NCCL or MPI a job uses. Without `--as` it accepts any.
pub struct UsageCheck {
    facade: Option<Facade>,
    /// The method that the user insists on.
    wanted: Option<Method>,
    /// Whether nobody has asked for ours.
    is_implied: bool,
    /// Whether JAX is to call MPI.
    is_for_jax: bool,
    is_in_use: bool,
    /// Whether a rank has loaded our library, for whatever reason.
    is_loaded: bool,
    /// A foreign library that was seen next to ours.
    beside: Option<String>,
}

impl UsageCheck {
    /// The check for a job with these arguments.
    pub fn new(arguments: &RunArguments) -> UsageCheck {
        let is_for_jax = arguments.stand_in == Some(StandIn::Jax);
        let is_implied = arguments.facade_is_implied;
        UsageCheck { is_implied, is_for_jax, ..UsageCheck::of(arguments.facade(), arguments.by) }
    }

    fn of(facade: Option<Facade>, wanted: Option<Method>) -> UsageCheck {
        UsageCheck {
            facade,
            wanted,
            is_implied: false,
            is_for_jax: false,
            is_in_use: false,
            is_loaded: false,
            beside: None,
        }
    }

    /// Handles a report from a host where `method` is in use.
    pub fn accept_report(&mut self, report: &UsageReport, method: Method) -> Option<CheckAction> {
        let facade = self.facade?;
        // A preloaded library is loaded by every program, so only a call means use. MPI is in use only after
        // MPI_Init.
        let loading_tells = method != Method::Preload && facade != Facade::Mpi;
        self.is_loaded |= matches!(report.usage, Usage::OursLoaded | Usage::OursUsed);
        match report.usage {
            Usage::OursLoaded if !loading_tells => None,
            Usage::OursLoaded | Usage::OursUsed if self.is_in_use => None,
            Usage::OursLoaded | Usage::OursUsed => {
                self.is_in_use = true;
                if self.is_implied {
                    return None;
                }
                let UsageReport { who, user, library, .. } = report;
                let (by, name) = (method.name(), facade.name());
                Some(CheckAction::Log(format!("{name} is anyccl in {who}, {user}: {library}, by {by}")))
            }
            Usage::OtherLoaded if method == Method::Preload => {
                self.beside.get_or_insert_with(|| report.library.clone());
                None
            }
            Usage::OtherLoaded | Usage::OtherUsed => {
                Some(CheckAction::EndJob(self.wrong(facade, report, method)))
            }
        }
    }

    fn wrong(&self, facade: Facade, report: &UsageReport, method: Method) -> String {
        let UsageReport { who, library, user, .. } = report;
        let what = match (facade, method, self.wanted) {
            (Facade::Nccl, Method::Audit, _) => {
                "Has the program set LD_AUDIT by itself? Then try --by preload".into()
            }
            (Facade::Mpi, Method::Audit, _) => {
                "Has the program set LD_AUDIT by itself? Then try --by path".into()
            }
            (_, _, Some(_)) => {
                "It cannot be reached by this method: leave --by out, or try --by audit".into()
            }
            (_, _, None) => {
                format!("It cannot be reached by this method: link it with {} of anyccl", facade.library())
            }
        };
        let what: String = what;
        let (by, name, word) = (method.name(), facade.name(), facade.word());
        let without = if self.is_implied { ", or start it as it is with -as none" } else { "" };
        format!(
            "{who} has another {name}, {library}, for {user}; the job was ended (--as {word}, by {by}). {what}{without}"
        )
    }

    /// The remark at the end of a job that succeeded.
    pub fn last_word(&self) -> Option<LastWord> {
        let facade = self.facade.filter(|_| !self.is_in_use && !self.is_implied)?;
        let name = facade.name();
        let text = match (&self.beside, self.is_loaded) {
            (Some(other), _) => format!(
                "anyccl was never called as {name}, and {other} was loaded beside it: if the program opens that by its \
                 path, use --by audit"
            ),
            (None, true) => match facade {
                Facade::Nccl => "anyccl was loaded as NCCL, and never called".into(),
                Facade::Mpi => "anyccl was loaded as MPI, and nobody has called MPI_Init".into(),
            },
            (None, false) if self.is_for_jax => {
                "JAX has not called anyccl: the script sets jax_cpu_collectives_implementation to \
                 something else, or makes no collective call between processes"
                    .into()
            }
            (None, false) => format!(
                "nobody has loaded an {name}: the program uses none, or has it linked into itself, where it cannot be \
                 replaced"
            ),
        };
        // Ranks without a common MPI are separate programs.
        let code = u8::from(facade == Facade::Mpi && !self.is_loaded);
        Some(LastWord { text, code })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(usage: Usage) -> UsageReport {
        let library = match usage {
            Usage::OursLoaded | Usage::OursUsed => "/ours/libnccl.so.2",
            Usage::OtherLoaded | Usage::OtherUsed => "/theirs/libnccl.so.2",
        };
        UsageReport { usage, who: "rank 0 (pid 7)".into(), library: library.into(), user: "/bin/x".into() }
    }

    fn accept_report(check: &mut UsageCheck, method: Method, usage: Usage) -> Option<CheckAction> {
        check.accept_report(&report(usage), method)
    }

    #[test]
    fn a_job_for_jax_without_a_call_fails_with_what_to_look_at() {
        let check = UsageCheck { is_for_jax: true, ..UsageCheck::of(Some(Facade::Mpi), None) };
        let word = check.last_word().unwrap();
        assert!(word.code == 1 && word.text.contains("jax_cpu_collectives_implementation"), "{}", word.text);
    }

    #[test]
    fn ours_is_said_to_be_in_use_once() {
        for method in [Method::Audit, Method::Overlay] {
            let mut check = UsageCheck::of(Some(Facade::Nccl), None);
            let first = accept_report(&mut check, method, Usage::OursLoaded);
            assert!(matches!(first, Some(CheckAction::Log(line)) if line.contains("/ours/libnccl.so.2")));
            assert_eq!(accept_report(&mut check, method, Usage::OursUsed), None);
            assert_eq!(check.last_word(), None);
        }
    }

    #[test]
    fn a_preloaded_library_is_in_use_only_after_its_first_call() {
        let mut check = UsageCheck::of(Some(Facade::Nccl), None);
        assert_eq!(accept_report(&mut check, Method::Preload, Usage::OursLoaded), None);
        assert!(check.last_word().unwrap().text.contains("never called"));
        assert!(matches!(
            accept_report(&mut check, Method::Preload, Usage::OursUsed),
            Some(CheckAction::Log(_))
        ));
        assert_eq!(check.last_word(), None);
    }

    #[test]
    fn another_nccl_ends_the_job_even_when_ours_was_in_use_before() {
        for method in [Method::Audit, Method::Overlay] {
            for usage in [Usage::OtherLoaded, Usage::OtherUsed] {
                let mut check = UsageCheck::of(Some(Facade::Nccl), Some(method));
                accept_report(&mut check, method, Usage::OursUsed);
                let Some(CheckAction::EndJob(why)) = accept_report(&mut check, method, usage) else {
                    panic!("it went on")
                };
                assert!(why.contains("/theirs/libnccl.so.2") && why.contains("--by"), "{why}");
            }
        }
    }

    #[test]
    fn beside_a_preloaded_one_another_may_lie_as_long_as_nobody_uses_it() {
        let mut check = UsageCheck::of(Some(Facade::Nccl), Some(Method::Preload));
        assert_eq!(accept_report(&mut check, Method::Preload, Usage::OursLoaded), None);
        assert_eq!(accept_report(&mut check, Method::Preload, Usage::OtherLoaded), None);
        assert!(check.last_word().unwrap().text.contains("/theirs/libnccl.so.2"));
        assert!(matches!(
            accept_report(&mut check, Method::Preload, Usage::OtherUsed),
            Some(CheckAction::EndJob(_))
        ));
    }

    #[test]
    fn a_job_without_nccl_is_told_so_and_one_that_was_not_asked_is_not() {
        assert!(
            UsageCheck::of(Some(Facade::Nccl), None)
                .last_word()
                .unwrap()
                .text
                .contains("nobody has loaded an NCCL")
        );
        assert_eq!(UsageCheck::of(None, None).last_word(), None);
    }
    #[test]
    fn mpi_is_in_use_when_it_is_begun_and_a_job_that_loads_none_has_failed() {
        let mut check = UsageCheck::of(Some(Facade::Mpi), None);
        assert_eq!(check.last_word().unwrap().code, 1);
        assert_eq!(accept_report(&mut check, Method::Audit, Usage::OursLoaded), None);
        let word = check.last_word().unwrap();
        assert!(word.code == 0 && word.text.contains("MPI_Init"), "{word:?}");
        assert!(matches!(
            accept_report(&mut check, Method::Audit, Usage::OursUsed),
            Some(CheckAction::Log(line)) if line.starts_with("MPI is anyccl in rank 0")
        ));
        assert_eq!(check.last_word(), None);
    }

    #[test]
    fn where_nobody_has_asked_for_mpi_nothing_is_said_unless_another_one_is_loaded() {
        let mut check = UsageCheck { is_implied: true, ..UsageCheck::of(Some(Facade::Mpi), None) };
        assert_eq!(check.last_word(), None);
        assert_eq!(accept_report(&mut check, Method::Audit, Usage::OursUsed), None);
        let Some(CheckAction::EndJob(why)) = accept_report(&mut check, Method::Audit, Usage::OtherLoaded)
        else {
            panic!("it went on")
        };
        assert!(why.contains("-as none"), "{why}");
    }
}
