//! `anyccl info --torch [PYTHON]`: who serves each name of a backend in the torch of a Python.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::print::aligned;
use crate::failure::Failure;
use crate::output;

/// Imports torch, as a script would, and prints the answer as JSON.
const QUESTION: &str = include_str!("torch_names.py");

/// Prints the answer. The exit code is 1 if that Python cannot import torch.
pub fn torch_names(python: &OsStr, as_json: bool) -> Result<u8, Failure> {
    let name = python.display();
    let mut question = Command::new(python);
    let ended = question.args(["-c", QUESTION]).stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = ended.map_err(|error| Failure::own(format_args!("cannot start {name}: {error}")))?.stdout;
    // Packages may have written to standard output before.
    let line = output.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().unwrap_or(&[]);
    let answer: Value = serde_json::from_slice(line)
        .map_err(|error| Failure::own(format_args!("{name} has not answered: {error}")))?;
    if as_json {
        output::say_json(&answer)?
    } else {
        output::say(&layout(&answer))?
    };
    Ok(u8::from(!answer["error"].is_null()))
}

fn layout(answer: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or("none").to_string();
    let mut rows = vec![
        vec!["Python".to_string(), text(&answer["python"])],
        vec!["torch".to_string(), text(&answer["torch"])],
        vec![
            "ANYCCL_TORCH_AS".to_string(),
            answer["ANYCCL_TORCH_AS"].as_str().unwrap_or("unset").to_string(),
        ],
    ];
    if let Some(error) = answer["error"].as_str() {
        rows.push(vec!["error".to_string(), error.to_string()]);
    }
    for name in answer["names"].as_array().into_iter().flatten() {
        let devices: Vec<String> = name["devices"].as_array().into_iter().flatten().map(text).collect();
        let by = format!("by {}, on {}", text(&name["served_by"]), devices.join(" and "));
        rows.push(vec![format!("\"{}\"", text(&name["name"])), by]);
    }
    aligned(&rows).join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_a_line_with_its_server_and_devices() {
        let answer = serde_json::json!({
            "python": "/p", "torch": "2.15.0", "error": null, "ANYCCL_TORCH_AS": "gloo",
            "names": [{ "name": "gloo", "served_by": "anyccl", "devices": ["cpu", "cuda"] }],
        });
        let text = layout(&answer);
        assert!(text.contains("\"gloo\"           by anyccl, on cpu and cuda\n"), "{text}");
        assert!(text.contains("ANYCCL_TORCH_AS  gloo\n") && !text.contains("error"), "{text}");
    }
}
