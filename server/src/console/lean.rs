//! Scripts and styles as they are served: without comments and indentation.
//!
//! A quarter of them is types and reasons for whoever reads the source, and nothing to a browser.
//! The rules look at one line at a time, so the files keep to their form: a comment of its own
//! begins its line, one inside a line is `/** @… */`, and no template literal goes over lines.

/// The declarations of a style sheet without the spaces that only readers need.
pub(super) fn tight(css: &str) -> String {
    let pairs = [
        (" {", "{"),
        ("{ ", "{"),
        (" }", "}"),
        (": ", ":"),
        ("; ", ";"),
        (", ", ","),
        (" > ", ">"),
        ("\n", ""),
    ];
    let css = pairs
        .iter()
        .fold(lean(css), |css, (long, short)| css.replace(long, short));
    css.replace(";}", "}")
}

/// The text without comments of their own lines, types inside of lines, indentation and empty lines.
pub(super) fn lean(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut is_comment = false;
    for line in text.lines() {
        let mut line = line.trim();
        if is_comment {
            is_comment = !line.ends_with("*/");
            continue;
        }
        if line.starts_with("//") {
            continue;
        }
        if line.starts_with("/*") {
            let Some((_, behind)) = line.split_once("*/") else {
                is_comment = true;
                continue;
            };
            line = behind.trim_start();
        }
        let line = without_types(line);
        if !line.is_empty() {
            kept.push_str(&line);
            kept.push('\n');
        }
    }
    kept
}

/// The line without `/** @… */` and one space behind each.
fn without_types(line: &str) -> String {
    let mut kept = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, comment)) = rest.split_once("/** @")
        && let Some((_, behind)) = comment.split_once("*/")
    {
        kept.push_str(before);
        rest = behind.strip_prefix(' ').unwrap_or(behind);
    }
    kept.push_str(rest);
    kept
}
