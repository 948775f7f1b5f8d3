//! The tools as a script gets them, with the names, the network and the environment of this machine.

use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use folkmoot_core::tool::ToolErrorCode::NotAllowed;
use serde_json::{Value, json};

use super::code;
use super::server::{Server, hello};
use crate::stage::{build, call, done};

async fn get(rule: Value, url: &str) -> folkmoot_core::tool::ToolOutcome {
    let tool = build(
        &json!({ "use": "http.get", "allow": [rule] }),
        Path::new("/"),
    );
    tool.run(&call(json!({ "url": url }))).await
}

#[tokio::test]
async fn this_machine_is_reached_where_a_rule_says_so() {
    let server = Server::start(hello).await;
    let port = server.address.port();
    let by_address = format!("http://127.0.0.1:{port}");
    let by_name = format!("http://localhost:{port}");
    let here = json!(["127.0.0.0/8", "::1"]);
    let named = json!({ "host": by_name, "addresses": here });
    assert!(done(get(json!({ "host": by_address }), &by_address).await).ends_with("\n\nhello"));
    assert!(done(get(named.clone(), &by_name).await).ends_with("\n\nhello"));
    assert_eq!(server.requests().len(), 2);
    assert_eq!(
        code(&get(json!({ "host": by_name }), &by_name).await),
        Some(NotAllowed)
    );
    assert_eq!(code(&get(named, &by_address).await), Some(NotAllowed));
    let any = json!({ "host": format!("http://*:{port}"), "addresses": here });
    assert_eq!(code(&get(any, &by_address).await), Some(NotAllowed));
    assert_eq!(server.requests().len(), 2);
}

/// Runs the test above in a process whose environment names a proxy for everything.
#[test]
fn the_proxies_of_the_environment_are_not_asked() {
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    proxy.set_nonblocking(true).unwrap();
    let url = format!("http://{}", proxy.local_addr().unwrap());
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args([
        "--exact",
        "web::tests::system::this_machine_is_reached_where_a_rule_says_so",
    ]);
    for name in [
        "HTTP_PROXY",
        "http_proxy",
        "HTTPS_PROXY",
        "https_proxy",
        "ALL_PROXY",
        "all_proxy",
    ] {
        child.env(name, &url);
    }
    child.env_remove("NO_PROXY").env_remove("no_proxy");
    let output = child.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}"
    );
    assert_eq!(
        proxy.accept().unwrap_err().kind(),
        std::io::ErrorKind::WouldBlock
    );
}
