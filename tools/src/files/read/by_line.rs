use std::fs::File;
use std::io::{BufRead, BufReader, Read};

use folkmoot_core::tool::{ToolErrorCode, ToolFailure};

use super::super::{StopSign, failed, io_failure};
use super::{not_text, whole_characters};

/// The most bytes in front of the first line that are gone through.
const SKIPPED_MAX: u64 = 256 * 1024 * 1024;

/// Lines of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Range {
    /// The number of the first one, from 1 on.
    pub(super) first: u64,
    /// The most lines.
    pub(super) max: u64,
    /// The most bytes.
    pub(super) bytes_max: u64,
}

/// The lines of the range, with a last line that says so if the file goes on.
pub(super) fn text(
    path: &str,
    file: File,
    range: Range,
    stop: &StopSign,
) -> Result<String, ToolFailure> {
    let failure = |error| io_failure(path, &error);
    let mut file = BufReader::new(file);
    let start = skip(path, &mut file, range.first, stop)?;
    let mut bytes = Vec::new();
    file.take(range.bytes_max.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(failure)?;
    let cut = Cut::of(&bytes, range);
    let shown = bytes.get(..cut.end).unwrap_or_default();
    let text = whole_characters(shown, false, cut.is_in_line).filter(|text| !text.contains('\0'));
    let text = text.ok_or_else(|| not_text(path))?;
    if cut.end == bytes.len() {
        return Ok(text.to_owned());
    }
    let next = if cut.is_in_line {
        format!("offset {}", start.saturating_add(text.len() as u64))
    } else {
        format!("line {}", range.first.saturating_add(cut.lines))
    };
    let text = text.strip_suffix('\n').unwrap_or(text);
    Ok(format!("{text}\n[cut: the file goes on at {next}]"))
}

/// Goes to a line, and tells at which byte it begins.
fn skip(
    path: &str,
    file: &mut BufReader<File>,
    line: u64,
    stop: &StopSign,
) -> Result<u64, ToolFailure> {
    let mut start = 0;
    for _ in 1..line {
        stop.check()?;
        let rest = SKIPPED_MAX.saturating_sub(start);
        let skipped = file.by_ref().take(rest).skip_until(b'\n');
        let skipped = skipped.map_err(|error| io_failure(path, &error))? as u64;
        start += skipped;
        if start == SKIPPED_MAX {
            let why = format!("line {line} of {path} is behind {SKIPPED_MAX} bytes: use `offset`");
            return Err(failed(ToolErrorCode::TooLarge, why));
        }
        if skipped == 0 {
            break;
        }
    }
    Ok(start)
}

/// The end of what is shown.
struct Cut {
    end: usize,
    /// The number of whole lines before it.
    lines: u64,
    /// True if the end is within a line, which is longer than all that may be shown.
    is_in_line: bool,
}

impl Cut {
    /// Finds it in `bytes`, which are one more than may be shown if the file goes on behind them.
    fn of(bytes: &[u8], range: Range) -> Self {
        let bytes_max = usize::try_from(range.bytes_max).unwrap_or(usize::MAX);
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let ends = ends
            .map(|(place, _)| place + 1)
            .take_while(|end| *end <= bytes_max);
        let (mut end, mut lines) = (0, 0);
        for next in ends {
            if lines == range.max {
                break;
            }
            (end, lines) = (next, lines + 1);
        }
        let is_whole = bytes.len() <= bytes_max && lines < range.max;
        let is_in_line = !is_whole && lines == 0;
        Self {
            end: match (is_whole, is_in_line) {
                (true, _) => bytes.len(),
                (false, true) => bytes_max,
                (false, false) => end,
            },
            lines,
            is_in_line,
        }
    }
}
