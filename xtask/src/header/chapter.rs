//! A chapter of the header: a file of abi/native/header, filled with declarations.
//!
//! Its parts, in this order:
//!
//! - the comment that is the chapter's text;
//! - the `#include` lines;
//! - the rest, in which a line `@item NAME` stands for one declaration, and `@forms anyccl_NAME` for the
//!   forms of one call as far as there are any: `anyccl_NAME`, `anyccl_iNAME`, `anyccl_NAME_init`.
//!
//! What is equal in all chapters is added here: the include guard, `extern "C"`, and the end of the group
//! that the chapter's text opens for Doxygen.

use crate::header::items::Items;
use crate::result::Result;

const NOTICE: &str = "/* Generated from abi/native by `cargo xtask header`. Do not edit. */";

/// A chapter whose declarations are still to be put in.
#[derive(Debug)]
pub struct Chapter {
    name: String,
    text: String,
    includes: Vec<String>,
    body: String,
}

impl Chapter {
    /// Cuts a file into its parts.
    pub fn parse(name: &str, file: &str) -> Result<Self> {
        let (text, rest) = file.split_once("*/\n").ok_or("a chapter begins with a comment")?;
        let rest = rest.trim_start();
        let count = rest.lines().take_while(|line| line.starts_with("#include ")).count();
        let includes = rest.lines().take(count).map(str::to_owned).collect();
        let body = rest.lines().skip(count).collect::<Vec<_>>().join("\n").trim().to_owned();
        Ok(Self { name: name.to_owned(), text: format!("{text}*/"), includes, body })
    }

    /// The chapters that this one includes, in order.
    pub fn included(&self) -> impl Iterator<Item = &str> {
        self.includes.iter().filter_map(|line| line.strip_prefix("#include <anyccl/")?.strip_suffix(".h>"))
    }

    /// The header, with declarations taken from `items`.
    pub fn render(&self, items: &mut Items) -> Result<String> {
        let guard = format!("ANYCCL_{}_H", self.name.to_uppercase());
        let mut parts = vec![
            format!("{NOTICE}\n\n{}", self.text),
            format!("#ifndef {guard}\n#define {guard}"),
            self.includes.join("\n"),
        ];
        if !self.body.is_empty() {
            parts.push("#ifdef __cplusplus\nextern \"C\" {\n#endif".to_owned());
            parts.push(self.filled(items)?);
            parts.push("#ifdef __cplusplus\n} /* extern \"C\" */\n#endif".to_owned());
        }
        if self.text.contains("\\{") {
            parts.push("/** \\} */".to_owned());
        }
        parts.push(format!("#endif /* {guard} */\n"));
        parts.retain(|part| !part.is_empty());
        Ok(parts.join("\n\n"))
    }

    fn filled(&self, items: &mut Items) -> Result<String> {
        let mut lines = Vec::new();
        for line in self.body.lines() {
            if let Some(name) = line.strip_prefix("@item ") {
                lines.push(items.take(name)?);
            } else if let Some(name) = line.strip_prefix("@forms ") {
                let mut forms = vec![items.take(name)?];
                let call = name.strip_prefix("anyccl_").unwrap_or(name);
                for form in [format!("anyccl_i{call}"), format!("{name}_init")] {
                    if items.has(&form) {
                        forms.push(items.take(&form)?);
                    }
                }
                lines.push(forms.join("\n\n"));
            } else if line.starts_with('@') {
                return Err(format!("{}: what is {line:?}?", self.name).into());
            } else {
                lines.push(line.to_owned());
            }
        }
        Ok(lines.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chapter_is_filled_in_its_own_order_with_all_forms_of_a_call() {
        let chapter = Chapter::parse(
            "sums",
            "/** \\defgroup sums Sums\n * \\{ */\n#include <stddef.h>\n#include <anyccl/base.h>\n\n@forms anyccl_sum\n",
        )
        .unwrap();
        assert_eq!(chapter.included().collect::<Vec<_>>(), ["base"]);
        let mut items = Items::default();
        for (name, text) in [("anyccl_sum_init", "c;"), ("anyccl_sum", "a;"), ("anyccl_isum", "b;")] {
            items.add(name, text.to_owned());
        }
        let text = chapter.render(&mut items).unwrap();
        assert!(text.contains("\n\na;\n\nb;\n\nc;\n\n#ifdef __cplusplus\n}"), "{text}");
        assert!(
            text.contains("#ifndef ANYCCL_SUMS_H\n#define ANYCCL_SUMS_H\n\n#include <stddef.h>\n"),
            "{text}"
        );
        assert!(text.ends_with("/** \\} */\n\n#endif /* ANYCCL_SUMS_H */\n"), "{text}");
        items.all_taken().unwrap();
    }

    #[test]
    fn a_line_that_is_not_understood_is_refused() {
        let chapter = Chapter::parse("sums", "/** Sums. */\n@itme anyccl_sum\n").unwrap();
        assert!(chapter.render(&mut Items::default()).is_err());
        assert!(Chapter::parse("sums", "int x;\n").is_err());
    }
}
