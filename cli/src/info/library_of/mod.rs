//! `anyccl info --nccl-of COMMAND` and `--mpi-of COMMAND`: which NCCL or MPI the processes of a command get.
//!
//! The command is started with the audit library in its loader (`abi/audit`, mode `probe`). The first process
//! that gets a function of such a library stops at that moment, before it can call it, and reports where the
//! function comes from. Then the whole command is ended. A program that is linked with the library does not
//! even reach its `main`. A program that loads it later, such as Python, runs until then: up to its import of
//! PyTorch, for example. The deadline covers programs that never load it. [`probe`] starts the command and
//! listens, [`version`] asks the library that was found.
//!
//! The alternative, `LD_DEBUG=bindings`, prints some hundred thousand lines and cannot stop the program.

mod probe;
mod version;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::facade::Facade;
use crate::facade::files::FacadeFiles;
use crate::facade::method;
use crate::facade::program::Loader;
use crate::facade::usage::{Usage, UsageReport};
use crate::failure::Failure;
use crate::output;
use probe::{How, ProbeResult};

/// Prints the answer.
pub fn library_of(
    facade: Facade,
    command: &[OsString],
    deadline: Duration,
    as_json: bool,
) -> Result<u8, Failure> {
    let name = facade.name();
    let files = FacadeFiles::find(facade).map_err(Failure::own)?;
    if let Some(program) = method::program(&command[0], &[]) {
        let file = program.file.display();
        let why = match program.loader {
            Loader::None => {
                format!("is linked statically: it has the {name} that was linked into it, or none")
            }
            Loader::Narrow => "is a 32-bit program; anyccl is for 64 bits".into(),
            Loader::Other(loader) => format!("is loaded by {loader}, which tells nothing: only glibc's does"),
            Loader::Gnu if program.is_privileged => {
                "gets rights from its file (setuid, setgid or capabilities): its loader tells nothing".into()
            }
            Loader::Gnu => String::new(),
        };
        if !why.is_empty() {
            let remark = format!("{file} {why}");
            return tell(&Answer { report: None, version: None, abi: None, remark }, as_json);
        }
    }
    let answer = Answer::of(facade, probe::probe(command, &files, deadline)?);
    tell(&answer, as_json)
}

/// The result that is printed.
struct Answer {
    report: Option<UsageReport>,
    version: Option<String>,
    /// The ABI, if it is an MPI.
    abi: Option<&'static str>,
    /// How the library was found, or why it was not.
    remark: String,
}

impl Answer {
    fn of(facade: Facade, ProbeResult { report, how }: ProbeResult) -> Answer {
        let name = facade.name();
        let remark = match (&how, &report) {
            (How::Bound, _) => "stopped before the first call".into(),
            (How::Ended(code), None) => format!("no {name} was loaded; the command ended, code {code}"),
            (How::Ended(code), Some(_)) => {
                format!("loaded, and nobody asked for a function; the command ended, code {code}")
            }
            (How::TooLong(limit), None) => {
                format!("no {name} was loaded within {} s; the command was ended", limit.as_secs_f64())
            }
            (How::TooLong(limit), Some(_)) => {
                let limit = limit.as_secs_f64();
                format!("loaded, and nobody asked for a function within {limit} s; the command was ended")
            }
        };
        let library = report.as_ref().map(|found| Path::new(&found.library));
        let (version, abi) = match facade {
            Facade::Nccl => (library.and_then(version::of_nccl), None),
            Facade::Mpi => {
                library.and_then(version::of_mpi).map_or((None, None), |(version, abi)| (version, Some(abi)))
            }
        };
        Answer { report, version, abi, remark }
    }
}

fn tell(answer: &Answer, as_json: bool) -> Result<u8, Failure> {
    if as_json { output::say_json(&object(answer)) } else { output::say(&layout(answer)) }
}

fn is_ours(report: &UsageReport) -> bool {
    matches!(report.usage, Usage::OursLoaded | Usage::OursUsed)
}

/// The answer as JSON. The keys are stable.
fn object(Answer { report, version, abi, remark }: &Answer) -> Value {
    let mut object = json!({
        "library": report.as_ref().map(|found| &found.library),
        "version": version,
        "anyccl": report.as_ref().map(is_ours),
        "process": report.as_ref().map(|found| &found.who),
        "user": report.as_ref().map(|found| &found.user),
        "remark": remark,
    });
    if let Some(abi) = abi {
        object["abi"] = json!(abi);
    }
    object
}

fn layout(Answer { report, version, abi, remark }: &Answer) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:9} {value}");
    };
    if let Some(found) = report {
        line("library", &found.library);
        line("version", version.as_deref().unwrap_or("it does not tell"));
        if let Some(abi) = abi {
            line("ABI", abi);
        }
        line("anyccl", if is_ours(found) { "yes" } else { "no" });
        line("user", &format!("{}, in {}", found.user, found.who));
    } else {
        line("library", "none");
    }
    line("remark", remark);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_tell_path_version_and_whether_it_is_ours() {
        let report = UsageReport {
            usage: Usage::OtherUsed,
            who: "process 7".into(),
            library: "/x/libnccl.so.2".into(),
            user: "/x/libtorch_cuda.so".into(),
        };
        let found = ProbeResult { report: Some(report), how: How::Bound };
        let answer = Answer { version: Some("2.30.7".into()), ..Answer::of(Facade::Nccl, found) };
        let object = object(&answer);
        assert_eq!((&object["library"], &object["anyccl"]), (&json!("/x/libnccl.so.2"), &json!(false)));
        let text = layout(&answer);
        for part in
            ["library   /x/libnccl.so.2\n", "version   2.30.7\n", "anyccl    no\n", "libtorch_cuda.so, in"]
        {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn the_answer_says_that_no_library_was_seen() {
        let ended = Answer::of(Facade::Nccl, ProbeResult { report: None, how: How::Ended(3) });
        assert_eq!(object(&ended)["library"], Value::Null);
        assert!(layout(&ended).contains("the command ended, code 3"));
        let late = Answer::of(
            Facade::Nccl,
            ProbeResult { report: None, how: How::TooLong(Duration::from_millis(1500)) },
        );
        assert!(layout(&late).contains("within 1.5 s"));
    }
}
