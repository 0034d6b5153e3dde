//! The difference of two records: which promises are broken, and what is new.

use std::collections::BTreeMap;

/// What has changed.
pub struct Difference {
    /// Sentences about promises that are gone or differ.
    pub broken: Vec<String>,
    /// Promises that are new.
    pub added: Vec<String>,
}

/// Compares the record of a release with a newer one.
pub fn between(old: &str, new: &str) -> Difference {
    let (old, new) = (promises(old), promises(new));
    let mut difference = Difference { broken: Vec::new(), added: Vec::new() };
    for (name, was) in &old {
        match new.get(name) {
            None => difference.broken.push(format!("{name} is gone (was {was})")),
            Some(is) if is != was && !may_grow(name, was, is, &old) => {
                difference.broken.push(format!("{name} was {was} and is {is}"));
            }
            Some(_) => {}
        }
    }
    difference
        .added
        .extend(new.keys().filter(|name| !old.contains_key(*name)).map(|name| (*name).to_owned()));
    difference
}

/// The lines of a record, each as a name and a value.
fn promises(record: &str) -> BTreeMap<&str, &str> {
    let lines = record.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(':')).map(|(name, value)| (name, value.trim())).collect()
}

/// Whether the change is the growth of a structure that says its own size in its first member.
fn may_grow(name: &str, was: &str, is: &str, old: &BTreeMap<&str, &str>) -> bool {
    let Some(structure) = name.strip_prefix("size ") else { return false };
    let says_its_size = old.contains_key(format!("member {structure}.struct_size").as_str());
    says_its_size && matches!((was.parse::<u64>(), is.parse::<u64>()), (Ok(was), Ok(is)) if is > was)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "# comment\nexport libanyccl a:\nfunction a: int (int)\n\
                       size grows: 8\nmember grows.struct_size: size_t at 0\nsize fixed: 8\n";

    #[test]
    fn new_names_and_structures_that_grow_at_their_end_break_nothing() {
        let new = OLD.replace("size grows: 8", "size grows: 16")
            + "member grows.more: int at 8\nexport libanyccl b:\n";
        let difference = between(OLD, &new);
        assert_eq!(difference.broken, [""; 0]);
        assert_eq!(difference.added, ["export libanyccl b", "member grows.more"]);
    }

    #[test]
    fn names_that_go_types_that_change_and_other_sizes_are_named() {
        let new = OLD
            .replace("export libanyccl a:\n", "")
            .replace("(int)", "(long)")
            .replace("fixed: 8", "fixed: 9");
        let new = new.replace("size_t at 0", "size_t at 4");
        assert_eq!(
            between(OLD, &new).broken,
            [
                "export libanyccl a is gone (was )",
                "function a was int (int) and is int (long)",
                "member grows.struct_size was size_t at 0 and is size_t at 4",
                "size fixed was 8 and is 9"
            ]
        );
    }
}
