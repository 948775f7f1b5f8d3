//! The result of a request: where it comes from in the first lines, in one form, and then what was said there.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use folkmoot_core::tool::ToolOutput;
use tokio::sync::Semaphore;

use super::body::{self, BodyError, End, Read};
use super::error::WebError;
use super::html;
use super::journey::Arrival;
use super::page::{self, Form, MediaType};
use super::place::Place;

/// The most pages that are turned into text at a time.
static PAGES: Semaphore = Semaphore::const_new(4);

/// Reads what is left of an answer, up to `max` bytes, and puts it into words.
pub(super) async fn show(arrival: Arrival, max: usize) -> Result<ToolOutput, WebError> {
    let Arrival {
        place,
        status,
        answer,
        has_acted,
    } = arrival;
    let mut head = format!("address: {place}\nstatus: {}", status.as_u16());
    let Some(mut answer) = answer else {
        return Ok(output(&head, "[the redirect was not followed]"));
    };
    let headers = std::mem::take(answer.response.headers_mut());
    let media = MediaType::of(&headers);
    let read = match body::read(&headers, answer.response.body_mut(), max).await {
        Ok(read) => read,
        // The request was answered, and that is what counts.
        Err(_) if has_acted => return Ok(output(&head, "[the content could not be read]")),
        Err(error) => return Err(unread(&place, error)),
    };
    if read.bytes.is_empty() && read.end == End::Whole {
        return Ok(output(&head, "[no content]"));
    }
    let essence = media.essence.as_deref().unwrap_or("unknown");
    let words = page::words(&media, &read.bytes);
    head.push_str(&format!("\ntype: {essence}"));
    let Some(words) = words else {
        let more = if read.end == End::Limit {
            "more than "
        } else {
            ""
        };
        let size = read.bytes.len();
        return Ok(output(
            &head,
            &format!("[not shown: {more}{size} bytes that are no text]"),
        ));
    };
    head.push_str(&format!("; charset={}", words.charset));
    let Read { bytes, end } = read;
    drop(bytes);
    let mut text = match words.form {
        Form::Html => {
            head.push_str("; shown as text");
            converted(words.text, place, max).await?
        }
        Form::Text | Form::Bytes => words.text,
    };
    if end == End::Limit {
        text.push_str(&format!("\n[cut: the content is longer than {max} bytes]"));
    }
    Ok(output(&head, &text))
}

fn output(head: &str, text: &str) -> ToolOutput {
    ToolOutput {
        summary: Some(head.to_owned()),
        ..ToolOutput::text(format!("{head}\n\n{text}"))
    }
}

fn unread(place: &Place, error: BodyError) -> WebError {
    let origin = place.origin.clone();
    match error {
        BodyError::Encoding(encoding) => WebError::BadEncoding { origin, encoding },
        BodyError::NotGzip => WebError::BadGzip { origin },
        BodyError::Broken(source) => WebError::Broken { origin, source },
    }
}

/// The text of a page. Dropping the future stops the thread at its next look.
async fn converted(page: String, place: Place, max: usize) -> Result<String, WebError> {
    let stopped = StopOnDrop::default();
    let sign = Arc::clone(&stopped.0);
    let permit = PAGES.acquire().await.ok();
    let text = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        html::text(&page, &place, max, || sign.load(Ordering::Acquire))
    });
    let text = text
        .await
        .map_err(|error| WebError::NotConverted(error.to_string()))?;
    text.ok_or_else(|| WebError::NotConverted("it was stopped".into()))
}

/// Tells a thread that nobody waits for it any more.
#[derive(Default)]
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}
