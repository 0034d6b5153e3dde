//! Tests of the page, which a parser for HTML reads.

use anyccl_engine::base::Collective;
use scraper::{Html, Selector};
use serde_json::Value;

use super::*;
use crate::perf::arguments::What;
use crate::perf::machines::Machine;
use crate::perf::report::{Header, PairRow, Row};
use crate::perf::statistics::Summary;

/// A name that ends every element, attribute and string in which it is not escaped.
const HOSTILE: &str =
    "</script></title></svg><script>alert(1)</script>\"'><img src=x onerror=alert(1)> & <!--";

const ALL_REDUCE: What = What::Collective(Collective::AllReduce);

fn header(what: What) -> Header {
    let (host, processor) = (HOSTILE.to_string(), HOSTILE.to_string());
    Header {
        anyccl: "0.1.0",
        what,
        date: "2026-11-26T08:00:00Z".into(),
        machines: vec![Machine { host, processor, ranks: 2, cores: 1, quota_cores: None }],
        warnings: vec![HOSTILE.to_string()],
        ranks: 2,
        hosts: 1,
        transports: vec!["shm"],
        datatype: "float32",
        op: "sum",
        root: 0,
        kernels: "avx2",
        calls: "blocking",
        memory: "cpu",
        way: None,
    }
}

fn row(algorithm: &'static str, bytes: u64, chosen: bool) -> Row {
    Row {
        collective: "all_reduce",
        algorithm,
        chosen,
        in_place: false,
        bytes,
        count: bytes as usize / 4,
        calls: 1,
        samples: 3,
        time_us: Summary::of(&[2.0, 1.0, 4.0]),
        algorithm_bandwidth_gb_s: 1.0,
        bus_bandwidth_gb_s: 1.0,
        correct: Some(true),
    }
}

fn pair(from: u32, to: u32) -> PairRow {
    PairRow {
        from,
        to,
        transport: "shm",
        bytes: 8,
        calls: 1,
        samples: 1,
        latency_us: Summary::of(&[1.5]),
        stream_us: Summary::of(&[1.0]),
        bandwidth_gb_s: 0.5,
        correct: Some(from == 0),
    }
}

fn measurements(what: What, rows: Vec<Row>, pairs: Vec<PairRow>) -> Measurements {
    let header = header(what);
    let warnings = header.warnings.clone();
    Measurements { header, rows, pairs, warnings }
}

fn compared() -> Measurements {
    let rows = [8, 64].into_iter().flat_map(|bytes| [row("ring", bytes, true), row("chain", bytes, false)]);
    measurements(ALL_REDUCE, rows.collect(), Vec::new())
}

/// The page of these measurements. Fails unless it is HTML without an error.
fn parsed(measurements: &Measurements, theme: Theme) -> Html {
    let text = String::from_utf8(page(measurements, theme).unwrap()).unwrap();
    let html = Html::parse_document(&text);
    assert!(html.errors.is_empty(), "{:?}\n{text}", html.errors);
    html
}

/// The texts of all elements that a selector finds.
fn texts(html: &Html, selector: &str) -> Vec<String> {
    let selector = Selector::parse(selector).unwrap();
    html.select(&selector).map(|element| element.text().collect()).collect()
}

fn count(html: &Html, selector: &str) -> usize {
    texts(html, selector).len()
}

#[test]
fn every_page_is_html_without_errors() {
    let pairs = || vec![pair(0, 1), pair(1, 0)];
    let barrier = || vec![Row { collective: "barrier", bytes: 0, ..row("ring", 0, true) }];
    let empty = || vec![PairRow { bytes: 0, bandwidth_gb_s: 0.0, ..pair(0, 1) }];
    for (what, rows, pairs, pictures) in [
        (What::Matrix, Vec::new(), pairs(), 1),
        (What::Matrix, Vec::new(), empty(), 1),
        (What::SendRecv, Vec::new(), pairs(), 1),
        (What::SendRecv, Vec::new(), empty(), 0),
        (What::Collective(Collective::Barrier), barrier(), Vec::new(), 0),
        // No forced algorithm could serve any call.
        (ALL_REDUCE, Vec::new(), Vec::new(), 0),
    ] {
        let html = parsed(&measurements(what, rows, pairs), Theme::Auto);
        assert_eq!(texts(&html, "h1"), [format!("anyccl perf {}", what.name())]);
        assert_eq!(count(&html, "figure svg"), pictures);
        assert_eq!((count(&html, "h1"), count(&html, "title")), (1, 1 + count(&html, ".hint title")));
    }
}

#[test]
fn no_name_of_a_machine_breaks_out_of_the_place_for_it() {
    let measurements = compared();
    let html = parsed(&measurements, Theme::Auto);
    assert_eq!((count(&html, "script"), count(&html, "img"), count(&html, "svg")), (2, 0, 1));
    assert_eq!(texts(&html, ".warnings li"), [HOSTILE]);
    assert_eq!(texts(&html, "table:first-of-type td.words")[..2], [HOSTILE, HOSTILE]);
    let all = Selector::parse("*").unwrap();
    let mut attributes = html.select(&all).flat_map(|element| element.value().attrs());
    assert!(attributes.all(|(name, _)| !name.starts_with("on") && name != "src" && name != "href"));
    // The data survives the way into the page.
    let data: Value = serde_json::from_str(&texts(&html, "#report")[0]).unwrap();
    assert_eq!(data, serde_json::to_value(&measurements).unwrap());
}

#[test]
fn the_page_has_all_facts_and_a_line_for_each_measurement_without_its_script() {
    let html = parsed(&compared(), Theme::Auto);
    let facts = texts(&html, "dd");
    for fact in ["2026-11-26T08:00:00Z", "0.1.0", "2", "shm", "float32", "sum", "avx2", "blocking", "cpu"] {
        assert!(facts.iter().any(|known| known == fact), "{fact}: {facts:?}");
    }
    let cells = texts(&html, "h2 + .scroll td");
    assert_eq!(cells.len(), 5 + 4 * 11, "{cells:?}");
    // The middle half of the samples is wider than 20 % of the median.
    let line = ["all_reduce", "8", "2", "out", "ring *", "2.00 ~", "1.00", "4.00", "1.000", "1.000", "ok"];
    assert_eq!(cells[5..16], line);
    assert!(texts(&html, ".scroll + p")[0].contains("* is what the library chooses"));
}

#[test]
fn facts_have_no_operator_and_no_root_where_nothing_has_one() {
    let names = |what| {
        let html = parsed(&measurements(what, Vec::new(), Vec::new()), Theme::Auto);
        let names = texts(&html, "dt");
        ["datatype", "op", "root"].map(|name| names.iter().any(|known| known == name))
    };
    assert_eq!(names(What::All), [true, true, true]);
    assert_eq!(names(ALL_REDUCE), [true, true, false]);
    assert_eq!(names(What::Collective(Collective::Gather)), [true, false, true]);
    assert_eq!(names(What::Matrix), [false, false, false]);
}

#[test]
fn the_script_finds_each_line_with_its_key_and_a_hint_for_each_point() {
    let html = parsed(&compared(), Theme::Auto);
    let keys = texts(&html, ".series > .key text");
    assert_eq!(keys.iter().map(|key| key.trim()).collect::<Vec<_>>(), ["ring", "chain"]);
    // Two sizes in each of two panels.
    assert_eq!(count(&html, ".series > .marks > .hint"), 2 * 2 * 2);
    assert_eq!(count(&html, ".series > .marks > .spread"), 2);
    assert_eq!(count(&html, ".row > .spreads > .key"), 1);
    let hint = &texts(&html, ".hint")[0];
    assert!(hint.starts_with("ring, 8 B\n2 \u{b5}s (1 \u{b5}s to 4 \u{b5}s)"), "{hint}");
    let matrix = parsed(&measurements(What::Matrix, Vec::new(), vec![pair(0, 1), pair(1, 0)]), Theme::Auto);
    let hint = "latency of 8 B in us\nrank 0 to rank 1: 1.5";
    assert_eq!((count(&matrix, ".hint"), texts(&matrix, ".hint")[0].as_str()), (4, hint));
    assert_eq!(count(&matrix, "tr.wrong"), 1);
}

#[test]
fn a_page_has_the_background_that_is_wanted() {
    let style = |theme| texts(&parsed(&compared(), theme), "style").concat();
    let dark = "@media (prefers-color-scheme: dark)";
    let (auto, fixed) = (style(Theme::Auto), style(Theme::Dark));
    // That of the page, and that of the picture.
    assert_eq!((auto.matches(dark).count(), fixed.matches(dark).count()), (2, 0));
    assert!(fixed.contains("--background: #15181C"), "{fixed}");
}

#[test]
fn a_page_of_many_measurements_is_smaller_than_half_a_megabyte() {
    let sizes = (3..27).map(|power| 1 << power);
    let rows =
        sizes.flat_map(|bytes| ["a", "b", "c", "d", "e", "f", "g"].map(|name| row(name, bytes, false)));
    let page = page(&measurements(ALL_REDUCE, rows.collect(), Vec::new()), Theme::Auto).unwrap();
    assert!(page.len() < 500_000, "{}", page.len());
}

#[test]
fn only_a_name_that_browsers_know_is_accepted() {
    assert_eq!((check_name(Path::new("a/b.html")), check_name(Path::new("b.HTML"))), (Ok(()), Ok(())));
    for name in ["b", "b.htm.gz", ".html", "b.svg"] {
        assert!(check_name(Path::new(name)).unwrap_err().contains("a page ends in .html"), "{name}");
    }
}
