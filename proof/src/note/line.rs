//! Signature lines apart from their note: a log keeps the line's value alone, and the text is made
//! again from the head.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{NoteError, SignedNote, SignerKey, key};

impl SignerKey {
    /// Signs the text of a note. Gives the value of the signature line: the key's id and the
    /// signature, in base64.
    #[must_use]
    pub fn line_value(&self, text: &str) -> String {
        STANDARD.encode([self.id().0.as_slice(), &self.sign(text.as_bytes())].concat())
    }
}

impl SignedNote {
    /// Puts a text, the name of a key and the value of its signature line together. Nothing is
    /// verified.
    ///
    /// # Errors
    /// [`NoteError`], each variant but `NoKnownKey` and `BadSignature`: no note has that text, name
    /// or value.
    pub fn of_line(text: &str, name: &str, value: &str) -> Result<Self, NoteError> {
        // A name with a space in it would be read as a shorter one.
        if !key::is_name(name) {
            return Err(NoteError::SignatureLine { line: 1 });
        }
        let note = Self::parse(format!("{text}\n{}{name} {value}\n", super::DASH).as_bytes())?;
        if note.text == text && note.signatures.len() == 1 {
            Ok(note)
        } else {
            Err(NoteError::Form)
        }
    }
}
