//! The things that a node offers.

use std::fmt;

/// A thing that a node has, as the ledger writes it: its kind, a colon, and what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer<'a> {
    /// A folder: rooms whose script stands there need it.
    Base(&'a str),
    /// The digest of all templates of a server.
    Templates(&'a str),
    /// The URL at which browsers find a server.
    Public(&'a str),
}

impl<'a> Offer<'a> {
    /// Reads what a node offers; `None`: it is of a kind that people made up.
    #[must_use]
    pub fn read(text: &'a str) -> Option<Self> {
        let (kind, what) = text.split_once(':')?;
        match kind {
            "base" => Some(Self::Base(what)),
            "templates" => Some(Self::Templates(what)),
            "public" => Some(Self::Public(what)),
            _ => None,
        }
    }
}

impl fmt::Display for Offer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Base(folder) => write!(f, "base:{folder}"),
            Self::Templates(digest) => write!(f, "templates:{digest}"),
            Self::Public(url) => write!(f, "public:{url}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Offer;

    #[test]
    fn offer_reads_as_it_is_written() {
        for offer in [
            Offer::Base("/srv/a:b"),
            Offer::Templates("00ff"),
            Offer::Public("https://rooms.example"),
        ] {
            assert_eq!(Offer::read(&offer.to_string()), Some(offer));
        }
        for other in ["gpu", "gpu:2", "Base:/srv", ""] {
            assert_eq!(Offer::read(other), None);
        }
    }
}
