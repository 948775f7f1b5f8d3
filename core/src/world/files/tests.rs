use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::ids::{Digest, PersonName};

fn person(subject: &str) -> Person {
    Person {
        method: Person::SCRIPT.to_owned(),
        subject: subject.to_owned(),
        display: PersonName::new(subject).unwrap(),
    }
}

fn file() -> Attachment {
    Attachment {
        blob: Digest::of(&[b"rows"]),
        media_type: "text/csv".to_owned(),
        name: "orders.csv".to_owned(),
        bytes: 4,
        parts: Vec::new(),
    }
}

/// Files that come in runs: whose they are, and how many.
fn runs() -> impl Strategy<Value = Vec<(usize, usize)>> {
    prop::collection::vec((0..OWNERS.len(), 1..=400_usize), 1..12)
}

const OWNERS: [Option<&str>; 4] = [None, Some("ada"), Some("ben"), Some("cat")];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn nobody_pushes_out_the_files_of_who_has_a_fair_share(runs in runs()) {
        let mut files = Files::default();
        let mut came: BTreeMap<Option<&str>, Vec<FileId>> = BTreeMap::new();
        let mut position = Position::new(1);
        for (owner, count) in &runs {
            let owner = OWNERS[*owner];
            for _ in 0..*count {
                files.add(position, &[file()], owner.map(person).as_ref());
                came.entry(owner).or_default().push(FileId { at: position, ordinal: 0 });
                position = position.next();
            }
        }
        let total: usize = runs.iter().map(|(_, count)| count).sum();
        prop_assert_eq!(files.all.len(), total.min(FILES_MAX));
        prop_assert_eq!(files.gone, total.saturating_sub(FILES_MAX) as u64);
        let share = FILES_MAX / came.len();
        for (owner, ids) in came {
            let left = files.all.iter().filter(|file| file.owner == owner.map(person));
            let left: Vec<FileId> = left.map(|file| file.id).collect();
            // Of each owner the newest are left, and all of whoever has no more than a fair share.
            prop_assert_eq!(&left[..], &ids[ids.len() - left.len()..]);
            prop_assert!(left.len() >= ids.len().min(share), "{:?} has {} of {}", owner, left.len(), ids.len());
        }
    }
}
