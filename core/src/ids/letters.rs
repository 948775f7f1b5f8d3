//! What kind of character one is, by the Unicode data that
//! [`LOCKED_CRATES`](crate::world::decider::LOCKED_CRATES) pins: the compiler's own tables change
//! with the compiler.

use icu_properties::props::{
    DefaultIgnorableCodePoint, EmojiModifier, ExtendedPictographic, GeneralCategory,
    GeneralCategoryGroup, WhiteSpace,
};
use icu_properties::{CodePointMapData, CodePointSetData};

pub(crate) mod fold;

/// Joins emoji to one picture.
pub(crate) const JOINER: char = '\u{200d}';

/// `@`, also full-width and small, as input methods write it.
pub(crate) const fn is_at(c: char) -> bool {
    matches!(c, '@' | '＠' | '﹫')
}

/// A comma, also full-width.
pub(crate) const fn is_comma(c: char) -> bool {
    matches!(c, ',' | '，')
}

/// Tells whether `c` may stand between two mentions of a run, beside blanks: commas, semicolons,
/// slashes and ampersands.
pub(crate) const fn is_separator(c: char) -> bool {
    is_comma(c) || matches!(c, '、' | ';' | '；' | '/' | '／' | '&' | '＆')
}

/// Emphasis of Markdown, which may stand on both sides of a mention.
pub(crate) const fn is_emphasis(c: char) -> bool {
    matches!(c, '*' | '_')
}

/// Tells whether `c` may stand right before a mention at the start of a line: emphasis and
/// brackets. What is between quotation marks is somebody else's word.
pub(crate) fn is_wrap(c: char) -> bool {
    is_emphasis(c)
        || matches!(c, '¿' | '¡')
        || (is_bracket(c, GeneralCategory::OpenPunctuation) && !matches!(c, '„' | '‚' | '⹂'))
}

/// Tells whether `c` may stand right behind it.
pub(crate) fn is_unwrap(c: char) -> bool {
    is_emphasis(c) || is_bracket(c, GeneralCategory::ClosePunctuation)
}

fn is_bracket(c: char, side: GeneralCategory) -> bool {
    category(c) == side
}

/// White space, line breaks included.
pub(crate) fn is_white(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_whitespace() || c == '\u{b}'
    } else {
        CodePointSetData::new::<WhiteSpace>().contains(c)
    }
}

/// Characters that end a line for whoever reads it.
pub(crate) const fn is_break(c: char) -> bool {
    matches!(
        c,
        '\n' | '\u{b}' | '\u{c}' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// Characters without a shape of their own: soft hyphens, joiners, variation selectors and the
/// like.
pub(crate) fn is_ignorable(c: char) -> bool {
    !c.is_ascii() && CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
}

/// Tells whether there is nothing to see: white space or a character without a shape.
pub(crate) fn is_blank(c: char) -> bool {
    is_white(c) || is_ignorable(c)
}

/// Tells whether an e-mail address or a web address has `c` right before an `@`, behind a letter.
pub(crate) const fn goes_on_with_a_word(c: char) -> bool {
    matches!(c, '_' | '+' | '-' | '%' | '/')
}

/// Letters, digits and the marks on them.
pub(crate) fn is_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    let category = category(c);
    GeneralCategoryGroup::Letter.contains(category)
        || GeneralCategoryGroup::Number.contains(category)
        || GeneralCategoryGroup::Mark.contains(category)
}

/// Marks on the character before them, and the tones of emoji.
pub(crate) fn is_mark(c: char) -> bool {
    !c.is_ascii()
        && (GeneralCategoryGroup::Mark.contains(category(c))
            || CodePointSetData::new::<EmojiModifier>().contains(c))
}

/// Punctuation and symbols: whatever can stand behind a name without being part of it.
pub(crate) fn is_punctuation(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_punctuation();
    }
    let category = category(c);
    let is_sign = GeneralCategoryGroup::Punctuation.contains(category)
        || GeneralCategoryGroup::Symbol.contains(category);
    is_sign && !is_mark(c)
}

/// Punctuation that can be no part of a name's end: all but symbols beyond ASCII, which emoji are.
pub(crate) fn is_edge_punctuation(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_punctuation()
    } else {
        GeneralCategoryGroup::Punctuation.contains(category(c))
    }
}

/// Pictures that a joiner can join.
pub(crate) fn is_emoji(c: char) -> bool {
    !c.is_ascii()
        && (CodePointSetData::new::<ExtendedPictographic>().contains(c)
            || CodePointSetData::new::<EmojiModifier>().contains(c))
}

fn category(c: char) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get(c)
}
