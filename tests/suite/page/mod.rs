//! The page of a report in a browser: what somebody sees who opens it from a ticket.

mod browser;

use crate::support::{fraglens, pcap};
use browser::{Scripts, Visitor, address};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A page, and the folder that it goes away with.
struct Made {
    path: PathBuf,
    _folder: TempDir,
}

impl Made {
    /// What fraglens writes of these captures.
    fn of(captures: &[PathBuf]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.html");
        fraglens()
            .args(["analyze", "--quiet", "--format", "html", "--output"])
            .arg(&path)
            .args(captures)
            .assert()
            .success();
        Self {
            path,
            _folder: folder,
        }
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.path).unwrap()
    }
}

/// Half of the fragments are gone here, and memory is full.
fn faulty() -> Made {
    Made::of(&[pcap("netperf-loss3.pcap.zst")])
}

/// Some flows and tunnels to sort.
fn many_flows() -> Made {
    let names = [
        "netperf-loss3.pcap.zst",
        "vxlan.pcap",
        "nested-vxlan-in-ipip.pcap",
        "gre.pcap",
        "icmp-errors.pcap",
        "corruption.pcap",
        "timeout-ipv6.pcap",
    ];
    Made::of(&names.map(pcap))
}

/// Keeps a picture for people to look at.
fn keep(name: &str, bytes: &[u8]) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join(name), bytes).unwrap();
}

#[test]
fn a_page_asks_for_nothing_and_complains_of_nothing() {
    let made = faulty();
    let visitor = Visitor::of(&made.path, Scripts::On);
    assert_eq!(visitor.ask("document.readyState"), "complete");
    let heard = visitor.heard();
    assert_eq!(heard.requests, [address(&made.path)]);
    assert_eq!(heard.complaints, [""; 0]);
    let headings = visitor.words("[...document.querySelectorAll('h1,h2')].map(h => h.textContent)");
    assert_eq!(
        headings[..3],
        ["netperf-loss3.pcap.zst", "Findings", "Over time"]
    );
    assert!(made.text().len() < 300_000);
}

/// The charts that are shown: of each there is one for telephones.
const CHARTS: &str = "[...document.querySelectorAll('svg[role=img]')]
    .filter(s => s.getBoundingClientRect().width > 0)";

#[test]
fn nothing_of_a_chart_is_cut() {
    let visitor = Visitor::of(&faulty().path, Scripts::On);
    // Where the text of a chart is not inside it, and where the chart is not on the page.
    let cut = format!(
        "{CHARTS}.flatMap(chart => {{
            const all = chart.getBoundingClientRect();
            const outside = [...chart.querySelectorAll('text')].filter(text => {{
                const box = text.getBoundingClientRect();
                return box.left < all.left - 1 || box.right > all.right + 1;
            }});
            const words = outside.map(text => text.textContent);
            return all.right > innerWidth ? [...words, chart.id, all.right] : words;
        }})"
    );
    let charts = format!("{CHARTS}.length");
    let wide = visitor.ask(&charts);
    for width in [375, 360, 1280] {
        visitor.resize(width, 800);
        assert_eq!(visitor.ask(&cut), serde_json::json!([]), "at {width} px");
        assert_eq!(visitor.ask(&charts), wide, "as many charts at {width} px");
    }
    let table = "(box => box.scrollWidth <= box.clientWidth)
        (document.getElementById('flows-table').parentElement)";
    assert_eq!(visitor.ask(table), true, "the last column is cut");
}

#[test]
fn a_command_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a\u{1b}[31mb'c.pcap", "txt\u{202e}pacp\n.pcap"] {
        let path = folder.path().join(name);
        fs::copy(pcap("sample.pcap"), &path).unwrap();
        let visitor = Visitor::of(&Made::of(std::slice::from_ref(&path)).path, Scripts::On);
        let commands = visitor.words(
            "[...document.querySelectorAll('#repeat code')]
            .map(code => code.textContent)",
        );
        let command = commands
            .iter()
            .find(|command| command.contains("--format json"));
        // The last word that the shell makes of it.
        let script = format!("set -- {}; printf %s \"${{!#}}\"", command.unwrap());
        let output = std::process::Command::new("bash")
            .args(["-c", &script])
            .output()
            .unwrap();
        assert_eq!(
            String::from_utf8(output.stdout).unwrap(),
            path.to_str().unwrap()
        );
    }
}

#[test]
fn charts_are_drawn_and_have_names() {
    let visitor = Visitor::of(&faulty().path, Scripts::On);
    let boxes = visitor.ask(&format!(
        "{CHARTS}.map(s => s.getBoundingClientRect()).map(b => [b.width, b.height])"
    ));
    let boxes = boxes.as_array().unwrap();
    assert!(boxes.len() >= 4, "{boxes:?}");
    for size in boxes {
        assert!(
            size[0].as_f64() > Some(300.0) && size[1].as_f64() > Some(30.0),
            "{size}"
        );
    }
    let points = visitor.ask(
        "[...document.querySelectorAll('#time svg.wide path')].map(p => p.getTotalLength() / p.getBBox().width)",
    );
    for points in points.as_array().unwrap() {
        assert!(points.as_f64() > Some(1.0), "{points}");
    }
    let names = visitor.image_names();
    assert_eq!(names.len(), boxes.len(), "{names:?}");
    assert!(names.iter().all(|name| name.len() > 10), "{names:?}");
    let ids = "[...document.querySelectorAll('[id]')].map(e => e.id)";
    assert_eq!(
        visitor.ask(&format!("new Set({ids}).size === {ids}.length")),
        true
    );
    let dead = "[...document.querySelectorAll('a[href^=\"#\"]')]
        .filter(a => !document.getElementById(a.hash.slice(1))).map(a => a.hash)";
    assert_eq!(visitor.words(dead), [""; 0]);
}

/// The figures of a column in the order of the rows.
fn column(visitor: &Visitor, name: &str) -> Vec<f64> {
    let script = format!(
        "(() => {{
            const table = document.getElementById('flows-table');
            const heads = [...table.tHead.rows[0].cells];
            const at = heads.findIndex(head => head.textContent === '{name}');
            return [...table.tBodies[0].rows].map(row => row.cells[at].dataset.v)
                .filter(value => value !== undefined).map(Number);
        }})()"
    );
    serde_json::from_value(visitor.ask(&script)).unwrap()
}

fn click(visitor: &Visitor, name: &str) -> String {
    let sorted = visitor.ask(&format!(
        "(() => {{
            const heads = [...document.querySelectorAll('#flows-table thead th')];
            const head = heads.find(head => head.textContent === '{name}');
            head.querySelector('button').click();
            return head.getAttribute('aria-sort');
        }})()"
    ));
    sorted.as_str().unwrap().to_owned()
}

#[test]
fn tables_are_sorted_by_their_heads() {
    let visitor = Visitor::of(&many_flows().path, Scripts::On);
    assert_eq!(click(&visitor, "bytes"), "descending");
    let mut bytes = column(&visitor, "bytes");
    assert!(bytes.len() > 8, "{bytes:?}");
    assert!(bytes.is_sorted_by(|a, b| a >= b), "{bytes:?}");
    let as_text: Vec<String> = bytes.iter().rev().map(f64::to_string).collect();
    assert!(!as_text.is_sorted(), "text would be in the same order");
    assert_eq!(click(&visitor, "bytes"), "ascending");
    bytes.reverse();
    assert_eq!(column(&visitor, "bytes"), bytes);
    assert_eq!(click(&visitor, "flow"), "ascending");
    let names = "[...document.querySelectorAll('#flows-table tbody th')].map(h => h.textContent)";
    let names = visitor.words(names);
    let place = |name: &str| names.iter().position(|row| row.starts_with(name));
    // By the numbers in an address, not by their digits.
    assert!(place("10.0.0.2 ") < place("10.1.0.2 ") && place("10.1.0.2 ") < place("192."));
    assert!(
        place("10.0.0.2 ").is_some() && place("192.").is_some(),
        "{names:?}"
    );
    let marked = "document.querySelectorAll('#flows-table [aria-sort]').length";
    assert_eq!(visitor.ask(marked), 1);
}

#[test]
fn rows_are_found_by_words() {
    let visitor = Visitor::of(&many_flows().path, Scripts::On);
    let shown = "[...document.querySelectorAll('#flows-table tbody tr')]
        .filter(row => row.offsetHeight > 0).map(row => row.textContent)";
    let all = visitor.words(shown).len();
    visitor.ask("document.getElementById('flows-table-filter').focus()");
    visitor.type_words("UDP vxlan");
    let found = visitor.words(shown);
    assert!(
        !found.is_empty() && found.len() < all,
        "{} of {all}",
        found.len()
    );
    assert!(
        found
            .iter()
            .all(|row| row.contains("udp") && row.contains("vxlan"))
    );
    let told = "document.querySelector('#flows output').textContent";
    assert_eq!(visitor.ask(told), format!("{} of {all} rows", found.len()));
    visitor.ask("location.hash = '#flow-1'");
    visitor.ask("new Promise(done => requestAnimationFrame(() => setTimeout(done)))");
    assert_eq!(
        visitor.words(shown).len(),
        all,
        "a row that is linked to is shown"
    );
}

#[test]
fn a_keyboard_is_enough() {
    let visitor = Visitor::of(&many_flows().path, Scripts::On);
    visitor.press("Tab");
    assert_eq!(visitor.ask("document.activeElement.className"), "skip");
    let is_button = "document.activeElement.matches('#flows-table th button')";
    let reached = (0..400).any(|_| {
        visitor.press("Tab");
        visitor.ask(is_button) == true
    });
    assert!(reached, "no head of the table of flows");
    let outline = "getComputedStyle(document.activeElement).outlineStyle";
    assert_eq!(visitor.ask(outline), "solid");
    visitor.press("Enter");
    let sorted = "document.activeElement.parentElement.getAttribute('aria-sort')";
    assert_eq!(visitor.ask(sorted), "descending");
    visitor.press("Enter");
    assert_eq!(visitor.ask(sorted), "ascending");
}

/// What is red, green and blue of a colour, added up.
fn brightness(visitor: &Visitor, property: &str) -> f64 {
    let sum = visitor.ask(&format!(
        "getComputedStyle(document.documentElement).{property}
            .match(/\\d+/g).slice(0, 3).map(Number).reduce((a, b) => a + b)"
    ));
    sum.as_f64().unwrap()
}

#[test]
fn it_is_light_dark_narrow_and_on_paper() {
    let visitor = Visitor::of(&faulty().path, Scripts::On);
    visitor.prefer("light");
    assert!(brightness(&visitor, "backgroundColor") > 700.0);
    assert!(brightness(&visitor, "color") < 200.0);
    keep("report.png", &visitor.picture());
    visitor.prefer("dark");
    assert!(brightness(&visitor, "backgroundColor") < 120.0);
    assert!(brightness(&visitor, "color") > 600.0);
    keep("report-dark.png", &visitor.picture());
    visitor.prefer("light");
    visitor.resize(375, 800);
    assert_eq!(
        visitor.ask("document.documentElement.scrollWidth <= 375"),
        true
    );
    keep("report-375.png", &visitor.picture());
    let paper = visitor.paper();
    assert!(paper.starts_with(b"%PDF"));
    let pages = paper
        .windows(12)
        .filter(|part| part == b"/Type /Page\n")
        .count();
    assert!(pages >= 2, "{pages} pages");
    keep("report.pdf", &paper);
    assert_eq!(visitor.heard().complaints, [""; 0]);
}

#[test]
fn it_is_read_without_a_script() {
    let visitor = Visitor::of(&faulty().path, Scripts::Off);
    let markup = visitor.markup();
    for part in [
        "were offered to 10.2.0.2",
        "The receiver's reassembly memory is full",
        "<details open",
        "sysctl -w net.ipv4.ipfrag_high_thresh=67108864",
        "10.1.0.2:40000 &gt; 10.2.0.2:5001 udp",
        "<p class=\"tools\" hidden",
    ] {
        assert!(markup.contains(part), "no {part}");
    }
    assert!(!markup.contains("<button"), "a button that does nothing");
}

#[test]
fn hostile_names_do_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("\"><script>document.title='owned'<");
    fs::create_dir(&inside).unwrap();
    let names = [
        "script>.pcap",
        "\"><img src=x onerror=\"document.title='owned'\">.pcap",
        "'--><svg onload=alert(1)>]]>\u{202e}.pcap",
        "<style>body{display:none}<.pcap",
    ];
    let paths: Vec<PathBuf> = names.iter().map(|name| inside.join(name)).collect();
    for path in &paths {
        fs::copy(pcap("sample.pcap"), path).unwrap();
    }
    let made = Made::of(&paths);
    let visitor = Visitor::of(&made.path, Scripts::On);
    let heard = visitor.heard();
    assert_eq!(heard.requests, [address(&made.path)]);
    assert_eq!(heard.complaints, [""; 0]);
    assert_eq!(visitor.ask("document.title.endsWith(' - fraglens')"), true);
    let counts = "['script', 'style', 'img', '[onload], [onerror]'].map(
        what => document.querySelectorAll(what).length)";
    assert_eq!(visitor.ask(counts), serde_json::json!([1, 1, 0, 0]));
    assert!(!made.text().contains('\u{202e}'));
    let seen =
        visitor.words("[...document.querySelectorAll('#files tbody th')].map(h => h.textContent)");
    assert!(
        seen[0].contains("<script>document.title='owned'</script>.pcap"),
        "{seen:?}"
    );
}
