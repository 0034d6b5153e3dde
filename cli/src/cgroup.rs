//! The control groups (version 2) of this process.

/// The paths of a file in the control group of a process and in all groups above it, from the inside out.
/// `groups` is the text of /proc/self/cgroup.
pub fn paths(groups: &str, file: &str) -> Vec<String> {
    let Some(own) = groups.lines().find_map(|line| line.strip_prefix("0::/")) else { return Vec::new() };
    let levels: Vec<&str> = own.split('/').filter(|part| !part.is_empty()).collect();
    let path = |depth: usize| {
        let folders: String = levels[..depth].iter().map(|level| format!("/{level}")).collect();
        format!("/sys/fs/cgroup{folders}/{file}")
    };
    (0..=levels.len()).rev().map(path).collect()
}

#[cfg(test)]
mod tests {
    use super::paths;

    #[test]
    fn all_groups_up_to_the_root_have_a_file() {
        let all = ["/sys/fs/cgroup/a/b/cpu.max", "/sys/fs/cgroup/a/cpu.max", "/sys/fs/cgroup/cpu.max"];
        assert_eq!(paths("1:name=x:/y\n0::/a/b\n", "cpu.max"), all);
        assert_eq!(paths("0::/\n", "cpu.max"), ["/sys/fs/cgroup/cpu.max"]);
        assert!(paths("", "cpu.max").is_empty());
    }
}
