//! The declarations that cbindgen writes, each with its documentation, by name.

use std::collections::BTreeMap;

use crate::result::Result;

/// Columns of a line of the header.
const WIDTH: usize = 110;

/// The declarations that no chapter has taken yet.
#[derive(Debug, Default)]
pub struct Items(BTreeMap<String, String>);

impl Items {
    /// Cuts the output of cbindgen, in which an empty line separates declarations.
    pub fn parse(text: &str) -> Result<Self> {
        let mut items = Self::default();
        for item in text.split("\n\n").map(str::trim).filter(|item| !item.is_empty()) {
            let (_, declaration) = item.rsplit_once("\n */\n").unwrap_or(("", item));
            if !item.starts_with("/**\n") {
                return Err(format!("without documentation: {declaration}").into());
            }
            let name = name(item).ok_or_else(|| format!("cannot see what this declares: {declaration}"))?;
            items.add(name, short_comments(item));
        }
        Ok(items)
    }

    /// Adds a declaration that is not cbindgen's.
    pub fn add(&mut self, name: &str, text: String) {
        self.0.insert(name.to_owned(), text);
    }

    /// The names of the declarations.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Changes declarations: `change` gets the name and the text of each.
    pub fn rewrite(&mut self, change: impl Fn(&str, &str) -> String) {
        for (name, text) in &mut self.0 {
            *text = change(name, text);
        }
    }

    /// Whether a declaration of this name is still to be had.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Gives a declaration to the chapter that names it.
    pub fn take(&mut self, name: &str) -> Result<String> {
        self.0.remove(name).ok_or_else(|| format!("{name} is not declared, or two chapters name it").into())
    }

    /// Refuses a declaration that no chapter has named.
    pub fn all_taken(&self) -> Result {
        if self.0.is_empty() {
            return Ok(());
        }
        let names: Vec<_> = self.0.keys().map(String::as_str).collect();
        Err(format!("no chapter in abi/native/header names {}", names.join(", ")).into())
    }
}

/// The name that an item declares.
fn name(item: &str) -> Option<&str> {
    // The documentation ends at the first line that closes a comment in the first column.
    let (_, code) = item.split_once("\n */\n")?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if let Some(macro_name) = code.strip_prefix("#define ") {
        return macro_name.split_whitespace().next();
    }
    if let Some((_, callback)) = code.split_once("(*") {
        return callback.split(')').next();
    }
    if code.starts_with("typedef ") {
        return code.trim_end_matches(';').rsplit(|c| !is_name(c)).next();
    }
    code.split('(').next()?.rsplit(|c| !is_name(c)).next()
}

/// Puts a comment that fits into one line: `/** double */`.
fn short_comments(item: &str) -> String {
    let lines: Vec<&str> = item.lines().collect();
    let mut text = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        if line.trim() == "/**" && lines.get(at + 2).is_some_and(|end| end.trim() == "*/") {
            let sentence = lines[at + 1].trim().trim_start_matches('*').trim();
            let short = format!("{}/** {sentence} */", &line[..line.len() - "/**".len()]);
            if short.len() <= WIDTH {
                text.push(short);
                at += 3;
                continue;
            }
        }
        text.push(line.to_owned());
        at += 1;
    }
    text.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\n/**\n * Bytes.\n */\n#define A_BYTES 128\n\n\
        /**\n * Kinds.\n *\n * Two.\n */\ntypedef enum a_kind {\n    /**\n     * one\n     */\n    A_ONE = 0,\n} a_kind;\n\n\
        /**\n * Hook.\n */\ntypedef void (*a_hook_t)(int *x);\n\n/**\n * Runs.\n */\nconst char *a_run(int x,\n    int y);\n";

    #[test]
    fn each_kind_of_declaration_is_found_by_its_name() {
        let mut items = Items::parse(TEXT).unwrap();
        assert_eq!(items.take("A_BYTES").unwrap(), "/** Bytes. */\n#define A_BYTES 128");
        assert!(items.take("a_kind").unwrap().contains("\n    /** one */\n    A_ONE = 0,\n"));
        assert!(items.take("a_hook_t").is_ok());
        assert!(items.all_taken().unwrap_err().to_string().contains("a_run"));
        assert!(items.take("a_run").is_ok());
        assert!(items.take("a_run").is_err());
        items.all_taken().unwrap();
    }

    #[test]
    fn a_declaration_without_documentation_is_refused() {
        assert!(Items::parse("int a_run(void);\n").is_err());
    }
}
