//! The firewall over streams, and mentions within them.

use folkmoot::core::text::firewall::{Firewall, Known, SpokenSpan, Withheld};
use serde_json::json;

use crate::corpus;

/// The longest text that is tried, as long as an answer of a model can be: what is longer only takes longer.
pub(super) const TEXT_MAX: usize = 300 * 1024;

/// However a text is split, the same is withheld, what passes is the text around it, and nothing is given twice or left
/// out. The first byte says how the rest is split.
pub(crate) fn law(input: &[u8]) {
    let Some((seed, text)) = input.split_first() else {
        return;
    };
    let text = String::from_utf8_lossy(&text[..text.len().min(TEXT_MAX)]);
    let (kept, withheld) = spans([&*text]);
    assert_eq!(
        spans(pieces(&text, 1 + usize::from(*seed) % 9)),
        (kept.clone(), withheld.clone())
    );
    let gone: usize = withheld
        .iter()
        .map(|gone| (gone.to - gone.from) as usize)
        .sum();
    assert_eq!(kept.len() + gone, text.len());
}

/// What passes, and what does not. The spans are the whole text, in order.
fn spans<'t>(pieces: impl IntoIterator<Item = &'t str>) -> (String, Vec<Withheld>) {
    let (mut firewall, mut kept, mut withheld, mut at) =
        (Firewall::new(known()), String::new(), Vec::new(), 0);
    let mut out = |span: SpokenSpan<'_>| match span {
        SpokenSpan::Pass { from, text } => {
            assert_eq!(from as usize, at, "{text:?}");
            at += text.len();
            kept.push_str(text);
        }
        SpokenSpan::Withheld(found) => {
            assert!(
                found.from as usize == at && found.from < found.to,
                "{found:?} at {at}"
            );
            at = found.to as usize;
            withheld.push(found);
        }
    };
    pieces
        .into_iter()
        .for_each(|piece| firewall.push(piece, &mut out));
    firewall.finish(&mut out);
    (kept, withheld)
}

/// A text in pieces of about so many bytes.
pub(super) fn pieces(text: &str, len: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, more) = rest.split_at(rest.ceil_char_boundary(len.min(rest.len())));
        rest = more;
        (!piece.is_empty()).then_some(piece)
    })
}

fn known() -> Known {
    let schema = json!({"type": "object", "properties": {"query": {"type": "string"}, "path": {"type": "string"}}});
    Known::new(
        [("search", &schema), ("delete_file", &schema)],
        ["installation_estimate"],
    )
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let rows = corpus::files("core/src/text/firewall/tests", ".txt");
    let texts = rows.iter().flat_map(|file| {
        let file = String::from_utf8_lossy(file).replace(['⟦', '⟧'], "");
        file.split("\n---")
            .map(|row| row.split_once('\n').unwrap_or_default().1.into())
            .collect::<Vec<Vec<u8>>>()
    });
    corpus::split(texts.filter(|text| !text.is_empty()).collect())
}
