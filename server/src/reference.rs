//! The reference page, made from the OpenAPI document: it loads nothing, and runs nothing.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// The methods of a route, in the order in which they are shown.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

const STYLE: &str = "\
body{font:16px/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}\
code{font:14px/1.5 ui-monospace,monospace}section{border-top:1px solid #8886;padding:.5rem 0 1rem}\
h2{margin-top:3rem}h3{margin:.75rem 0 .25rem}h3 b{display:inline-block;min-width:4.5rem}\
table{border-collapse:collapse}td{padding:.1rem 1rem .1rem 0;vertical-align:top}";

/// Writes the page.
pub(crate) fn page(document: &Value) -> String {
    let title = text(document.pointer("/info/title"));
    let about = text(document.pointer("/info/description"));
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><title>{title}</title><style>{STYLE}</style><h1>{title}</h1>\
         <p>{about} The same as data: <a href=\"openapi.json\">openapi.json</a>. A request that is not \
         done is answered with a problem (RFC 9457), whose <code>code</code> says why.</p>"
    );
    let none = Map::new();
    let paths = document.get("paths").and_then(Value::as_object);
    let mut routes = Vec::new();
    for (path, route) in paths.unwrap_or(&none) {
        for method in METHODS {
            if let Some(operation) = route.get(method) {
                let tag = text(operation.pointer("/tags/0"));
                routes.push((tag, path, method, operation));
            }
        }
    }
    routes.sort_by(|one, other| (&one.0, one.1).cmp(&(&other.0, other.1)));
    let mut tags: Vec<&String> = routes.iter().map(|(tag, ..)| tag).collect();
    tags.dedup();
    page.push_str("<nav>");
    for tag in tags {
        push(&mut page, format_args!("<a href=\"#{tag}\">{tag}</a> "));
    }
    page.push_str("</nav>");
    let mut last = "";
    for (tag, path, method, operation) in &routes {
        if tag != last {
            push(&mut page, format_args!("<h2 id=\"{tag}\">{tag}</h2>"));
            last = tag;
        }
        write_operation(&mut page, path, method, operation);
        write_details(&mut page, document, operation);
    }
    page
}

fn write_operation(page: &mut String, path: &str, method: &str, operation: &Value) {
    let method = method.to_uppercase();
    let path = escaped(path);
    let summary = text(operation.get("summary"));
    let about = text(operation.get("description"));
    push(
        page,
        format_args!("<section><h3><b>{method}</b> <code>{path}</code></h3><p>{summary}.</p>"),
    );
    if !about.is_empty() {
        push(page, format_args!("<p>{about}</p>"));
    }
}

/// Writes a table of what an operation takes, and of its answers when it is done.
fn write_details(page: &mut String, document: &Value, operation: &Value) {
    page.push_str("<table>");
    for parameter in list(operation.get("parameters")) {
        let name = text(parameter.get("name"));
        let place = text(parameter.get("in"));
        let about = text(parameter.get("description"));
        push(
            page,
            format_args!("<tr><td><code>{name}</code><td>{place}<td>{about}</tr>"),
        );
    }
    let body = operation
        .pointer("/requestBody/content")
        .and_then(Value::as_object);
    for (kind, content) in body.into_iter().flatten() {
        let kind = escaped(kind);
        push(page, format_args!("<tr><td>body<td>{kind}<td></tr>"));
        let schema = content.pointer("/schema/$ref").and_then(Value::as_str);
        let schema = schema.and_then(|schema| document.pointer(schema.trim_start_matches('#')));
        write_fields(page, schema.unwrap_or(&Value::Null));
    }
    let responses = operation.get("responses").and_then(Value::as_object);
    let done = |status: &&String| status.starts_with('2');
    let responses = responses.into_iter().flatten();
    for (status, response) in responses.filter(|(status, _)| done(status)) {
        let status = escaped(status);
        let about = text(response.get("description"));
        push(
            page,
            format_args!("<tr><td>{status}<td>answer<td>{about}</tr>"),
        );
    }
    page.push_str("</table></section>");
}

/// Writes a row for each field of a body.
fn write_fields(page: &mut String, schema: &Value) {
    let needed = list(schema.get("required"));
    let fields = schema.get("properties").and_then(Value::as_object);
    for (name, field) in fields.into_iter().flatten() {
        let is_needed = needed.iter().any(|needed| needed == name);
        let need = if is_needed {
            "field"
        } else {
            "field, optional"
        };
        let (name, about) = (escaped(name), text(field.get("description")));
        push(
            page,
            format_args!("<tr><td><code>{name}</code><td>{need}<td>{about}</tr>"),
        );
    }
}

fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn push(page: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _written = page.write_fmt(text);
}

/// The text, safe in a page; what stands between backquotes is code.
fn text(value: Option<&Value>) -> String {
    let text = escaped(value.and_then(Value::as_str).unwrap_or_default());
    let mut pieces = text.split('`');
    let mut page = pieces.next().unwrap_or_default().to_owned();
    for (number, piece) in pieces.enumerate() {
        page.push_str(if number % 2 == 0 { "<code>" } else { "</code>" });
        page.push_str(piece);
    }
    page
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            letter => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_route_and_each_field_of_a_body_stands_on_the_page() {
        let document = crate::openapi();
        let page = page(&document);
        let paths = document["paths"].as_object().unwrap();
        assert!(paths.len() > 20, "{paths:?}");
        for path in paths.keys() {
            assert!(page.contains(&format!("<code>{path}</code>")), "{path}");
        }
        for field in ["idempotency-key", "verdict", "share_reason", "template"] {
            let shown = page.to_lowercase();
            assert!(shown.contains(&format!("<code>{field}</code>")), "{field}");
        }
        assert!(!page.contains('`'), "a mark of code is shown as it is");
    }

    #[test]
    fn a_text_stays_text() {
        let document = serde_json::json!({ "info": { "title": "<b>`&`" } });
        let page = page(&document);
        assert!(
            page.contains("<h1>&lt;b&gt;<code>&amp;</code></h1>"),
            "{page}"
        );
    }
}
