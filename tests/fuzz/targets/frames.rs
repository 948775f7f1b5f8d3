//! Frames, and the units that are joined of them.

use folkmoot::store::testing::{cut, join, rewrite_commits};

/// The most bytes that one frame unpacks to.
const UNIT_MAX: usize = 1024 * 1024;

/// Where a frame's checksum stands.
const CHECKSUM_AT: usize = 22;

/// What frames hold is the same when it is cut into frames again, packed or not, and a short frame does not unpack
/// without bound. Frames are tried as they are, and with the checksum that they should have.
pub(crate) fn law(input: &[u8]) {
    let frames = frames(input);
    let sealed: Vec<Vec<u8>> = frames.iter().cloned().map(seal).collect();
    for units in [join(&frames), join(&sealed)].into_iter().flatten() {
        for unit in units {
            assert!(unit.len() <= UNIT_MAX.max(input.len()));
            for is_packed in [false, true] {
                let again = cut(&unit, 7, 3, is_packed).unwrap();
                assert!(unit.is_empty() || join(&again).unwrap() == [unit.clone()]);
            }
            assert!(
                rewrite_commits(&unit).is_ok_and(|again| again == unit)
                    || rewrite_commits(&unit).is_err()
            );
        }
    }
}

/// Each frame stands behind two bytes with its length.
fn frames(input: &[u8]) -> Vec<Vec<u8>> {
    let (mut rest, mut frames) = (input, Vec::new());
    while let Some((len, behind)) = rest.split_first_chunk::<2>() {
        let (frame, more) = behind.split_at(behind.len().min(u16::from_le_bytes(*len).into()));
        frames.push(frame.to_vec());
        rest = more;
    }
    frames
}

fn seal(mut frame: Vec<u8>) -> Vec<u8> {
    if let Some((head, rest)) = frame.split_at_mut_checked(CHECKSUM_AT)
        && let Some((checksum, payload)) = rest.split_first_chunk_mut::<4>()
    {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(head);
        hasher.update(payload);
        *checksum = hasher.finalize().to_le_bytes();
    }
    frame
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let listed = |frames: Vec<Vec<u8>>| -> Vec<u8> {
        frames
            .iter()
            .flat_map(|frame| [&(frame.len() as u16).to_le_bytes()[..], frame].concat())
            .collect()
    };
    let commits: Vec<Vec<u8>> = super::commits::seeds().into_iter().take(40).collect();
    let cut = |(commit, is_packed): (&Vec<u8>, bool)| listed(cut(commit, 9, 2, is_packed).unwrap());
    let bomb = zstd::bulk::compress(&vec![0; 64 * UNIT_MAX], 1).unwrap();
    let frame = |raw_len: u32| {
        [
            &[1, 1][..],
            &[0; 16],
            &raw_len.to_le_bytes(),
            &[0; 4],
            &bomb,
        ]
        .concat()
    };
    let bombs = [frame(64 * 1024 * 1024), frame(1024 * 1024), frame(u32::MAX)]
        .map(|frame| listed(vec![frame]));
    let long = [false, true].map(|is_packed| cut((&commits.concat(), is_packed)));
    commits
        .iter()
        .zip([true, false].into_iter().cycle())
        .map(cut)
        .chain(bombs)
        .chain(long)
        .collect()
}
