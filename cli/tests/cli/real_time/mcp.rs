//! A host over standard streams.

use super::serve::{HERE, Server};
use crate::desk::Desk;

#[test]
fn beside_a_server_the_command_for_a_token_works_as_it_is_printed() {
    let desk = Desk::new();
    let server = Server::start(&desk, &HERE);
    let refused = desk.run(&["mcp", "--as", "my editor"]).expect(3);
    let advice = refused
        .err
        .split('`')
        .find(|part| part.contains("token new"))
        .unwrap();
    let (_, rest) = advice.split_once(" token new ").unwrap();
    assert_eq!(rest, "--as 'my editor' --service --tokens tokens");
    desk.token(&["new", "--as", "my editor", "--service"])
        .expect(0);
    server.end();
}
