//! Slurm's compressed lists of hosts: `login,rack[1-2]node[01-03,7]`.

/// Upper limit of hosts in a list, which is also Slurm's. A longer list is a mistake, or an attempt to fill
/// memory.
const MOST: usize = 1 << 16;
/// Longest name of a host.
const NAME_BYTES: usize = 255;
/// Most digits of a number.
const DIGITS: usize = 20;

/// The hosts of a list, in its order. `None`: the text is not a list.
pub(crate) fn expand(list: &str) -> Option<Vec<String>> {
    let mut hosts = Vec::new();
    for pattern in split(list)? {
        let mut partial = vec![String::new()];
        let (mut rest, mut longest) = (pattern, 0);
        while let Some((before, after)) = rest.split_once('[') {
            let (ranges, behind) = after.split_once(']')?;
            let numbers = numbers(ranges)?;
            longest += before.len() + numbers.iter().map(String::len).max().unwrap_or_default();
            if longest > NAME_BYTES {
                return None;
            }
            if partial.len().checked_mul(numbers.len())? > MOST {
                return None;
            }
            let with = |start: &String| {
                let start = format!("{start}{before}");
                numbers.iter().map(move |number| format!("{start}{number}")).collect::<Vec<_>>()
            };
            partial = partial.iter().flat_map(with).collect();
            rest = behind;
        }
        if rest.contains(']')
            || pattern.is_empty()
            || longest + rest.len() > NAME_BYTES
            || hosts.len() + partial.len() > MOST
        {
            return None;
        }
        hosts.extend(partial.into_iter().map(|start| start + rest));
    }
    Some(hosts)
}

/// Splits at the commas outside brackets.
fn split(list: &str) -> Option<Vec<&str>> {
    let (mut parts, mut start, mut inside) = (Vec::new(), 0, false);
    for (at, byte) in list.bytes().enumerate() {
        match byte {
            b'[' if inside => return None,
            b'[' => inside = true,
            b']' => inside = false,
            b',' if !inside => {
                parts.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[start..]);
    (!inside).then_some(parts)
}

/// Expands `01-03,7` to 01, 02, 03, 7. A number has at least as many digits as the first one of its range.
fn numbers(ranges: &str) -> Option<Vec<String>> {
    let mut numbers = Vec::new();
    for range in ranges.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let width = first.len();
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(first) || !digits(last) || width > DIGITS {
            return None;
        }
        let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
        if last < first || last - first >= (MOST - numbers.len()) as u64 {
            return None;
        }
        numbers.extend((first..=last).map(|number| format!("{number:0width$}")));
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lists_as_slurm_writes_them_are_expanded_in_order() {
        for (list, hosts) in [
            ("a", vec!["a"]),
            ("a,b-1.c", vec!["a", "b-1.c"]),
            ("host[01-03,7]", vec!["host01", "host02", "host03", "host7"]),
            ("n[8-11]", vec!["n8", "n9", "n10", "n11"]),
            ("x[1-2]y[3,5]z,w", vec!["x1y3z", "x1y5z", "x2y3z", "x2y5z", "w"]),
        ] {
            assert_eq!(expand(list).unwrap(), hosts, "{list}");
        }
    }

    #[test]
    fn an_invalid_list_is_refused() {
        for text in
            ["", ",", "a,", "a[", "a[1", "a]", "a[1-]", "a[2-1]", "a[x]", "a[[1]]", "a[1]]", "a[0-9999999]"]
        {
            assert_eq!(expand(text), None, "{text}");
        }
        assert_eq!(expand("a[0-9999]b[0-9999]"), None);
        assert!(
            expand("a[0-65535]").is_some_and(|hosts| hosts.len() == 65536) && expand("a[0-65536]").is_none()
        );
    }

    #[test]
    fn a_number_with_endless_zeros_and_an_endless_name_are_refused() {
        let zeros = "0".repeat(70_000);
        assert_eq!(expand(&format!("a[{zeros}1-2]")), None);
        assert_eq!(expand(&format!("{}[1-9]", "a".repeat(255))), None);
        assert_eq!(expand(&"a".repeat(256)), None);
        assert!(expand(&"a".repeat(255)).is_some());
    }

    proptest! {
        #[test]
        fn arbitrary_text_never_panics(text in "[a-c0-9,\\-\\[\\]]{0,30}") {
            let _ = expand(&text);
        }
    }
}
