//! What the double reads of PTX: its version, and the names, parameters and limits of its entries.

use crate::settings::settings;
use crate::status::Status;

/// `CUDA_ERROR_UNSUPPORTED_PTX_VERSION`.
const UNSUPPORTED_PTX_VERSION: Status = Status(222);

/// An entry: a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Its parameters, in order.
    pub parameters: Vec<Parameter>,
    /// Most threads of a block.
    pub most_threads: u32,
}

/// Where a parameter lies in a buffer of all parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its offset.
    pub offset: usize,
    /// Its bytes.
    pub bytes: usize,
}

impl Entry {
    /// Bytes of all parameters.
    pub fn parameter_bytes(&self) -> usize {
        self.parameters.last().map_or(0, |last| last.offset + last.bytes)
    }
}

type Problem = (Status, String);

/// The entries of a text. A text that is no PTX is an error, and so is a version that the driver is too old
/// for.
pub fn entries(text: &str) -> Result<Vec<Entry>, Problem> {
    let code: String = text.lines().map(|line| line.split("//").next().unwrap_or_default()).fold(
        String::with_capacity(text.len()),
        |mut code, line| {
            code.push_str(line);
            code.push('\n');
            code
        },
    );
    let mut words = code.split_whitespace();
    if words.next() != Some(".version") {
        return Err(invalid("the text does not begin with .version"));
    }
    check_version(words.next().unwrap_or_default())?;
    if words.next() != Some(".target") || !words.next().is_some_and(|target| target.starts_with("sm_")) {
        return Err(invalid("the text has no .target sm_NN after its version"));
    }
    let (opened, closed) = (code.matches('{').count(), code.matches('}').count());
    if opened != closed {
        return Err(invalid(&format!("{opened} braces are opened and {closed} closed")));
    }
    code.split(".entry").skip(1).map(entry).collect()
}

fn invalid(sentence: &str) -> Problem {
    (Status::INVALID_PTX, sentence.to_owned())
}

/// PTX n.m came with CUDA (n + 4).m, or a little later.
fn check_version(version: &str) -> Result<(), Problem> {
    let numbers = version.split_once('.').and_then(|(major, minor)| {
        let numbers: (i32, i32) = (major.parse().ok()?, minor.parse().ok()?);
        Some(numbers)
    });
    let (major, minor) = numbers.ok_or_else(|| invalid("the version of the PTX is no number"))?;
    let driver = settings().version;
    if (major + 4, minor) <= (driver / 1000, driver % 1000 / 10) {
        return Ok(());
    }
    Err((UNSUPPORTED_PTX_VERSION, format!("PTX {version} is too new for a driver of version {driver}")))
}

/// Reads `name(parameters) directives { ...`.
fn entry(text: &str) -> Result<Entry, Problem> {
    let (name, rest) = text.split_once('(').ok_or_else(|| invalid("an entry has no parameter list"))?;
    let name = name.trim().to_owned();
    let (parameters, rest) =
        rest.split_once(')').ok_or_else(|| invalid("the list of parameters of an entry has no end"))?;
    let (directives, _) = rest.split_once('{').ok_or_else(|| invalid("an entry has no body"))?;
    let mut placed = Vec::new();
    let mut end = 0;
    for declaration in parameters.split(',').filter(|declaration| !declaration.trim().is_empty()) {
        let (align, bytes) = size(declaration)
            .ok_or_else(|| invalid(&format!("a parameter of {name} cannot be read: {declaration}")))?;
        let offset = usize::next_multiple_of(end, align);
        placed.push(Parameter { offset, bytes });
        end = offset + bytes;
    }
    let most_threads = directives.split(".maxntid").nth(1).and_then(|list| {
        let list = list.split('.').next()?;
        list.split(',').map(|number| number.trim().parse::<u32>().ok()).product()
    });
    Ok(Entry { name, parameters: placed, most_threads: most_threads.unwrap_or(1024) })
}

/// Alignment and bytes of `.param .u64 name` or `.param .align 8 .b8 name[24]`.
fn size(declaration: &str) -> Option<(usize, usize)> {
    let mut words = declaration.split_whitespace().filter(|word| *word != ".ptr" && *word != ".param");
    let mut align = None;
    let mut word = words.next()?;
    if word == ".align" {
        align = Some(words.next()?.parse().ok()?);
        word = words.next()?;
    }
    let element = match word {
        ".b8" | ".u8" | ".s8" => 1,
        ".b16" | ".u16" | ".s16" | ".f16" => 2,
        ".b32" | ".u32" | ".s32" | ".f32" => 4,
        ".b64" | ".u64" | ".s64" | ".f64" => 8,
        _ => return None,
    };
    let elements = match declaration.split_once('[') {
        Some((_, count)) => count.split(']').next()?.trim().parse().ok()?,
        None => 1,
    };
    Some((align.unwrap_or(element), element * elements))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "//\n// a comment\n.version 7.8\n.target sm_60\n.address_size 64\n";

    #[test]
    fn an_entry_has_its_name_and_the_places_of_its_parameters() {
        let text = format!(
            "{HEAD}.visible .entry f(.param .u32 f_0, .param .align 8 .b8 f_1[24])\n.maxntid 64, 2, 1 {{ ret; }}\n"
        );
        let parameters = vec![Parameter { offset: 0, bytes: 4 }, Parameter { offset: 8, bytes: 24 }];
        let expected = Entry { name: "f".into(), parameters, most_threads: 128 };
        assert_eq!(entries(&text), Ok(vec![expected]));
        assert_eq!(entries(&text).unwrap()[0].parameter_bytes(), 32);
    }

    #[test]
    fn text_that_is_no_ptx_is_refused_with_a_sentence() {
        let broken = [
            "",
            "hello",
            ".version x\n.target sm_60",
            ".version 7.8\n.entry f() { }",
            &format!("{HEAD}.entry f( {{ ret; }}"),
            &format!("{HEAD}.entry f() {{ ret;"),
        ];
        for text in broken {
            let (status, sentence) = entries(text).unwrap_err();
            assert_eq!(status, Status::INVALID_PTX, "{text}");
            assert!(!sentence.is_empty());
        }
        assert_eq!(entries(".version 99.0\n.target sm_60").unwrap_err().0, UNSUPPORTED_PTX_VERSION);
    }
}
