//! A page as text for models.
//!
//! The page is read token by token, without a tree: time and memory are those of its length, however deep it is nested, and
//! nothing here calls itself.

use std::cell::RefCell;

use html5ever::buffer_queue::BufferQueue;
use html5ever::interface::TokenizerResult;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

mod element;
mod writer;

use element::Element;
use writer::{Gap, Writer};

use super::place::Place;

/// The bytes that are read between two looks at whether somebody still waits.
const STEP: usize = 1024;
/// The most bytes of one tag or comment: a picture may stand in it.
const TOKEN_BYTES_MAX: usize = 512 * 1024;
/// The most signs between attributes in one tag: its time grows with the square of their number.
const TOKEN_SIGNS_MAX: usize = 10_000;
/// The deepest nesting that is followed; what is deeper counts as part of the deepest element.
const DEPTH_MAX: usize = 100;

/// The text of a page, up to `max` bytes; `None` if `is_stopped` says that nobody waits any more.
pub(super) fn text(
    page: &str,
    place: &Place,
    max: usize,
    is_stopped: impl Fn() -> bool,
) -> Option<String> {
    let sink = Sink(RefCell::new(Reader::new(place, max)));
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let input = BufferQueue::default();
    let mut rest = page;
    let mut silent = Silence::default();
    while !rest.is_empty() {
        if is_stopped() {
            return None;
        }
        let (step, behind) = rest.split_at(rest.floor_char_boundary(STEP));
        rest = behind;
        input.push_back(StrTendril::from_slice(step));
        while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
        let mut reader = tokenizer.sink.0.borrow_mut();
        if reader.take_heard() {
            silent = Silence::default();
        }
        if reader.writer.is_full() || silent.is_too_long_with(step) {
            return Some(reader.finish(true));
        }
    }
    tokenizer.end();
    let text = tokenizer.sink.0.borrow_mut().finish(false);
    Some(text)
}

/// The part of a tag or a comment that has been read.
#[derive(Debug, Default)]
struct Silence {
    bytes: usize,
    /// The signs that can stand between two attributes.
    signs: usize,
}

impl Silence {
    fn is_too_long_with(&mut self, step: &str) -> bool {
        let is_sign = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'"' | b'\'');
        self.bytes += step.len();
        self.signs += step.bytes().filter(is_sign).count();
        self.bytes > TOKEN_BYTES_MAX || self.signs > TOKEN_SIGNS_MAX
    }
}

/// What is open while a page is read.
struct Reader<'p> {
    /// The page's own place: links are relative to it.
    place: &'p Place,
    /// The open elements, the outermost first; at most [`DEPTH_MAX`] that are seen, and as many that are not.
    open: Vec<Open>,
    writer: Writer,
    /// True if a token came since the last look.
    heard: bool,
}

/// An open element.
struct Open {
    element: Element,
    /// True if nothing in it is seen.
    is_hidden: bool,
    /// The place of its text, and where it leads, if it is a link.
    link: Option<(usize, String)>,
    /// The number of its last item, if it is a numbered list.
    items: u32,
}

struct Sink<'p>(RefCell<Reader<'p>>);

impl TokenSink for Sink<'_> {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut reader = self.0.borrow_mut();
        match token {
            Token::TagToken(tag) => {
                reader.heard = true;
                return match tag.kind {
                    TagKind::StartTag => reader.start(&tag),
                    TagKind::EndTag => {
                        reader.end(Element::of(&tag.name));
                        TokenSinkResult::Continue
                    }
                };
            }
            Token::CharacterTokens(text) => {
                reader.heard = true;
                reader.say(&text);
            }
            Token::CommentToken(_) | Token::DoctypeToken(_) => reader.heard = true,
            // A fault of the page is not a part of it.
            Token::NullCharacterToken | Token::EOFToken | Token::ParseError(_) => {}
        }
        TokenSinkResult::Continue
    }
}

impl<'p> Reader<'p> {
    fn new(place: &'p Place, max: usize) -> Self {
        Self {
            place,
            open: Vec::new(),
            writer: Writer::new(max),
            heard: false,
        }
    }

    fn take_heard(&mut self) -> bool {
        std::mem::take(&mut self.heard)
    }

    fn is_hidden(&self) -> bool {
        self.open.last().is_some_and(|open| open.is_hidden)
    }

    fn is_within(&self, element: Element) -> bool {
        self.open.iter().any(|open| open.element == element)
    }

    fn say(&mut self, text: &str) {
        if self.is_hidden() {
            return;
        }
        if self.is_within(Element::Pre) {
            self.writer.exact(text);
        } else {
            self.writer.words(text);
        }
    }

    fn start(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let element = Element::of(&tag.name);
        self.close_before(element);
        let is_hidden = self.is_hidden() || element.is_never_seen() || is_hidden(tag);
        if !is_hidden {
            self.open_seen(element, tag);
        }
        let depth_max = if is_hidden { 2 * DEPTH_MAX } else { DEPTH_MAX };
        if !element.is_empty() && self.open.len() < depth_max {
            let link = (element == Element::Link && !is_hidden)
                .then(|| self.target(tag))
                .flatten()
                .map(|target| (self.writer.begin_link(), target));
            self.open.push(Open {
                element,
                is_hidden,
                link,
                items: 0,
            });
        }
        match &*tag.name {
            "title" | "textarea" => TokenSinkResult::RawData(RawKind::Rcdata),
            "script" => TokenSinkResult::RawData(RawKind::ScriptData),
            "style" | "xmp" | "iframe" | "noembed" | "noframes" => {
                TokenSinkResult::RawData(RawKind::Rawtext)
            }
            "plaintext" => TokenSinkResult::Plaintext,
            _ => TokenSinkResult::Continue,
        }
    }

    /// Writes the beginning of an element that is seen.
    fn open_seen(&mut self, element: Element, tag: &Tag) {
        match element {
            Element::Heading(level) => self
                .writer
                .mark(Gap::Paragraph, &format!("{} ", "#".repeat(level))),
            Element::Item => {
                let mark = self.item_mark();
                self.writer.mark(Gap::Line, &mark);
            }
            Element::Cell => self.writer.cell(),
            Element::Break => self.writer.gap(Gap::Line),
            Element::Rule => {
                self.writer.mark(Gap::Paragraph, "---");
                self.writer.gap(Gap::Paragraph);
            }
            Element::Pre => {
                self.writer.mark(Gap::Paragraph, "```");
                self.writer.gap(Gap::Line);
            }
            Element::Image => {
                if let Some(alt) = attribute(tag, "alt").filter(|alt| !alt.trim().is_empty()) {
                    self.writer.words(&format!("[image: {}]", alt.trim()));
                }
            }
            Element::Paragraph
            | Element::Block
            | Element::List
            | Element::Numbers
            | Element::Term
            | Element::Table
            | Element::Row
            | Element::Title
            | Element::Link
            | Element::Void
            | Element::Unseen(_)
            | Element::Inline => self.writer.gap(element.gap()),
        }
    }

    /// The sign in front of an item, behind the blanks of the lists around it.
    fn item_mark(&mut self) -> String {
        let is_list = |open: &Open| matches!(open.element, Element::List | Element::Numbers);
        let depth = self.open.iter().filter(|open| is_list(open)).count();
        let blanks = "  ".repeat(depth.saturating_sub(1).min(8));
        match self.open.iter_mut().rev().find(|open| is_list(open)) {
            Some(list) if list.element == Element::Numbers => {
                list.items = list.items.saturating_add(1);
                format!("{blanks}{}. ", list.items)
            }
            Some(_) | None => format!("{blanks}- "),
        }
    }

    fn target(&self, tag: &Tag) -> Option<String> {
        let href = attribute(tag, "href")?;
        // A link within the page leads nowhere else.
        if href.trim_start().starts_with('#') {
            return None;
        }
        self.place.link(&href).map(String::from)
    }

    /// Closes what ends where `next` begins, as browsers do.
    fn close_before(&mut self, next: Element) {
        let ended = |open: &Open| open.element.ends_before(next);
        let bars = |open: &Open| open.element.bars(next);
        let place = self.open.iter().rposition(|open| ended(open) || bars(open));
        if let Some(place) = place.filter(|place| self.open.get(*place).is_some_and(ended)) {
            self.close_from(place);
        }
    }

    fn end(&mut self, element: Element) {
        if let Some(place) = self.open.iter().rposition(|open| open.element == element) {
            self.close_from(place);
        }
    }

    fn close_from(&mut self, place: usize) {
        while self.open.len() > place {
            let Some(open) = self.open.pop() else {
                return;
            };
            if open.is_hidden {
                continue;
            }
            if let Some((start, target)) = open.link {
                self.writer.end_link(start, &target);
            }
            if open.element == Element::Pre {
                self.writer.mark(Gap::Line, "```");
            }
            self.writer.gap(open.element.gap());
        }
    }

    fn finish(&mut self, is_cut: bool) -> String {
        self.close_from(0);
        self.writer.finish(is_cut)
    }
}

fn attribute(tag: &Tag, name: &str) -> Option<StrTendril> {
    let found = tag
        .attrs
        .iter()
        .find(|attribute| &*attribute.name.local == name);
    found.map(|attribute| attribute.value.clone())
}

/// Tells whether a person does not see the element, as far as the tag itself says so.
fn is_hidden(tag: &Tag) -> bool {
    let says = |name, value: &str| {
        attribute(tag, name).is_some_and(|found| found.trim().eq_ignore_ascii_case(value))
    };
    let style = attribute(tag, "style").unwrap_or_default();
    let style: String = style.chars().filter(|c| !c.is_whitespace()).collect();
    let style = style.to_ascii_lowercase();
    let hides = [
        "display:none",
        "visibility:hidden",
        "opacity:0;",
        "font-size:0;",
        "font-size:0px",
    ];
    attribute(tag, "hidden").is_some()
        || says("aria-hidden", "true")
        || &*tag.name == "input" && says("type", "hidden")
        || hides.iter().any(|rule| format!("{style};").contains(rule))
}
