//! The declarations of the rows of `forms!`, a macro of abi/native/src/forms.rs.
//!
//! A row makes up to three functions. cbindgen does not see them, because it does not expand macros. Here
//! each row becomes the Rust functions that the macro makes of it, without their bodies. cbindgen reads these
//! as one more source file, so that it writes all declarations of the header alike.
//!
//! The text of the blocking form is that of the row. The text of another form begins with a reference to the
//! blocking form. What the row says of this form follows, in the same paragraph unless it begins with an
//! empty line.

use std::fs;
use std::path::Path;

use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Expr, ExprLit, Ident, Item, Lit, Meta, Token, braced, parenthesized};

use crate::result::Result;

/// Columns of a line of text, with the space in front of it.
const WIDTH: usize = 107;

/// A row: the functions of a call, and their common parameters.
struct Row {
    parameters: TokenStream,
    functions: Vec<Function>,
}

/// A function, and whether it gives a request.
struct Function {
    text: Vec<String>,
    name: Ident,
    has_request: bool,
}

/// The functions of all rows in the files of a folder, as Rust source.
pub fn declarations(folder: &Path) -> Result<String> {
    let mut source = String::new();
    let mut entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    entries.sort();
    for path in entries {
        if path.is_dir() {
            source.push_str(&declarations(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let rows = rows(&fs::read_to_string(&path)?);
            source.push_str(&rows.map_err(|error| format!("{}: {error}", path.display()))?);
        }
    }
    Ok(source)
}

/// The functions of all rows of a file.
fn rows(file: &str) -> syn::Result<String> {
    let mut source = String::new();
    for item in syn::parse_file(file)?.items {
        if let Item::Macro(row) = item
            && row.mac.path.is_ident("forms")
        {
            source.push_str(&row.mac.parse_body::<Row>()?.source());
        }
    }
    Ok(source)
}

impl Parse for Row {
    /// Reads what the macro reads.
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let text = self::text(input)?;
        let is_blocking_made = input.peek(Token![fn]);
        if is_blocking_made {
            input.parse::<Token![fn]>()?;
        } else {
            word(input, "of")?;
        }
        let call: Ident = input.parse()?;
        let content;
        parenthesized!(content in input);
        let parameters = content.parse()?;
        let body;
        braced!(body in input);
        body.parse::<TokenStream>()?;

        let mut functions = Vec::new();
        if is_blocking_made {
            functions.push(Function { text, name: call.clone(), has_request: false });
        }
        for form in ["nonblocking", "persistent"] {
            if form == "persistent" && input.is_empty() {
                break;
            }
            let text = reference(form, &call, &self::text(input)?);
            word(input, form)?;
            functions.push(Function { text, name: input.parse()?, has_request: true });
            input.parse::<Token![;]>()?;
        }
        Ok(Self { parameters, functions })
    }
}

impl Row {
    fn source(&self) -> String {
        let parameters = self.parameters.to_string();
        let parameters = parameters.trim_end_matches(',');
        let functions = self.functions.iter().map(|Function { text, name, has_request }| {
            let text: String = text.iter().map(|line| format!("///{line}\n")).collect();
            let request = if *has_request { ", request: *mut anyccl_request_t" } else { "" };
            let declared = format!("fn {name}({parameters}{request}) -> anyccl_status_t {{}}\n");
            text + "#[unsafe(no_mangle)]\npub unsafe extern \"C\" " + &declared
        });
        functions.collect()
    }
}

/// Reads one word.
fn word(input: ParseStream, expected: &str) -> syn::Result<()> {
    let word: Ident = input.parse()?;
    if word != expected {
        return Err(syn::Error::new(word.span(), format!("`{word}` where `{expected}` should be")));
    }
    Ok(())
}

/// Reads documentation: its lines, as they follow the slashes.
fn text(input: ParseStream) -> syn::Result<Vec<String>> {
    let mut lines = Vec::new();
    for attribute in Attribute::parse_outer(input)? {
        match attribute.meta {
            Meta::NameValue(doc) if doc.path.is_ident("doc") => match doc.value {
                Expr::Lit(ExprLit { lit: Lit::Str(line), .. }) => lines.push(line.value()),
                other => return Err(syn::Error::new_spanned(other, "not a text")),
            },
            other => return Err(syn::Error::new_spanned(other, "not documentation")),
        }
    }
    Ok(lines)
}

/// The text of a form of `call` that is not the blocking one. `more` is what the row says of it.
fn reference(form: &str, call: &Ident, more: &[String]) -> Vec<String> {
    let kind = form[..1].to_uppercase() + &form[1..];
    let text = format!("{kind} form of {call}(): see \\ref {form} in request.h.\n{}", more.join("\n"));
    text.split("\n\n").map(filled).collect::<Vec<_>>().join(&[String::new()][..])
}

/// The lines of a paragraph, filled anew.
fn filled(paragraph: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in paragraph.split_whitespace() {
        if !line.is_empty() && line.len() + " ".len() + word.len() > WIDTH {
            lines.push(std::mem::take(&mut line));
        }
        line.push(' ');
        line.push_str(word);
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_declares_its_three_forms_with_their_texts() {
        let file = "use a::b;\n\
            forms! {\n\
                /// Sums.\n///\n/// \\param[in] comm  Communicator.\n\
                fn a_sum(send: *const c_void, comm: a_comm_t,) { Arguments::plain(send, comm) }\n\
                /// Replacement for\n/// MPI_Sum.\n\
                nonblocking a_isum;\n\
                ///\n/// Prepared.\n\
                persistent a_sum_init;\n\
            }\n";
        let source = rows(file).unwrap();
        let functions = syn::parse_file(&source).unwrap().items;
        let found: Vec<_> = functions
            .iter()
            .map(|item| match item {
                Item::Fn(function) => (function.sig.ident.to_string(), function.sig.inputs.len()),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(found, [("a_sum".to_owned(), 2), ("a_isum".to_owned(), 3), ("a_sum_init".to_owned(), 3)]);
        let texts: Vec<_> = source.lines().filter_map(|line| line.strip_prefix("///")).collect();
        assert_eq!(
            texts,
            [
                " Sums.",
                "",
                " \\param[in] comm  Communicator.",
                " Nonblocking form of a_sum(): see \\ref nonblocking in request.h. Replacement for MPI_Sum.",
                " Persistent form of a_sum(): see \\ref persistent in request.h.",
                "",
                " Prepared.",
            ]
        );
    }

    #[test]
    fn a_row_of_a_function_by_hand_declares_the_other_forms_only() {
        let source = rows("forms! { of a_recv(tag: i32) { tag } nonblocking a_irecv; }").unwrap();
        assert!(source.contains("fn a_irecv(tag"), "{source}");
        assert_eq!(source.matches("fn ").count(), 1, "{source}");
    }

    #[test]
    fn a_row_that_is_not_understood_is_refused() {
        assert!(rows("forms! { fn a_sum(tag: i32) { tag } persistent a_sum_init; }").is_err());
        assert!(rows("forms! { fn a_sum(tag: i32) { tag } nonblocking a_isum; and more }").is_err());
        assert!(rows("forms! { #[inline] fn a_sum(tag: i32) { tag } nonblocking a_isum; }").is_err());
    }
}
