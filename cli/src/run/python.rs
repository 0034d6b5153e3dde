//! Programs that are Python files: `anyccl run -n 4 script.py`.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The command, with Python in front of a script that the system could not execute by itself.
///
/// A script is a file whose name ends in `.py`, and that is not executable or is named without a slash.
pub fn with_interpreter(command: Vec<OsString>, python: &OsStr) -> Vec<OsString> {
    match command.first().is_some_and(|program| is_for_python(Path::new(program))) {
        true => std::iter::once(python.to_owned()).chain(command).collect(),
        false => command,
    }
}

fn is_for_python(program: &Path) -> bool {
    let Ok(metadata) = program.metadata() else { return false };
    let is_script = metadata.is_file() && program.extension().is_some_and(|extension| extension == "py");
    let is_executable = metadata.permissions().mode() & 0o111 != 0;
    is_script && !(is_executable && program.components().count() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn python_runs_a_script_that_is_not_executable_and_nothing_else() {
        let folder = std::env::temp_dir().join(format!("anyccl-python-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let script = folder.join("script.py");
        std::fs::write(&script, "").unwrap();
        let words = |program: &Path| vec![program.as_os_str().to_owned(), "x".into()];
        let python = OsStr::new("python3");
        assert_eq!(with_interpreter(words(&script), python)[0], "python3");
        assert_eq!(with_interpreter(words(&script), python).len(), 3);
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(with_interpreter(words(&script), python), words(&script));
        assert_eq!(with_interpreter(words(&folder.join("none.py")), python), words(&folder.join("none.py")));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
