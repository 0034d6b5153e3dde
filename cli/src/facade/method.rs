//! Methods to get our libraries into a program, and the variables for each.
//!
//! | method | for | reaches | does not reach |
//! | --- | --- | --- | --- |
//! | audit | both | every request to glibc's loader, by name or path | other C libraries |
//! | preload | NCCL | programs that are linked with it | programs that open another by its path |
//! | overlay | NCCL | PyTorch, which looks for it on Python's path | everything else |
//! | path | MPI | programs without an RPATH, and mpi4py | programs that open another by its path |
//!
//! No method reaches a program with NCCL or MPI linked into it. MPI is never preloaded, because there are two
//! libraries for two ABIs with the same functions. With each method, the audit library is loaded as well, and
//! reports every process that gets a foreign library.

use std::ffi::OsStr;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::Facade;
use super::files::FacadeFiles;
use super::program::{Loader, Program};

/// A method to get our libraries into a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub enum Method {
    /// LD_PRELOAD: our functions come before those of other libraries (NCCL)
    Preload,
    /// PYTHONPATH: PyTorch finds ours before its own (NCCL)
    Overlay,
    /// LD_LIBRARY_PATH and MPI4PY_LIBMPI: ours are found before others (MPI)
    Path,
    /// LD_AUDIT: the loader gives ours to every program that asks
    Audit,
}

impl Method {
    /// Name of the method on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Method::Preload => "preload",
            Method::Overlay => "overlay",
            Method::Path => "path",
            Method::Audit => "audit",
        }
    }

    fn is_for(self, facade: Facade) -> bool {
        match self {
            Method::Audit => true,
            Method::Preload | Method::Overlay => facade == Facade::Nccl,
            Method::Path => facade == Facade::Mpi,
        }
    }

    /// The method for a program whose loader is not glibc's.
    fn without_audit(facade: Facade) -> Method {
        match facade {
            Facade::Nccl => Method::Preload,
            Facade::Mpi => Method::Path,
        }
    }

    /// The method for a Python whose loader ignores all variables.
    fn by_python(facade: Facade) -> Method {
        match facade {
            Facade::Nccl => Method::Overlay,
            Facade::Mpi => Method::Path,
        }
    }
}

/// The method that fits a program, or the reason why `wanted`, or every method, does not. An unknown program
/// is accepted.
pub fn choose(facade: Facade, program: Option<&Program>, wanted: Option<Method>) -> Result<Method, String> {
    if let Some(wanted) = wanted.filter(|wanted| !wanted.is_for(facade)) {
        let other = Method::without_audit(facade).name();
        return Err(format!("--by {} is not for {}: use audit, or {other}", wanted.name(), facade.name()));
    }
    let Some(program) = program else { return Ok(wanted.unwrap_or(Method::Audit)) };
    let (file, library) = (program.file.display(), facade.library());
    let heeds_loader = !program.is_privileged;
    let by_python = Method::by_python(facade);
    match (&program.loader, wanted) {
        (Loader::None, _) => Err(format!(
            "{file} is linked statically: no library can be put in the place of what is in it. Link it with \
             {library} as a shared library"
        )),
        (Loader::Narrow, _) => Err(format!("{file} is a 32-bit program: {library} is for 64 bits")),
        (_, Some(Method::Overlay)) => Ok(Method::Overlay),
        (_, None) if !heeds_loader && program.is_python => Ok(by_python),
        (_, Some(wanted)) if !heeds_loader && program.is_python && wanted == by_python => Ok(wanted),
        _ if !heeds_loader => Err(format!(
            "{file} gets rights from its file (setuid, setgid or capabilities), so the loader ignores variables such as \
             LD_AUDIT. Start it without them, or link it with {library} of anyccl"
        )),
        (Loader::Other(loader), Some(Method::Audit)) => Err(format!(
            "the loader of {file}, {loader}, knows no audit libraries: use --by {}",
            Method::without_audit(facade).name()
        )),
        (Loader::Other(_), _) => Ok(Method::without_audit(facade)),
        (Loader::Gnu, wanted) => Ok(wanted.unwrap_or(Method::Audit)),
    }
}

/// The variable that tells the audit library what to do.
pub fn mode_variable(facade: Facade) -> &'static str {
    match facade {
        Facade::Nccl => "ANYCCL_NCCL_AUDIT",
        Facade::Mpi => "ANYCCL_MPI_AUDIT",
    }
}

/// The variables for a method. Their present contents, from `before`, stay behind the new part.
pub fn variables(
    method: Method,
    files: &FacadeFiles,
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
        Method::Overlay | Method::Path => "only",
    };
    let mut variables =
        vec![in_front("LD_AUDIT", &files.audit), (mode_variable(files.facade).into(), mode.into())];
    match method {
        Method::Audit => {}
        Method::Preload => variables.push(in_front("LD_PRELOAD", &files.libraries[0])),
        Method::Overlay => {
            variables.extend(files.overlay.iter().map(|folder| in_front("PYTHONPATH", folder)));
        }
        Method::Path => {
            variables.push(in_front("LD_LIBRARY_PATH", &files.folder));
            variables.push(("MPI4PY_LIBMPI".into(), files.libraries[0].clone()));
        }
    }
    variables
}

/// The value of a variable on a rank: the one that the user gave, else this process's own.
pub fn held(environment: &[(String, String)], name: &str) -> Option<String> {
    let own = || std::env::var(name).ok();
    environment.iter().rev().find(|(set, _)| set == name).map(|(_, value)| value.clone()).or_else(own)
}

/// The program of a command, searched with this environment.
pub fn program(command: &OsStr, environment: &[(String, String)]) -> Option<Program> {
    Program::of(command, held(environment, "PATH").as_deref().map(OsStr::new))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(loader: Loader) -> Program {
        Program { file: "/bin/x".into(), loader, is_privileged: false, is_python: false }
    }

    fn files(facade: Facade) -> FacadeFiles {
        FacadeFiles {
            facade,
            folder: "/p".into(),
            libraries: vec!["/p/l.so".into()],
            audit: "/p/a.so".into(),
            overlay: Some("/p/o".into()),
        }
    }

    #[test]
    fn mpi_is_put_on_the_path_where_it_cannot_be_audited_and_is_never_preloaded() {
        let musl = program(Loader::Other("/lib/ld-musl-x86_64.so.1".into()));
        assert_eq!(choose(Facade::Mpi, Some(&musl), None), Ok(Method::Path));
        let error = choose(Facade::Mpi, None, Some(Method::Preload)).unwrap_err();
        assert!(error.contains("not for MPI") && error.contains("path"), "{error}");
        assert!(choose(Facade::Nccl, None, Some(Method::Path)).unwrap_err().contains("not for NCCL"));
        let before = |name: &str| (name == "LD_LIBRARY_PATH").then(|| "/mine".to_string());
        let path = variables(Method::Path, &files(Facade::Mpi), before);
        let pair = |name: &str, value: &str| (name.to_string(), value.to_string());
        for expected in [
            pair("LD_LIBRARY_PATH", "/p:/mine"),
            pair("MPI4PY_LIBMPI", "/p/l.so"),
            pair("ANYCCL_MPI_AUDIT", "only"),
        ] {
            assert!(path.contains(&expected), "{path:?}");
        }
    }

    #[test]
    fn a_program_of_glibc_gets_the_audit_library_unless_the_user_insists() {
        let gnu = program(Loader::Gnu);
        assert_eq!(choose(Facade::Nccl, Some(&gnu), None), Ok(Method::Audit));
        for method in [Method::Audit, Method::Preload, Method::Overlay] {
            assert_eq!(choose(Facade::Nccl, Some(&gnu), Some(method)), Ok(method));
        }
    }

    #[test]
    fn another_loader_is_preloaded_and_cannot_be_audited() {
        let musl = program(Loader::Other("/lib/ld-musl-x86_64.so.1".into()));
        assert_eq!(choose(Facade::Nccl, Some(&musl), None), Ok(Method::Preload));
        assert!(choose(Facade::Nccl, Some(&musl), Some(Method::Audit)).unwrap_err().contains("--by preload"));
    }

    #[test]
    fn a_program_that_no_method_reaches_is_refused_for_every_wish_of_the_user() {
        for wanted in [None, Some(Method::Audit), Some(Method::Preload), Some(Method::Overlay)] {
            assert!(
                choose(Facade::Nccl, Some(&program(Loader::None)), wanted)
                    .unwrap_err()
                    .contains("statically")
            );
            assert!(
                choose(Facade::Nccl, Some(&program(Loader::Narrow)), wanted).unwrap_err().contains("32-bit")
            );
        }
    }

    #[test]
    fn a_program_with_rights_of_its_own_is_refused_and_python_gets_the_overlay() {
        let setuid = Program { is_privileged: true, ..program(Loader::Gnu) };
        let python = Program { is_python: true, ..setuid.clone() };
        assert!(choose(Facade::Nccl, Some(&setuid), None).unwrap_err().contains("setuid"));
        assert!(choose(Facade::Nccl, Some(&python), Some(Method::Preload)).unwrap_err().contains("setuid"));
        assert_eq!(choose(Facade::Nccl, Some(&python), None), Ok(Method::Overlay));
    }

    #[test]
    fn a_variable_keeps_its_earlier_content() {
        let files = files(Facade::Nccl);
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
