//! Runs cargo and other programs.

use std::path::PathBuf;
use std::process::Command;

use crate::result::Result;
use crate::workspace;

/// A call of the cargo that runs this task, in the root of the workspace.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(workspace::root());
    command
}

/// Runs a program to its end. Any exit status but success is an error.
pub fn run(command: &mut Command) -> Result {
    let status = command.status().map_err(|error| format!("{command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}").into()) }
}

/// Runs a program and returns what it prints.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{command:?}: {}\n{text}", output.status).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Builds the programs and libraries of the workspace for tests. Returns the folder where cargo puts them.
///
/// The alias in .cargo/config.toml selects the same features as the tests do. Of one package alone, cargo
/// would build the engine once more, with the features that this package needs.
///
/// `ANYCCL_TEST_BUILT` says that all is built: cargo would wait for another one that runs.
pub fn build_for_tests() -> Result<PathBuf> {
    if std::env::var_os("ANYCCL_TEST_BUILT").is_none() {
        run(&mut cargo(&["build-all"]))?;
    }
    Ok(workspace::target().join("debug"))
}

/// A call of cargo build for what users get. Messages and debug information do not tell where it was built,
/// and two clones in different folders give the same files. Flags of the user's own are stronger.
pub fn build_command(packages: &[&str], profile: &str) -> Command {
    let mut command = cargo(&["build", "--profile", profile]);
    for package in packages {
        command.args(["--package", package]);
    }
    let flags = build_places().map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display()));
    command.env("CARGO_BUILD_RUSTFLAGS", flags.join(" "));
    command
}

/// The folders where sources lie during a build, and how the result names them.
fn build_places() -> [(PathBuf, &'static str); 2] {
    let home = std::env::var_os("HOME").map_or_else(PathBuf::new, PathBuf::from);
    let cargo = std::env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
    [(cargo, "/cargo"), (workspace::root().to_path_buf(), "/anyccl")]
}

/// Fails if a file contains the path of a folder where sources lay.
pub fn check_no_build_places(files: &[PathBuf]) -> Result {
    for file in files {
        let bytes = std::fs::read(file)?;
        for (place, _) in build_places() {
            let place = place.display().to_string();
            if bytes.windows(place.len()).any(|window| window == place.as_bytes()) {
                return Err(format!("{} contains {place}", file.display()).into());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_users_get_does_not_name_the_folders_of_the_build() {
        let command = build_command(&["anyccl-cli"], "release");
        let (_, flags) = command.get_envs().find(|(name, _)| *name == "CARGO_BUILD_RUSTFLAGS").unwrap();
        let flags = flags.unwrap().to_string_lossy().into_owned();
        assert!(flags.contains(&format!("--remap-path-prefix={}=/anyccl", workspace::root().display())));
        assert!(flags.contains("=/cargo"), "{flags}");

        let file = std::env::temp_dir().join(format!("anyccl-build-places-{}", std::process::id()));
        for (text, is_right) in
            [("/anyccl/src/lib.rs".to_string(), true), (workspace::root().display().to_string(), false)]
        {
            std::fs::write(&file, text).unwrap();
            assert_eq!(check_no_build_places(std::slice::from_ref(&file)).is_ok(), is_right);
        }
        std::fs::remove_file(file).unwrap();
    }
}
