//! The places of the pages of a sled database: as its newest snapshot says, and the log behind
//! that.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::log::{Log, MessageKind, MessagePlace};
use super::node::{Fields, Page};

/// The most pages that sled numbers.
const PAGES_MAX: u64 = 1 << 37;

/// The places of the pages, and what did not read on the way.
#[derive(Debug, Default)]
pub(super) struct Pages {
    pub(super) all: Vec<Page>,
    pub(super) troubles: Vec<String>,
}

impl Pages {
    pub(super) fn find(folder: &Path, log: &Log) -> io::Result<Self> {
        let mut pages = Self::default();
        let from = match newest_snapshot(folder)? {
            None => 0,
            Some(path) => match read(&fs::read(&path)?) {
                Some((stable, all)) => {
                    pages.all = all;
                    stable
                }
                None => {
                    let name = path
                        .file_name()
                        .unwrap_or_default()
                        .to_string_lossy()
                        .into_owned();
                    pages
                        .troubles
                        .push(format!("log/{name} does not match its checksum"));
                    0
                }
            },
        };
        let replayed = log.messages(from, |message| {
            let number = usize::try_from(message.page)
                .ok()
                .filter(|_| message.page < PAGES_MAX);
            let Some(number) = number else { return };
            // A change of a page that nobody wrote makes none.
            if message.kind != MessageKind::Link && pages.all.len() <= number {
                pages.all.resize(number.saturating_add(1), Page::Unknown);
            }
            if let Some(page) = pages.all.get_mut(number) {
                page.take(message.kind, message.place);
            }
        })?;
        if let Err(twice) = replayed {
            pages.troubles.push(format!(
                "two segments of log/db have one number, the second at byte {twice}"
            ));
        }
        Ok(pages)
    }

    pub(super) fn get(&self, page: u64) -> Option<&[MessagePlace]> {
        match self.all.get(usize::try_from(page).ok()?)? {
            Page::Present(places) => Some(places),
            Page::Free | Page::Unknown => None,
        }
    }
}

/// The newest snapshot in a folder. What is half written is none.
pub(in crate::engines::sled) fn newest_snapshot(folder: &Path) -> io::Result<Option<PathBuf>> {
    let mut newest: Option<PathBuf> = None;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        if name
            .strip_prefix("snap.")
            .is_some_and(|number| u64::from_str_radix(number, 16).is_ok())
        {
            newest = newest.max(Some(path));
        }
    }
    Ok(newest)
}

/// Reads a snapshot: how far it goes, and where the pages stand. `None` if it is not as it was
/// written.
fn read(bytes: &[u8]) -> Option<(u64, Vec<Page>)> {
    let (body, checksum) = bytes.split_last_chunk::<4>()?;
    let (body, len) = body.split_last_chunk::<8>()?;
    if crc32fast::hash(body) != u32::from_le_bytes(*checksum)
        || u64::from_le_bytes(*len) != body.len() as u64
    {
        return None;
    }
    let mut fields = Fields(body);
    let stable = fields.long()?.saturating_sub(1);
    let _active = fields.number()?;
    let mut pages = Vec::new();
    while !fields.0.is_empty() {
        pages.push(page(&mut fields)?);
    }
    Some((stable, pages))
}

fn page(fields: &mut Fields<'_>) -> Option<Page> {
    let count = fields.byte()?;
    if count == 0 {
        let _lsn = fields.long()?;
        let _at = pointer(fields)?;
        return Some(Page::Free);
    }
    let places = (0..count).map(|_| {
        Some(MessagePlace {
            lsn: fields.long()?,
            at: pointer(fields)?,
            len: fields.number()?,
        })
    });
    places.collect::<Option<Vec<_>>>().map(Page::Present)
}

/// Returns where in the log something stands; `None` if it is kept outside of it.
fn pointer(fields: &mut Fields<'_>) -> Option<u64> {
    if fields.byte()? == 0 {
        fields.number()
    } else {
        None
    }
}
