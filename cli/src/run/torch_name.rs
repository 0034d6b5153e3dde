//! `--as gloo`: the groups that PyTorch makes by the name "gloo" are anyccl's.
//!
//! The ranks get a variable, which the Python package of anyccl heeds when torch imports it. If the command
//! is Python's, that Python is asked first whether its packages can serve the name, so that no job runs on
//! gloo unnoticed. A command that starts Python later, such as a shell script, cannot be asked.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

use crate::facade::method;
use crate::facade::method::Method;
use crate::failure::Failure;

/// Prints why the name cannot be served, and fails. Otherwise prints nothing.
const QUESTION: &str = "\
import sys
try:
    from anyccl.as_gloo import refusal
except ImportError:
    sys.exit(f'{sys.executable} has no package anyccl that serves it: pip install anyccl[torch]')
sys.exit(refusal())
";

/// The variable for the ranks.
pub fn variable() -> (String, String) {
    ("ANYCCL_TORCH_AS".into(), "gloo".into())
}

/// Checks that ranks of this host can be served.
pub fn check(command: &OsStr, environment: &[(String, String)], by: Option<Method>) -> Result<(), Failure> {
    let wrong = |code, why: &str| Err(Failure { code, text: format!("--as gloo: {why}") });
    if by.is_some() {
        return wrong(2, "--by is for nccl and mpi: torch imports the package of anyccl by itself");
    }
    let Some(python) = method::program(command, environment).filter(|program| program.is_python) else {
        return Ok(());
    };
    let mut question = Command::new(&python.file);
    question.args(["-c", QUESTION]).envs(environment.iter().cloned()).stdin(Stdio::null());
    match question.output() {
        Ok(answer) if !answer.status.success() => {
            let text = String::from_utf8_lossy(&answer.stderr);
            wrong(1, text.trim_end().lines().next_back().unwrap_or("its Python has failed"))
        }
        // A Python that cannot be started fails as a rank, which has more to say.
        _ => Ok(()),
    }
}
