//! `--as nccl`: the ranks get anyccl where they ask for NCCL, or the job ends.
//!
//! [`Takeover`] is the setting up on one host: variables for the ranks, and a socket for their reports.
//! The reports come to the job through its crew, and [`UsageCheck`] says what they mean: one line when ours
//! is in use, a reason to end the job when another is, and a last word where nobody can tell.

use super::arguments::{Facade, RunArguments};
use crate::Failure;
use crate::nccl::files::NcclFiles;
use crate::nccl::method::{self, Method};
use crate::nccl::usage::{Usage, UsageReport, UsageReports};

/// What ranks of this host are started with.
pub struct Takeover {
    /// Variables for the ranks.
    pub environment: Vec<(String, String)>,
    /// Their reports.
    pub reports: UsageReports,
    /// How it is done.
    pub method: Method,
}

impl Takeover {
    /// What the user has asked for, for ranks on this host.
    pub fn of(arguments: &RunArguments) -> Result<Option<Takeover>, Failure> {
        match arguments.facade {
            None => Ok(None),
            Some(Facade::Nccl) => {
                Takeover::prepare(&arguments.command[0], &arguments.env, arguments.nccl_by).map(Some)
            }
        }
    }

    /// Finds the method that fits, unless the user has said it, and prepares it.
    pub fn prepare(
        command: &std::ffi::OsStr,
        environment: &[(String, String)],
        wanted: Option<Method>,
    ) -> Result<Takeover, Failure> {
        let wrong = |text: String| Failure { code: 1, text: format!("--as nccl: {text}") };
        let files = NcclFiles::find().map_err(wrong)?;
        let program = method::program(command, environment);
        let method = method::choose(program.as_ref(), wanted).map_err(wrong)?;
        let before = |name: &str| method::held(environment, name);
        let mut variables = method::variables(method, &files, before);
        let reports = UsageReports::open(files)
            .map_err(|error| wrong(format!("cannot listen to the ranks: {error}")))?;
        variables.push(reports.variable());
        Ok(Takeover { environment: variables, reports, method })
    }
}

/// What a report means for the job.
#[derive(Debug, PartialEq, Eq)]
pub enum CheckAction {
    /// Worth a line.
    Log(String),
    /// The job must not go on.
    EndJob(String),
}

/// Checks which NCCL a job uses. Without `--as nccl` it accepts any.
pub struct UsageCheck {
    is_asked: bool,
    /// The method that the user insists on.
    wanted: Option<Method>,
    is_in_use: bool,
    /// A rank has loaded ours, whatever for.
    is_loaded: bool,
    /// Another NCCL that was seen beside ours.
    beside: Option<String>,
}

impl UsageCheck {
    /// For a job with these arguments.
    pub fn new(arguments: &RunArguments) -> UsageCheck {
        UsageCheck::of(arguments.facade.is_some(), arguments.nccl_by)
    }

    fn of(is_asked: bool, wanted: Option<Method>) -> UsageCheck {
        UsageCheck { is_asked, wanted, is_in_use: false, is_loaded: false, beside: None }
    }

    /// What follows from something that was seen where `method` is in place.
    pub fn accept_report(&mut self, report: &UsageReport, method: Method) -> Option<CheckAction> {
        // What was preloaded is loaded by every program; only a call says something.
        let loading_tells = method != Method::Preload;
        self.is_loaded |= matches!(report.usage, Usage::OursLoaded | Usage::OursUsed);
        match report.usage {
            Usage::OursLoaded if !loading_tells => None,
            Usage::OursLoaded | Usage::OursUsed if self.is_in_use => None,
            Usage::OursLoaded | Usage::OursUsed => {
                self.is_in_use = true;
                let UsageReport { who, user, library, .. } = report;
                let by = method.name();
                Some(CheckAction::Log(format!("NCCL is anyccl in {who}, {user}: {library}, by {by}")))
            }
            Usage::OtherLoaded if !loading_tells => {
                self.beside.get_or_insert_with(|| report.library.clone());
                None
            }
            Usage::OtherLoaded | Usage::OtherUsed => Some(CheckAction::EndJob(self.wrong(report, method))),
        }
    }

    fn wrong(&self, UsageReport { who, library, user, .. }: &UsageReport, method: Method) -> String {
        let what = match (method, self.wanted) {
            (Method::Audit, _) => "Has the program set LD_AUDIT by itself? Then try --nccl-by preload",
            (_, Some(_)) => {
                "It cannot be reached by this method: leave --nccl-by out, or try --nccl-by audit"
            }
            (_, None) => "It cannot be reached by this method: link it with libnccl.so.2 of anyccl",
        };
        let by = method.name();
        format!(
            "{who} has another NCCL, {library}, for {user}; the job was ended (--as nccl, by {by}). {what}"
        )
    }

    /// What is to be said of a job that has gone well.
    pub fn last_word(&self) -> Option<String> {
        if !self.is_asked || self.is_in_use {
            return None;
        }
        Some(match (&self.beside, self.is_loaded) {
            (Some(other), _) => format!(
                "anyccl was never called as NCCL, and {other} was loaded beside it: if the program opens that by its path, \
                 use --nccl-by audit"
            ),
            (None, true) => "anyccl was loaded as NCCL, and never called".into(),
            (None, false) => {
                "nobody has loaded an NCCL: the program uses none, or has it linked into itself, where it \
                              cannot be replaced"
                    .into()
            }
        })
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
    fn ours_is_said_to_be_in_use_once() {
        for method in [Method::Audit, Method::Overlay] {
            let mut check = UsageCheck::of(true, None);
            let first = accept_report(&mut check, method, Usage::OursLoaded);
            assert!(matches!(first, Some(CheckAction::Log(line)) if line.contains("/ours/libnccl.so.2")));
            assert_eq!(accept_report(&mut check, method, Usage::OursUsed), None);
            assert_eq!(check.last_word(), None);
        }
    }

    #[test]
    fn what_was_preloaded_is_in_use_when_it_is_called_and_not_before() {
        let mut check = UsageCheck::of(true, None);
        assert_eq!(accept_report(&mut check, Method::Preload, Usage::OursLoaded), None);
        assert!(check.last_word().unwrap().contains("never called"));
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
                let mut check = UsageCheck::of(true, Some(method));
                accept_report(&mut check, method, Usage::OursUsed);
                let Some(CheckAction::EndJob(why)) = accept_report(&mut check, method, usage) else {
                    panic!("it went on")
                };
                assert!(why.contains("/theirs/libnccl.so.2") && why.contains("--nccl-by"), "{why}");
            }
        }
    }

    #[test]
    fn beside_a_preloaded_one_another_may_lie_as_long_as_nobody_uses_it() {
        let mut check = UsageCheck::of(true, Some(Method::Preload));
        assert_eq!(accept_report(&mut check, Method::Preload, Usage::OursLoaded), None);
        assert_eq!(accept_report(&mut check, Method::Preload, Usage::OtherLoaded), None);
        assert!(check.last_word().unwrap().contains("/theirs/libnccl.so.2"));
        assert!(matches!(
            accept_report(&mut check, Method::Preload, Usage::OtherUsed),
            Some(CheckAction::EndJob(_))
        ));
    }

    #[test]
    fn a_job_without_nccl_is_told_so_and_one_that_was_not_asked_is_not() {
        assert!(UsageCheck::of(true, None).last_word().unwrap().contains("nobody has loaded an NCCL"));
        assert_eq!(UsageCheck::of(false, None).last_word(), None);
    }
}
