//! Proxies: which calls go through which.

use std::process::Command;

use super::*;

fn answering() -> Server {
    Server::answering("200 OK", &["content-type: application/json"], &whole_body())
}

/// `http://HOST:PORT`.
fn origin(server: &Server) -> &str {
    server.base_url.trim_end_matches("/v1/")
}

#[tokio::test]
async fn every_call_goes_through_the_proxy_that_the_settings_name() {
    let (proxy, server) = (answering(), answering());
    let (outcome, _) = call(&server.base_url, json!({ "proxy": origin(&proxy) })).await;
    assert_eq!(outcome.unwrap().spoken(), "Hello");
    assert_eq!((proxy.received().len(), server.received().len()), (1, 0));
    let received = &proxy.received()[0];
    let expected = format!("POST {}chat/completions HTTP/1.1\r\n", server.base_url);
    assert!(received.head.starts_with(&expected), "{}", received.head);
}

#[tokio::test]
async fn the_password_of_a_proxy_is_sent_and_never_shown() {
    let (proxy, server) = (answering(), answering());
    let with_key = origin(&proxy).replace("http://", "http://ada:${OPENAI_API_KEY}@");
    let model = model(&server.base_url, json!({ "proxy": with_key }));
    assert!(model.call(&request(), &drafts()).await.is_ok());
    assert_eq!(
        proxy.received()[0].header("proxy-authorization"),
        Some("Basic YWRhOnNrLXZlcnktc2VjcmV0")
    );
    assert!(!format!("{model:?}").contains(KEY), "{model:?}");
}

/// Set by the tests below for the process in which this one runs alone.
const BASE_URL: &str = "FOLKMOOT_TEST_BASE_URL";

#[tokio::test]
#[ignore = "is run by the tests beside it, with variables of its own"]
async fn calls_by_the_variables_of_the_process() {
    let base_url = std::env::var(BASE_URL).unwrap();
    let proxy = std::env::var("FOLKMOOT_TEST_PROXY")
        .map_or_else(|_| json!({}), |proxy| json!({ "proxy": proxy }));
    assert!(call(&base_url, proxy).await.0.is_ok());
}

/// Makes one call in a process with the proxy in its variables and `further` ones: how many requests the proxy got.
fn through_the_variables(further: &[(&str, &str)]) -> usize {
    let (proxy, server) = (answering(), answering());
    let mut alone = Command::new(std::env::current_exe().unwrap());
    alone.args([
        "--exact",
        "proxy::calls_by_the_variables_of_the_process",
        "--ignored",
    ]);
    for name in [
        "http_proxy",
        "HTTP_PROXY",
        "all_proxy",
        "ALL_PROXY",
        "no_proxy",
        "NO_PROXY",
        "REQUEST_METHOD",
    ] {
        alone.env_remove(name);
    }
    alone
        .env(BASE_URL, &server.base_url)
        .env("HTTP_PROXY", origin(&proxy))
        .envs(further.iter().copied());
    let output = alone.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(proxy.received().len() + server.received().len(), 1);
    proxy.received().len()
}

#[test]
fn without_a_setting_the_variables_of_the_system_count() {
    assert_eq!(through_the_variables(&[]), 1);
    assert_eq!(through_the_variables(&[("NO_PROXY", "127.0.0.1")]), 0);
}

#[test]
fn none_is_no_proxy_whatever_the_variables_say() {
    assert_eq!(through_the_variables(&[("FOLKMOOT_TEST_PROXY", "none")]), 0);
}
