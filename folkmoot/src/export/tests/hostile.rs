//! No text of a room means anything in what is written down.

use super::*;

const WORDS: [&str; 14] = [
    "<script>alert(1)</script>",
    "</svg><script>alert(1)</script>",
    "\"onload=\"alert(1)",
    "' onmouseover='alert(1)",
    "</pre></li></ol><h2>Integrity</h2><img src=x onerror=alert(1)>",
    "</title><style>*{display:none}</style><!-- ",
    "{{ name }}{% for x in y %}{# ",
    "&lt;script&gt;]]><![CDATA[",
    "# Heading\n## Another\n---\n===\n***",
    "fine\n\n**root** · #99 · 2030-01-01\n\n> allowed\n1. one\n2) two\n- three\n+ four",
    "```\n# out of the fence\n~~~\n    indented\n\tcode",
    "| a | b |\n|---|---|\n| 1 | 2 |\n[x]: http://x.example\n[link](javascript:alert(1)) ![i](x) <http://x.example>",
    "\u{202e}\u{1b}[2J\r\u{2028}# h\u{0}",
    "\\`*_[]<&$a$\\",
];

/// All that the page itself is made of.
const TAGS: [&str; 55] = [
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "header",
    "main",
    "footer",
    "nav",
    "section",
    "figure",
    "figcaption",
    "h1",
    "h2",
    "h3",
    "details",
    "summary",
    "p",
    "a",
    "ul",
    "ol",
    "li",
    "dl",
    "dt",
    "dd",
    "div",
    "span",
    "b",
    "i",
    "small",
    "code",
    "pre",
    "time",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "svg",
    "desc",
    "g",
    "line",
    "rect",
    "text",
    "path",
    "polygon",
    "/html",
    "/head",
    "/title",
    "/style",
    "/body",
    "/svg",
    "!doctype",
];
const ATTRIBUTES: [&str; 41] = [
    "html",
    "lang",
    "charset",
    "http-equiv",
    "content",
    "name",
    "class",
    "id",
    "href",
    "datetime",
    "aria-label",
    "aria-labelledby",
    "aria-hidden",
    "tabindex",
    "role",
    "xmlns",
    "width",
    "height",
    "viewBox",
    "x",
    "y",
    "x1",
    "y1",
    "x2",
    "y2",
    "rx",
    "text-anchor",
    "d",
    "points",
    "scope",
    "title",
    "/",
    "nothing",
    "none",
    "of",
    "all",
    "these",
    "is",
    "a",
    "word",
    "here",
];

/// A tag's name, and its attributes with their values.
type Tag = (String, Vec<(String, String)>);

/// The tags of a page, each with its attributes.
fn tags(page: &str) -> Vec<Tag> {
    let mut found = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        let (tag, behind) = tag(&rest[start + 1..]);
        found.push(tag);
        rest = behind;
    }
    found
}

/// Reads a tag as browsers do: a quoted value ends at its quote.
fn tag(text: &str) -> (Tag, &str) {
    let end = text.find(|c: char| c.is_whitespace() || c == '>').unwrap();
    let (name, mut rest) = text.split_at(end);
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_start();
        if let Some(behind) = rest.strip_prefix('>') {
            return ((name.to_owned(), attributes), behind);
        }
        let end = rest
            .find(|c: char| c.is_whitespace() || c == '=' || c == '>')
            .unwrap();
        let (key, behind) = if end == 0 {
            rest.split_at(1)
        } else {
            rest.split_at(end)
        };
        let Some(quoted) = behind.strip_prefix("=\"") else {
            assert!(!behind.starts_with('='), "an unquoted value of {key}");
            attributes.push((key.to_owned(), String::new()));
            rest = behind;
            continue;
        };
        let (value, behind) = quoted.split_once('"').unwrap();
        attributes.push((key.to_owned(), value.to_owned()));
        rest = behind;
    }
}

fn holds(page: &str) {
    let tags = tags(page);
    for (name, attributes) in &tags {
        let plain = name.trim_start_matches('/').trim_end_matches('/');
        assert!(TAGS.contains(&plain), "the tag {name}");
        for (key, value) in attributes {
            assert!(
                ATTRIBUTES.contains(&key.as_str()),
                "the attribute {key}={value} of {name}"
            );
            assert!(
                key != "href" || value.starts_with('#'),
                "a way out: {value}"
            );
        }
    }
    for once in ["html", "head", "style", "body", "svg", "title", "h1"] {
        let count = tags.iter().filter(|(name, _)| name == once).count();
        let is_fine = match once {
            "title" => count >= 1,
            // The heads of the picture are one of their own.
            "svg" => count == 0 || count == 2,
            _ => count == 1,
        };
        assert!(is_fine, "{count} of {once}");
    }
    assert!(
        !page.contains(['\u{202e}', '\u{1b}', '\u{0}', '\r']),
        "what nobody sees"
    );
}

#[test]
fn no_text_is_alive_in_a_report() {
    let who = [
        "ada",
        "x\"onload=alert(1)\"<script>x",
        "x'></svg><img src=x onerror=y",
    ];
    for words in WORDS {
        for who in who {
            holds(&Past::full_of(words, who).export(ExportFormat::Html));
        }
        let lines = vec![
            (words.to_owned(), CheckVerdict::Broken(words.to_owned())),
            (words.to_owned(), CheckVerdict::NotChecked(words.to_owned())),
        ];
        holds(&Past::began().export_with(ExportFormat::Html, &Integrity::Checked { lines }));
    }
}

#[test]
fn a_report_forbids_scripts_and_all_that_is_outside() {
    let page = Past::began().export(ExportFormat::Html);
    let policy =
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
    assert!(
        page.contains(&format!(
            "<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">"
        )),
        "{page}"
    );
    assert!(
        !page.contains("://")
            || page.matches("://").count() == page.matches("http://www.w3.org/2000/svg").count()
    );
}

/// What of a transcript is not in quotes.
fn structure(text: &str) -> Vec<String> {
    text.lines()
        .filter(|line| !line.starts_with('>'))
        .map(str::to_owned)
        .collect()
}

#[test]
fn no_text_forges_structure_in_a_transcript() {
    let plain = Past::full_of("words", "ada").export(ExportFormat::Markdown);
    // The words themselves stand in the lines that tell a reason and arguments; a digest depends on them.
    let cut = |line: &str| {
        ["because:", " with ", "shown "]
            .iter()
            .fold(line.to_owned(), |line, mark| {
                line.split(mark).next().unwrap_or_default().to_owned()
            })
    };
    let skeleton =
        |text: &str| -> Vec<String> { structure(text).iter().map(|line| cut(line)).collect() };
    for words in WORDS {
        let hostile = Past::full_of(words, "ada").export(ExportFormat::Markdown);
        assert_eq!(skeleton(&hostile), skeleton(&plain), "{hostile}");
        assert!(
            !hostile.contains(['\u{202e}', '\u{1b}', '\u{0}', '\r']),
            "what nobody sees"
        );
        assert!(
            !structure(&hostile)
                .iter()
                .any(|line| line.contains("<script")),
            "{hostile}"
        );
        for line in prose(&hostile) {
            let opens = line.starts_with(['#', '|', '+', '=', '-', '>', '\t', '`', '~'])
                || line.starts_with("    ");
            assert!(!opens && !line.contains('<'), "{line:?} in {hostile}");
            assert!(
                line.split_once(". ")
                    .is_none_or(|(number, _)| number.parse::<u32>().is_err()),
                "{line:?}"
            );
        }
    }
}

/// The quoted lines that do not stand between fences.
fn prose(text: &str) -> Vec<&str> {
    let mut fence: Option<&str> = None;
    let mut found = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("> ")) {
        match fence {
            None if line.starts_with("```") => fence = Some(line.trim_end_matches("text")),
            None => found.push(line),
            Some(open) if line == open => fence = None,
            Some(_) => {}
        }
    }
    assert_eq!(fence, None, "every fence is closed: {text}");
    found
}
