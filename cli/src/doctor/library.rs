//! The library that is installed with this tool.

use std::path::PathBuf;
use std::time::Duration;

use super::finding::Finding;
use crate::sys::library::value_of;

/// The library, seen from the tool's own folder.
const BESIDE: &str = "../lib/libanyccl.so.0";
const PATIENCE: Duration = Duration::from_secs(5);

/// Whether the library beside this tool has the tool's version. This process must not have a second thread.
pub fn library() -> Finding {
    let own = std::env::current_exe().ok();
    let path = own.and_then(|tool| tool.parent()?.join(BESIDE).canonicalize().ok());
    let version = path.as_ref().map(|path| value_of(path, c"anyccl_version", PATIENCE).ok());
    judge(path, version.flatten())
}

fn judge(path: Option<PathBuf>, version: Option<i32>) -> Finding {
    const SUBJECT: &str = "library";
    let own = anyccl_engine::base::VERSION;
    let Some(path) = path else {
        return Finding::warning(
            SUBJECT,
            format!("there is none at {BESIDE}, seen from this tool {own}"),
            "make install, or use the tool of the installation that the program uses",
        );
    };
    let text = version.map(|v| format!("{}.{}.{}", v / 10_000, v / 100 % 100, v % 100));
    match text {
        Some(text) if text == own => Finding::good(SUBJECT, format!("{} {own}", path.display())),
        Some(text) => Finding::warning(
            SUBJECT,
            format!("{} is {text}, and this tool is {own}", path.display()),
            "install both from one release",
        ),
        None => Finding::bad(SUBJECT, format!("{} cannot be loaded", path.display()), "make install"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::State;
    use super::*;

    #[test]
    fn a_library_of_another_version_is_told() {
        let at = || Some(PathBuf::from("/usr/lib/libanyccl.so.0"));
        let [major, minor, patch]: [i32; 3] = std::array::from_fn(|at| {
            anyccl_engine::base::VERSION.split('.').nth(at).unwrap().parse().unwrap()
        });
        let number = 10_000 * major + 100 * minor + patch;
        assert_eq!(judge(at(), Some(number)).state, State::Good);
        assert!(judge(at(), Some(90_203)).found.contains("is 9.2.3"));
        assert_eq!(judge(at(), None).state, State::Bad);
        assert_eq!(judge(None, None).state, State::Warning);
    }
}
