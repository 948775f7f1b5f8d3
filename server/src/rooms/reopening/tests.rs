use super::Reopened;

#[test]
fn an_operator_reads_how_the_server_found_its_worlds() {
    let cases = [
        (0, 0, 0, "ready: 0 worlds in the store, none has work left"),
        (1, 0, 0, "ready: 1 world in the store, none has work left"),
        (
            1,
            0,
            1,
            "ready: 1 world in the store, none opened; 1 cannot be read or opened, as said above",
        ),
        (
            5,
            2,
            0,
            "ready: 5 worlds in the store, 2 opened to go on with their work",
        ),
        (
            2,
            1,
            1,
            "ready: 2 worlds in the store, 1 opened to go on with their work; 1 cannot be read or opened, as said above",
        ),
    ];
    for (worlds, opened, failed, words) in cases {
        let found = Reopened {
            worlds,
            opened,
            failed,
        };
        assert_eq!(found.to_string(), words);
    }
}
