//! Retired words, and the places where they may not stand.
//!
//! A row of the list has three cells: the word, what to say instead, and the place. A word of several parts
//! ("take back") is also found as `cancel_sent` and `TakeBack`. In names, a word is found only as a whole
//! part: `bell` is not found in `doorbell`.
//!
//! An empty place means everywhere. `in PATH PATH` means only these folders. `not PATH PATH` means everywhere
//! but in these folders, where the word means something else.

/// The list of retired words.
pub struct Retired(Vec<Row>);

struct Row {
    parts: Vec<String>,
    word: String,
    instead: String,
    scope: Scope,
}

enum Scope {
    In(Vec<String>),
    Outside(Vec<String>),
}

impl Retired {
    /// Reads the rows of the tables whose head begins with `| retired |`.
    pub fn parse(page: &str) -> Result<Retired, String> {
        let mut rows = Vec::new();
        let mut in_table = false;
        for line in page.lines() {
            if !line.starts_with('|') {
                in_table = false;
            } else if line.starts_with("| retired |") {
                in_table = true;
            } else if in_table && !line.starts_with("| ---") {
                rows.push(Row::parse(line).ok_or_else(|| format!("not a row of the list: {line}"))?);
            }
        }
        if rows.is_empty() { Err("the list has no rows".into()) } else { Ok(Retired(rows)) }
    }

    /// The retired words of a line, each with what to say instead.
    pub fn in_line(&self, path: &str, line: &str) -> Vec<(&str, &str)> {
        let parts = parts(line);
        let stands = |row: &&Row| {
            row.scope.holds(path) && parts.windows(row.parts.len()).any(|window| window == row.parts)
        };
        self.0.iter().filter(stands).map(|row| (row.word.as_str(), row.instead.as_str())).collect()
    }
}

impl Row {
    fn parse(line: &str) -> Option<Row> {
        let mut cells = line.trim_matches('|').split('|').map(|cell| cell.trim().replace('`', ""));
        let (word, instead, scope) = (cells.next()?, cells.next()?, cells.next().unwrap_or_default());
        let mut words = scope.split_whitespace().map(str::to_string);
        let scope = match words.next().as_deref() {
            None => Scope::Outside(Vec::new()),
            Some("in") => Scope::In(words.collect()),
            Some("not") => Scope::Outside(words.collect()),
            Some(_) => return None,
        };
        let parts = parts(&word);
        (!parts.is_empty()).then_some(Row { parts, word, instead, scope })
    }
}

impl Scope {
    fn holds(&self, path: &str) -> bool {
        let stands_in = |folders: &[String]| folders.iter().any(|folder| path.starts_with(folder.as_str()));
        match self {
            Scope::In(folders) => stands_in(folders),
            Scope::Outside(folders) => !stands_in(folders),
        }
    }
}

/// The words of a text, including the parts of its names, in lower case.
fn parts(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut before = ' ';
    for letter in text.chars() {
        if !letter.is_alphabetic() || (letter.is_uppercase() && before.is_lowercase()) {
            parts.push(String::new());
        }
        if letter.is_alphabetic() {
            parts.last_mut().expect("there is one from the start").extend(letter.to_lowercase());
        }
        before = letter;
    }
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(list: &str, path: &str, line: &str) -> usize {
        let page = format!("| retired | say | where |\n| --- | --- | --- |\n{list}\n\ntext\n");
        Retired::parse(&page).unwrap().in_line(path, line).len()
    }

    #[test]
    fn a_word_is_found_in_prose_and_as_a_whole_part_of_names() {
        let list = "| bell | doorbell | |";
        for line in ["the bell", "Bell", "peer_bell", "PeerBell", "BELL_DUE", "let bell2 = 1;"] {
            assert_eq!(words(list, "src/a.rs", line), 1, "{line}");
        }
        for line in ["doorbell", "bellow", "labelled", "Doorbell"] {
            assert_eq!(words(list, "src/a.rs", line), 0, "{line}");
        }
    }

    #[test]
    fn several_parts_are_found_together_only() {
        let list = "| take back | cancel | |";
        for line in ["take back", "fn take_back()", "TakeBack", "take  back"] {
            assert_eq!(words(list, "src/a.rs", line), 1, "{line}");
        }
        assert_eq!(words(list, "src/a.rs", "take it back"), 0);
    }

    #[test]
    fn a_word_can_be_retired_in_some_places_or_in_all_but_some() {
        for (list, path, found) in [
            ("| port | endpoint | in src/progress src/comm |", "src/comm/a.rs", 1),
            ("| port | endpoint | in src/progress src/comm |", "src/sys/a.rs", 0),
            ("| gate | hazard | not src/bootstrap |", "src/bootstrap/gate.rs", 0),
            ("| gate | hazard | not src/bootstrap |", "src/comm/a.rs", 1),
        ] {
            assert_eq!(words(list, path, "port gate"), found, "{list} {path}");
        }
    }

    #[test]
    fn a_list_without_rows_or_with_a_place_that_is_none_is_an_error() {
        assert!(Retired::parse("text").is_err());
        assert!(Retired::parse("| retired | say | where |\n| a | b | near src |").is_err());
    }
}
