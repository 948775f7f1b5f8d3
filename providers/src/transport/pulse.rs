//! The signs of life of a stream: bytes that are part of an event or a ping. All others are
//! nothing.
//!
//! A proxy may send blank lines for as long as it is open, whatever became of the model behind it.
//! They are no sign of life.

/// The fields that a line of an event begins with.
const FIELDS: [&[u8]; 4] = [b"data", b"event", b"id", b"retry"];

/// Listens to a stream that may be split anywhere.
#[derive(Debug, Default)]
pub(super) struct StreamPulse {
    /// The line that goes on.
    line: PulseLine,
    /// True if the event that goes on has any line: a blank one ends it then.
    is_in_event: bool,
    /// True if the last byte was a carriage return.
    is_after_cr: bool,
}

/// The line that goes on.
#[derive(Debug, Default)]
enum PulseLine {
    /// No byte of it came.
    #[default]
    Blank,
    /// The beginning of a field's name.
    Name(Vec<u8>),
    /// A line that is part of an event, or a ping.
    Beats,
    /// A line that is neither.
    Noise,
}

impl StreamPulse {
    /// True if any of `bytes` is part of an event or a ping.
    pub(super) fn beats(&mut self, bytes: &[u8]) -> bool {
        let mut beats = false;
        for byte in bytes {
            beats |= self.take(*byte);
        }
        beats
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_second_half =
            std::mem::replace(&mut self.is_after_cr, byte == b'\r') && byte == b'\n';
        match byte {
            _ if is_second_half => false,
            b'\n' | b'\r' => self.end_line(),
            byte => {
                self.line = std::mem::take(&mut self.line).and(byte);
                !matches!(self.line, PulseLine::Noise)
            }
        }
    }

    fn end_line(&mut self) -> bool {
        match std::mem::take(&mut self.line) {
            PulseLine::Blank => std::mem::take(&mut self.is_in_event),
            PulseLine::Noise => false,
            PulseLine::Name(_) | PulseLine::Beats => {
                self.is_in_event = true;
                true
            }
        }
    }
}

impl PulseLine {
    /// The line with one more byte. A line that begins with a colon is a comment: what pings are.
    fn and(self, byte: u8) -> Self {
        let mut name = match self {
            Self::Blank if byte == b':' => return Self::Beats,
            Self::Blank => Vec::new(),
            Self::Name(name) if byte == b':' => {
                return if FIELDS.contains(&name.as_slice()) {
                    Self::Beats
                } else {
                    Self::Noise
                };
            }
            Self::Name(name) => name,
            known @ (Self::Beats | Self::Noise) => return known,
        };
        name.push(byte);
        if FIELDS.iter().any(|field| field.starts_with(&name)) {
            Self::Name(name)
        } else {
            Self::Noise
        }
    }
}

#[cfg(test)]
mod tests;
