use html5ever::LocalName;

use super::writer::Gap;

/// The kinds of elements that make a difference in text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element {
    Heading(usize),
    Paragraph,
    /// Another element that stands in lines of its own.
    Block,
    List,
    Numbers,
    Item,
    /// A term of a list of definitions, or what it means.
    Term,
    Table,
    Row,
    Cell,
    Pre,
    Link,
    Break,
    Rule,
    Image,
    Title,
    /// Another element without content.
    Void,
    /// Scripts, styles and what else nobody reads. Each closes only its own.
    Unseen(Unseen),
    /// An element within a line.
    Inline,
}

/// The elements that nobody reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unseen {
    Script,
    Style,
    Template,
    Frame,
    Drawing,
    Formula,
    Media,
    Object,
    Choice,
    Field,
}

impl Element {
    pub(super) fn of(name: &LocalName) -> Self {
        match &**name {
            "h1" => Self::Heading(1),
            "h2" => Self::Heading(2),
            "h3" => Self::Heading(3),
            "h4" => Self::Heading(4),
            "h5" => Self::Heading(5),
            "h6" => Self::Heading(6),
            "p" => Self::Paragraph,
            "ul" | "menu" | "dl" => Self::List,
            "ol" => Self::Numbers,
            "li" => Self::Item,
            "dt" | "dd" => Self::Term,
            "table" => Self::Table,
            "tr" => Self::Row,
            "td" | "th" => Self::Cell,
            "pre" | "xmp" | "listing" | "plaintext" => Self::Pre,
            "a" => Self::Link,
            "br" => Self::Break,
            "hr" => Self::Rule,
            "img" => Self::Image,
            "title" => Self::Title,
            "input" | "meta" | "link" | "base" | "area" | "col" | "embed" | "source" | "track"
            | "wbr" | "param" => Self::Void,
            other => Self::unseen(other).unwrap_or_else(|| Self::other(other)),
        }
    }

    fn unseen(name: &str) -> Option<Self> {
        Some(Self::Unseen(match name {
            "script" => Unseen::Script,
            "style" => Unseen::Style,
            "template" => Unseen::Template,
            "iframe" | "noframes" | "noembed" | "frameset" => Unseen::Frame,
            "svg" | "canvas" => Unseen::Drawing,
            "math" => Unseen::Formula,
            "audio" | "video" => Unseen::Media,
            "object" | "applet" => Unseen::Object,
            "select" | "datalist" => Unseen::Choice,
            "textarea" => Unseen::Field,
            _ => return None,
        }))
    }

    fn other(name: &str) -> Self {
        match name {
            "html" | "body" | "head" | "div" | "section" | "article" | "aside" | "main" | "nav"
            | "header" | "footer" | "figure" | "figcaption" | "blockquote" | "form"
            | "fieldset" | "legend" | "details" | "summary" | "dialog" | "address" | "center"
            | "hgroup" | "search" | "caption" | "thead" | "tbody" | "tfoot" => Self::Block,
            _ => Self::Inline,
        }
    }

    /// Tells whether it has no content, and no end tag.
    pub(super) const fn is_empty(self) -> bool {
        matches!(self, Self::Break | Self::Rule | Self::Image | Self::Void)
    }

    pub(super) const fn is_never_seen(self) -> bool {
        matches!(self, Self::Unseen(_))
    }

    /// The distance that it keeps from what is around it.
    pub(super) const fn gap(self) -> Gap {
        match self {
            Self::Heading(_)
            | Self::Paragraph
            | Self::Table
            | Self::Pre
            | Self::Rule
            | Self::Title => Gap::Paragraph,
            Self::Block
            | Self::List
            | Self::Numbers
            | Self::Item
            | Self::Term
            | Self::Row
            | Self::Break => Gap::Line,
            Self::Cell | Self::Link | Self::Image | Self::Void | Self::Unseen(_) | Self::Inline => {
                Gap::None
            }
        }
    }

    /// Tells whether it ends where `next` begins, if no end tag came before.
    pub(super) const fn ends_before(self, next: Self) -> bool {
        match self {
            Self::Paragraph => next.stands_in_lines(),
            Self::Item => matches!(next, Self::Item),
            Self::Term => matches!(next, Self::Term),
            Self::Row => matches!(next, Self::Row),
            Self::Cell => matches!(next, Self::Cell | Self::Row),
            Self::Link => matches!(next, Self::Link),
            Self::Heading(_)
            | Self::Block
            | Self::List
            | Self::Numbers
            | Self::Table
            | Self::Pre
            | Self::Break
            | Self::Rule
            | Self::Image
            | Self::Title
            | Self::Void
            | Self::Unseen(_)
            | Self::Inline => false,
        }
    }

    /// Tells whether nothing outside of it ends where `next` begins within it.
    pub(super) const fn bars(self, next: Self) -> bool {
        match next {
            Self::Item | Self::Term => matches!(self, Self::List | Self::Numbers | Self::Table),
            Self::Row | Self::Cell => matches!(self, Self::Table),
            Self::Heading(_)
            | Self::Paragraph
            | Self::Block
            | Self::List
            | Self::Numbers
            | Self::Table
            | Self::Pre
            | Self::Rule => matches!(self, Self::Cell | Self::Item | Self::Block),
            Self::Link
            | Self::Break
            | Self::Image
            | Self::Title
            | Self::Void
            | Self::Unseen(_)
            | Self::Inline => false,
        }
    }

    const fn stands_in_lines(self) -> bool {
        matches!(
            self,
            Self::Heading(_)
                | Self::Paragraph
                | Self::Block
                | Self::List
                | Self::Numbers
                | Self::Table
                | Self::Pre
                | Self::Rule
                | Self::Item
                | Self::Term
                | Self::Row
                | Self::Cell
        )
    }
}
