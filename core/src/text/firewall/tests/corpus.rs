use super::*;

#[track_caller]
fn check_all(rows: impl Iterator<Item = Row>) {
    let faults: Vec<String> = rows.filter_map(|row| row.check().err()).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn artifacts_are_withheld_and_nothing_else() {
    check_all(artifacts());
}

#[test]
fn clean_text_passes_whole() {
    check_all(clean());
}

#[test]
fn corpus_is_large_enough() {
    assert!(
        artifacts().count() >= 60 && clean().count() >= 60,
        "{} {}",
        artifacts().count(),
        clean().count()
    );
}

#[test]
fn artifacts_are_of_the_family_that_they_are_filed_under() {
    for row in artifacts() {
        let (family, _) = row.title.split_once(" | ").unwrap();
        for found in scan(&row.said, &known()) {
            assert_eq!(
                format!("{:?}", found.family),
                family,
                "{}: {:?}",
                row.title,
                row.said
            );
        }
    }
}
