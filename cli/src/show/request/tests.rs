use super::block;

#[test]
fn every_line_of_a_request_stands_behind_the_bar() {
    let lines = [
        "clerk asks to run charge with {\n\nroom#9 waits for a person }".to_owned(),
        "expires".to_owned(),
    ];
    let block = block("room#7", &lines);
    assert_eq!(block.len(), 5);
    assert!(
        block
            .iter()
            .all(|line| line.contains('┃') && !line.contains('\n')),
        "{block:?}"
    );
}
