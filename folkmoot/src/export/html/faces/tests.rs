use super::*;

fn faces(names: &[&str]) -> Vec<String> {
    let faces = Faces::of(names.iter().map(|name| (*name).to_owned()));
    names.iter().map(|name| faces.of_one(name)).collect()
}

#[test]
fn a_letter_that_nobody_else_has_is_enough() {
    assert_eq!(faces(&["ada", "bob", "Čeněk"]), ["A", "B", "Č"]);
}

#[test]
fn those_with_the_same_first_letter_get_another_one_that_differs() {
    assert_eq!(faces(&["painter", "planner", "ada"]), ["Pa", "Pl", "A"]);
    assert_eq!(faces(&["ada", "advisor"]), ["Aa", "Av"]);
    assert_eq!(
        faces(&["worker-1", "worker-2", "worker-12"]),
        ["W1", "W2", "W12"]
    );
    assert_eq!(
        faces(&["build bot", "build-cop", "builder"]),
        ["BB", "BC", "Be"]
    );
}

#[test]
fn nobody_shares_a_face_however_alike_their_names_are() {
    let names: Vec<String> = (0..60)
        .map(|number| format!("a{}", "b".repeat(number)))
        .collect();
    let faces = Faces::of(names.clone());
    let all: BTreeSet<String> = names
        .iter()
        .map(|name| faces.of_one(name).to_lowercase())
        .collect();
    assert_eq!(all.len(), names.len());
}
