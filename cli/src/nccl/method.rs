//! How our library gets into a program, and the variables for it.
//!
//! | method | reaches | does not reach |
//! | --- | --- | --- |
//! | audit | whoever asks glibc's loader for libnccl.so.2, by name or path | other C libraries |
//! | preload | programs that are linked with it, also those with an RPATH | who opens another by its path |
//! | overlay | PyTorch, which looks for it on Python's path | everything else |
//!
//! None reaches a program with NCCL linked into it. With each, the audit library comes along and reports who
//! gets an NCCL that is not ours.

use std::ffi::OsStr;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::files::NcclFiles;
use super::program::{Loader, Program};

/// A way in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub enum Method {
    /// LD_PRELOAD: our functions come before those of other libraries
    Preload,
    /// PYTHONPATH: PyTorch finds ours before its own
    Overlay,
    /// LD_AUDIT: the loader takes ours whoever asks for NCCL
    Audit,
}

impl Method {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Method::Preload => "preload",
            Method::Overlay => "overlay",
            Method::Audit => "audit",
        }
    }
}

/// The method that fits a program, or why `wanted`, or any, does not. Of a program that nobody knows, nothing
/// is said.
pub fn choose(program: Option<&Program>, wanted: Option<Method>) -> Result<Method, String> {
    let Some(program) = program else { return Ok(wanted.unwrap_or(Method::Audit)) };
    let file = program.file.display();
    let heeds_loader = !program.is_privileged;
    match (&program.loader, wanted) {
        (Loader::None, _) => Err(format!(
            "{file} is linked statically: no library can be put in the place of what is in it. Link it with \
             libnccl.so.2 as a shared library"
        )),
        (Loader::Narrow, _) => Err(format!("{file} is a 32-bit program: libnccl.so.2 is for 64 bits")),
        (_, Some(Method::Overlay)) => Ok(Method::Overlay),
        (_, None) if !heeds_loader && program.is_python => Ok(Method::Overlay),
        _ if !heeds_loader => Err(format!(
            "{file} gets rights from its file (setuid, setgid or capabilities), so the loader heeds neither LD_PRELOAD \
             nor LD_AUDIT. Start it without them, or link it with libnccl.so.2 of anyccl"
        )),
        (Loader::Other(loader), Some(Method::Audit)) => {
            Err(format!("the loader of {file}, {loader}, knows no audit libraries: use --nccl-by preload"))
        }
        (Loader::Other(_), _) => Ok(Method::Preload),
        (Loader::Gnu, wanted) => Ok(wanted.unwrap_or(Method::Audit)),
    }
}

/// The variables for a method. What they hold so far, by `before`, stays behind what is new.
pub fn variables(
    method: Method,
    files: &NcclFiles,
    before: impl Fn(&str) -> Option<String>,
) -> Vec<(String, String)> {
    let in_front = |name: &str, path: &str| {
        let rest = before(name).filter(|rest| !rest.is_empty());
        let value = rest.map_or_else(|| path.to_string(), |rest| format!("{path}:{rest}"));
        (name.to_string(), value)
    };
    let mode = match method {
        Method::Audit => "take",
        Method::Preload => "watch",
        Method::Overlay => "only",
    };
    let mut variables = vec![in_front("LD_AUDIT", &files.audit), ("ANYCCL_NCCL_AUDIT".into(), mode.into())];
    match method {
        Method::Audit => {}
        Method::Preload => variables.push(in_front("LD_PRELOAD", &files.library)),
        Method::Overlay => variables.push(in_front("PYTHONPATH", &files.overlay)),
    }
    variables
}

/// What a variable holds for a rank: the user's word for it, else this process's own.
pub fn held(environment: &[(String, String)], name: &str) -> Option<String> {
    let own = || std::env::var(name).ok();
    environment.iter().rev().find(|(set, _)| set == name).map(|(_, value)| value.clone()).or_else(own)
}

/// The program of a command, as it would be found with this environment.
pub fn program(command: &OsStr, environment: &[(String, String)]) -> Option<Program> {
    Program::of(command, held(environment, "PATH").as_deref().map(OsStr::new))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(loader: Loader) -> Program {
        Program { file: "/bin/x".into(), loader, is_privileged: false, is_python: false }
    }

    #[test]
    fn a_program_of_glibc_gets_the_audit_library_unless_the_user_insists() {
        let gnu = program(Loader::Gnu);
        assert_eq!(choose(Some(&gnu), None), Ok(Method::Audit));
        for method in [Method::Audit, Method::Preload, Method::Overlay] {
            assert_eq!(choose(Some(&gnu), Some(method)), Ok(method));
        }
    }

    #[test]
    fn another_loader_is_preloaded_and_cannot_be_audited() {
        let musl = program(Loader::Other("/lib/ld-musl-x86_64.so.1".into()));
        assert_eq!(choose(Some(&musl), None), Ok(Method::Preload));
        assert!(choose(Some(&musl), Some(Method::Audit)).unwrap_err().contains("--nccl-by preload"));
    }

    #[test]
    fn what_no_method_reaches_is_refused_whatever_the_user_wants() {
        for wanted in [None, Some(Method::Audit), Some(Method::Preload), Some(Method::Overlay)] {
            assert!(choose(Some(&program(Loader::None)), wanted).unwrap_err().contains("statically"));
            assert!(choose(Some(&program(Loader::Narrow)), wanted).unwrap_err().contains("32-bit"));
        }
    }

    #[test]
    fn a_program_with_rights_of_its_own_is_refused_and_python_gets_the_overlay() {
        let setuid = Program { is_privileged: true, ..program(Loader::Gnu) };
        let python = Program { is_python: true, ..setuid.clone() };
        assert!(choose(Some(&setuid), None).unwrap_err().contains("setuid"));
        assert!(choose(Some(&python), Some(Method::Preload)).unwrap_err().contains("setuid"));
        assert_eq!(choose(Some(&python), None), Ok(Method::Overlay));
    }

    #[test]
    fn what_a_variable_held_before_stays_in_it() {
        let files = NcclFiles { library: "/p/l.so".into(), audit: "/p/a.so".into(), overlay: "/p/o".into() };
        let before = |name: &str| (name == "PYTHONPATH").then(|| "/mine".to_string());
        let overlay = variables(Method::Overlay, &files, before);
        let pair = |name: &str, value: &str| (name.to_string(), value.to_string());
        assert!(overlay.contains(&pair("PYTHONPATH", "/p/o:/mine")), "{overlay:?}");
        assert!(overlay.contains(&pair("ANYCCL_NCCL_AUDIT", "only")), "{overlay:?}");
        let audit = variables(Method::Audit, &files, |_| None);
        assert_eq!(audit, [pair("LD_AUDIT", "/p/a.so"), pair("ANYCCL_NCCL_AUDIT", "take")]);
        let preload = variables(Method::Preload, &files, |_| Some(String::new()));
        assert!(preload.contains(&pair("LD_PRELOAD", "/p/l.so")), "{preload:?}");
    }
}
