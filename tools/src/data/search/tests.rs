use std::sync::Arc;

use proptest::prelude::*;
use rusqlite::Connection;

use super::{Hit, IndexPlace, TextIndex};
use crate::data::{Description, Import, ImportError, IsStopped};

const CSV: &str =
    "name,town,n\nZoë Ångström,Kiel,1\nzoe smith,Ulm,2\nAda,Kiel am See,3\nAda Ada,x,4\n";

fn table(csv: &str) -> (Connection, Description) {
    let mut connection = Connection::open_in_memory().unwrap();
    let import = Import::new("x.csv", Arc::new(csv.as_bytes().to_vec()));
    let description = import.run(&mut connection, "t").unwrap();
    (connection, description)
}

fn going() -> IsStopped {
    Arc::new(|| false)
}

fn index(csv: &str) -> TextIndex {
    let (connection, description) = table(csv);
    TextIndex::make(&connection, "t", &description, IndexPlace::Memory, &going()).unwrap()
}

fn rows(index: &TextIndex, words: &str) -> Vec<i64> {
    index
        .find(words, 10)
        .unwrap()
        .into_iter()
        .map(|hit| hit.row)
        .collect()
}

#[test]
fn words_are_found_whatever_their_case_and_accents() {
    let index = index(CSV);
    for (words, expected) in [
        ("zoe", vec![1, 2]),
        ("ZOË", vec![1, 2]),
        ("angstrom kiel", vec![1]),
        ("kiel", vec![1, 3]),
        ("ada kiel", vec![3]),
        ("ada", vec![4, 3]),
        ("zo", vec![]),
        ("nobody", vec![]),
        ("", vec![]),
        ("  --- ", vec![]),
        ("town:kiel", vec![]),
        ("kiel OR ulm", vec![]),
        ("\"kiel\"", vec![1, 3]),
        ("+kiel -see", vec![3]),
    ] {
        assert_eq!(rows(&index, words), expected, "{words}");
    }
}

#[test]
fn hits_are_bounded_and_those_of_one_score_are_in_order() {
    let index = index(&format!("name,n\n{}", "same,1\n".repeat(2_000)));
    assert_eq!(rows(&index, "same"), (1..=10).collect::<Vec<_>>());
    assert_eq!(
        index.find("same", usize::MAX).unwrap().len(),
        super::HITS_MAX
    );
    assert_eq!(index.find("same", 0).unwrap(), []);
    assert_eq!(index.rows(), 2_000);
}

#[test]
fn index_in_a_folder_can_be_opened_again_and_made_again() {
    let (connection, description) = table(CSV);
    let hits = |index: &TextIndex| -> Vec<Hit> { index.find("kiel", 5).unwrap() };
    let first = tempfile::tempdir().unwrap();
    let place = IndexPlace::Folder(first.path());
    let made = TextIndex::make(&connection, "t", &description, place, &going()).unwrap();
    let opened = TextIndex::open(first.path()).unwrap();
    assert_eq!(hits(&made), hits(&opened));
    let second = tempfile::tempdir().unwrap();
    let place = IndexPlace::Folder(second.path());
    let again = TextIndex::make(&connection, "t", &description, place, &going()).unwrap();
    assert_eq!(hits(&made), hits(&again));
    assert!(again.bytes().unwrap() > 0);
    let empty = tempfile::tempdir().unwrap();
    assert!(matches!(
        TextIndex::open(empty.path()),
        Err(ImportError::Index(_))
    ));
}

#[test]
fn table_without_texts_has_an_index_without_words() {
    assert_eq!(rows(&index("n\n1\n2\n"), "1"), Vec::<i64>::new());
}

#[test]
fn stop_ends_the_indexing() {
    let (connection, description) = table(&format!("name,n\n{}", "same,1\n".repeat(300)));
    let stopped: IsStopped = Arc::new(|| true);
    let made = TextIndex::make(&connection, "t", &description, IndexPlace::Memory, &stopped);
    assert!(matches!(made, Err(ImportError::Stopped)));
}

#[test]
fn any_question_has_an_answer() {
    let index = index(CSV);
    proptest!(
        ProptestConfig { failure_persistence: None, ..ProptestConfig::default() },
        |(words in "\\PC{0,80}", signs in "[a-z\"'():*?~^+\\[\\]{}<>|&!\\\\/ -]{0,40}")| {
            prop_assert!(index.find(&words, 5).unwrap().len() <= 5);
            prop_assert!(index.find(&signs, 5).unwrap().len() <= 5);
        }
    );
}
