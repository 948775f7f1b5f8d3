//! Bytes as base64 in JSON: the standard alphabet, padded, nothing else.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::Error as _;
use serde::{Deserialize as _, Deserializer, Serializer};

use crate::Hash;

fn decode<'de, D: Deserializer<'de>>(text: &str) -> Result<Vec<u8>, D::Error> {
    STANDARD
        .decode(text)
        .map_err(|_| D::Error::custom("this is not base64 in its one form"))
}

fn fixed<'de, D: Deserializer<'de>, const N: usize>(text: &str) -> Result<[u8; N], D::Error> {
    let bytes = decode::<D>(text)?;
    let found = bytes.len();
    bytes
        .try_into()
        .map_err(|_| D::Error::custom(format!("{N} bytes are needed here, not {found}")))
}

/// Any number of bytes.
pub(super) mod bytes {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&STANDARD.encode(bytes))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        decode::<D>(&String::deserialize(from)?)
    }
}

/// A hash.
pub(super) mod hash {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(hash: &Hash, to: S) -> Result<S::Ok, S::Error> {
        bytes::serialize(hash, to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Hash, D::Error> {
        fixed::<D, 32>(&String::deserialize(from)?)
    }
}

/// A salt.
pub(super) mod salt {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(salt: &[u8; 16], to: S) -> Result<S::Ok, S::Error> {
        bytes::serialize(salt, to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<[u8; 16], D::Error> {
        fixed::<D, 16>(&String::deserialize(from)?)
    }
}

/// A hash that may be missing.
pub(super) mod link {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(link: &Option<Hash>, to: S) -> Result<S::Ok, S::Error> {
        match link {
            Some(link) => bytes::serialize(link, to),
            None => to.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Hash>, D::Error> {
        hash::deserialize(from).map(Some)
    }
}

/// Hashes in a row.
pub(super) mod hashes {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(hashes: &[Hash], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(hashes.iter().map(|hash| STANDARD.encode(hash)))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Hash>, D::Error> {
        let texts = Vec::<String>::deserialize(from)?;
        texts.iter().map(|text| fixed::<D, 32>(text)).collect()
    }
}
