//! Test of the page of `perf --html` in a browser. It is left out, aloud, where there is none.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::{anyccl, finish};
use scraper::{Html, Selector};
use serde_json::{Value, json};

/// Names of the same browser in different distributions.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

fn browser() -> Option<&'static str> {
    let is_there = |name: &&str| {
        let version = Command::new(name).arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    };
    let found = BROWSERS.into_iter().find(is_there);
    if found.is_none() {
        println!("skipped: chromium is not installed, so the script of the page does not run");
    }
    found
}

/// A new folder, removed at the end.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Loads a page, and returns what its element "seen" has in the end.
fn seen(browser: &str, page: &Path, folder: &Path) -> Value {
    // A browser that hangs becomes an error.
    let mut command = Command::new("timeout");
    command.args(["60", browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]);
    command.args(["--window-size=1400,1000", &format!("--user-data-dir={}", folder.join("user").display())]);
    command.arg(format!("file://{}", page.display())).stdin(Stdio::null());
    let output = finish(command);
    assert_eq!(output.code(), 0, "{}", output.stderr);
    let html = Html::parse_document(&String::from_utf8(output.stdout).unwrap());
    let element = html.select(&Selector::parse("#seen").unwrap()).next();
    let text: String = element.unwrap_or_else(|| panic!("{}", output.stderr)).text().collect();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_script_sorts_the_table_shows_values_and_switches_lines_off() {
    let Some(browser) = browser() else { return };
    let folder =
        Folder(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("page-{}", std::process::id())));
    fs::create_dir_all(&folder.0).unwrap();
    let page = folder.0.join("page.html");
    let words = "perf all_reduce -n 2 -b 8 -e 72 -f 3 --iterations 1 --algorithms one_shot,ring --html";
    let output = finish(anyccl(&words.split(' ').chain(page.to_str()).collect::<Vec<_>>()));
    assert_eq!(output.code(), 0, "{}", output.stderr);
    let acting = format!("<script>{}</script></body>", include_str!("page.js"));
    let text = fs::read_to_string(&page).unwrap().replace("</body>", &acting);
    fs::write(&page, text).unwrap();

    let seen = seen(browser, &page, &folder.0);
    // As text, 24 would stand before 8.
    let rising = json!(["8", "8", "24", "24", "72", "72"]);
    let falling: Vec<&Value> = rising.as_array().unwrap().iter().rev().collect();
    assert_eq!(seen["bytes"], json!([rising, falling]));
    let algorithms = seen["algorithms"].as_array().unwrap();
    assert!(algorithms.is_sorted_by_key(|name| name.as_str()), "{algorithms:?}");
    let tip = seen["tip"][0].as_str().unwrap();
    assert!(tip.starts_with("one_shot, 8 B\n") && seen["tip"][1].is_null(), "{seen}");
    assert_eq!(seen["switched"], json!([[false, "false"], [true, "true"]]));
    assert_eq!(seen["saved"], "blob:");
}
