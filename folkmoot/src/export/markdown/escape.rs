//! Texts of others in Markdown.

/// What means something anywhere in a line, and what does at its beginning. `<`, `>` and `&` are written as entities.
const ANYWHERE: &str = "\\`*_[]|~$";
const FIRST: &str = "#+-=";

/// A text within a line: nothing in it means anything to Markdown. A line break becomes a blank.
pub(in crate::export) fn inline(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for (place, c) in text.trim().chars().enumerate() {
        match c {
            '\n' | '\r' | '\t' => safe.push(' '),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            c if ANYWHERE.contains(c) || (place == 0 && FIRST.contains(c)) => {
                safe.push('\\');
                safe.push(c);
            }
            c => safe.push(c),
        }
    }
    safe
}

/// A text in a quote: each of its lines is one, and none begins a list, a heading, a rule or a block of code.
pub(in crate::export) fn quoted(text: &str) -> String {
    let mut quote = String::new();
    let mut lines = text.trim_end().split('\n').peekable();
    while let Some(line) = lines.next() {
        let rest = line.trim_start_matches([' ', '\t']);
        let blanks = line.chars().count().saturating_sub(rest.chars().count());
        let line = format!("{}{}", "\u{a0}".repeat(blanks), numbered(&inline(rest)));
        quote.push_str(format!("> {line}").trim_end());
        // A line that does not end in a break would flow into the next one.
        quote.push_str(if lines.peek().is_some() { "  \n" } else { "\n" });
    }
    quote
}

/// A line that begins with a number and a dot or a bracket would begin a list.
fn numbered(line: &str) -> String {
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    match line.get(digits..) {
        Some(rest) if digits > 0 && rest.starts_with(['.', ')']) => {
            format!("{}\\{rest}", line.get(..digits).unwrap_or_default())
        }
        Some(_) | None => line.to_owned(),
    }
}

/// A text in a fence within a quote, longer than any run of marks in it.
pub(in crate::export) fn fenced(text: &str) -> String {
    let longest = text
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat(longest.saturating_add(1).max(3));
    let lines: String = text
        .trim_end()
        .split('\n')
        .map(|line| format!("> {line}\n"))
        .collect();
    format!("> {fence}text\n{lines}> {fence}\n")
}
