//! Parts of a job: ranks that run the same command. `anyccl run` has one part; `anyccl-mpiexec` has one more
//! than there are colons.

use std::ffi::OsString;
use std::path::PathBuf;

/// Consecutive ranks with a command of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Number of ranks.
    pub ranks: u32,
    /// Program and arguments.
    pub command: Vec<OsString>,
    /// Variables for these ranks.
    pub environment: Vec<(String, String)>,
    /// Folder in which they start. `None`: the launcher's.
    pub folder: Option<PathBuf>,
}

/// The part to which a rank belongs, and its number. `None`: the job has no parts.
pub fn part_of(parts: &[Part], rank: u32) -> Option<(usize, &Part)> {
    let mut end = 0;
    parts.iter().enumerate().find(|(_, part)| {
        end += part.ranks;
        rank < end
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_belong_to_the_parts_in_their_order() {
        let part = |ranks, name: &str| Part {
            ranks,
            command: vec![name.into()],
            environment: Vec::new(),
            folder: None,
        };
        let parts = [part(1, "a"), part(2, "b")];
        let names: Vec<_> = (0..4)
            .map(|rank| part_of(&parts, rank).map(|(at, part)| (at, part.command[0].clone())))
            .collect();
        assert_eq!(names, [Some((0, "a".into())), Some((1, "b".into())), Some((1, "b".into())), None]);
        assert_eq!(part_of(&[], 0), None);
    }
}
