//! The table of notations: URLs that say one thing and may mean another.

use folkmoot_core::tool::ToolErrorCode::{self, BadArguments, NotAllowed, NotFound};
use serde_json::json;

use super::server::hello;
use super::{Stage, code};

/// Addresses in all their dresses. The rule allows every *name*, and addresses have none.
const LITERALS: &[&str] = &[
    "http://127.0.0.1/",
    "http://127.0.0.1./",
    "http://127.1/",
    "http://127.0.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.0.0.1/",
    "http://0177.0.0.1/",
    "http://017700000001/",
    "http://0x7f.1/",
    "http://0/",
    "http://0.0.0.0/",
    "http://169.254.169.254/latest/meta-data/",
    "http://2852039166/",
    "http://0xa9fea9fe/",
    "http://0xA9.0xFE.0xA9.0xFE/",
    "http://0251.0376.0251.0376/",
    "http://8.8.8.8/",
    "http://[::1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[::127.0.0.1]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[fe80::1]/",
    "http://[fd00:ec2::254]/",
    "http://１２７.0.0.1/",
    "http://①②⑦.⓪.⓪.①/",
    "http://127。0。0。1/",
    "http://%31%32%37.0.0.1/",
    "http://127.0.0.1%2e/",
    "//127.0.0.1/",
];

#[tokio::test]
async fn an_address_is_no_name_however_it_is_written() {
    for url in LITERALS {
        let stage = Stage::getting(json!([{ "host": "http://*" }]), hello).await;
        let outcome = stage.get(url).await;
        assert!(
            matches!(code(&outcome), Some(NotAllowed | BadArguments)),
            "{url}: {outcome:?}"
        );
        assert_eq!(stage.fake.looked_up(), Vec::<String>::new(), "{url}");
        assert_eq!(stage.fake.connected(), Vec::<String>::new(), "{url}");
    }
}

/// URLs under rules for `good.example` by HTTP and HTTPS, and for one address: what becomes of them, and the header `Host`.
const URLS: &[(&str, Result<&str, ToolErrorCode>)] = &[
    ("http://good.example/", Ok("good.example")),
    ("HTTP://GOOD.EXAMPLE/", Ok("good.example")),
    ("http://good.example:80/", Ok("good.example")),
    ("http://good.example:/", Ok("good.example")),
    ("http://good.example./", Ok("good.example")),
    ("http:good.example/", Ok("good.example")),
    ("http:///good.example/", Ok("good.example")),
    ("http://good%2eexample/", Ok("good.example")),
    ("http://ｇｏｏｄ.example/", Ok("good.example")),
    ("http://go\u{ad}od.example/", Ok("good.example")),
    (
        "http://good.example/#http://other.example",
        Ok("good.example"),
    ),
    (
        "http://good.example/?http://other.example",
        Ok("good.example"),
    ),
    ("http://good.example/@other.example", Ok("good.example")),
    ("http://8.8.4.4:8080/", Ok("8.8.4.4:8080")),
    ("http://134743044:8080/", Ok("8.8.4.4:8080")),
    // Credentials, and hosts that only look right.
    ("http://user@good.example/", Err(BadArguments)),
    ("http://user:password@good.example/", Err(BadArguments)),
    ("http://good.example@other.example/", Err(BadArguments)),
    ("http://good.example:80@127.0.0.1/", Err(BadArguments)),
    ("http://other.example#@good.example/", Err(NotAllowed)),
    ("http://other.example?@good.example/", Err(NotAllowed)),
    ("http://other.example/@good.example/", Err(NotAllowed)),
    ("http://good.example.other.example/", Err(NotAllowed)),
    ("http://notgood.example/", Err(NotAllowed)),
    ("http://good.exampleother/", Err(NotAllowed)),
    ("http://gооd.example/", Err(NotAllowed)), // two letters are Cyrillic
    ("http://good.example../", Err(BadArguments)),
    ("http://.good.example/", Err(BadArguments)),
    ("http://good..example/", Err(BadArguments)),
    ("http://*.example/", Err(BadArguments)),
    ("http://good.example%00.other.example/", Err(BadArguments)),
    ("http://good.example%2f.other.example/", Err(BadArguments)),
    ("http://good.example%40other.example/", Err(BadArguments)),
    // What parsers read in more than one way.
    ("http:\\\\good.example\\", Err(BadArguments)),
    ("http://good.example\\@other.example/", Err(BadArguments)),
    ("http://other.example\\.good.example/", Err(BadArguments)),
    ("ht\ttp://good.example/", Err(BadArguments)),
    ("http://good.\nexample/", Err(BadArguments)),
    (
        "http://good.example/\r\nHost: other.example",
        Err(BadArguments),
    ),
    (" http://good.example/", Err(BadArguments)),
    ("http://good.example/a b", Err(BadArguments)),
    ("http://good.example\u{3000}/", Err(BadArguments)),
    ("http://[fe80::1%25eth0]/", Err(BadArguments)),
    ("http://[::1", Err(BadArguments)),
    ("http://good.example:99999/", Err(BadArguments)),
    ("http://", Err(BadArguments)),
    ("", Err(BadArguments)),
    ("good.example", Err(BadArguments)),
    ("/etc/passwd", Err(BadArguments)),
    // Other schemes and ports.
    ("ftp://good.example/", Err(BadArguments)),
    ("file:///etc/passwd", Err(BadArguments)),
    ("gopher://good.example/", Err(BadArguments)),
    ("data:text/plain,hello", Err(BadArguments)),
    ("javascript:alert(1)", Err(BadArguments)),
    ("ws://good.example/", Err(BadArguments)),
    ("http://good.example:8080/", Err(NotAllowed)),
    ("http://good.example:22/", Err(NotAllowed)),
    ("http://good.example:443/", Err(NotAllowed)),
    ("https://good.example:80/", Err(NotAllowed)),
    ("http://8.8.4.4/", Err(NotAllowed)),
    ("http://8.8.4.5:8080/", Err(NotAllowed)),
    ("http://[::ffff:8.8.4.4]:8080/", Err(NotAllowed)),
    // Names of this network.
    ("http://localhost/", Err(NotAllowed)),
    ("http://localhost.localdomain/", Err(NotAllowed)),
    ("http://good/", Err(NotAllowed)),
];

#[tokio::test]
async fn a_url_means_what_the_rule_says_or_nothing() {
    for (url, expected) in URLS {
        let allow = json!([{ "host": "http://good.example" }, { "host": "good.example" }, { "host": "http://8.8.4.4:8080" }]);
        let stage = Stage::getting(allow, hello).await;
        let outcome = stage.get(url).await;
        let hosts: Vec<_> = stage
            .server
            .requests()
            .iter()
            .map(|request| request.header("host").unwrap().to_owned())
            .collect();
        match expected {
            Ok(host) => {
                assert_eq!(code(&outcome), None, "{url}: {outcome:?}");
                assert_eq!(hosts, [*host], "{url}");
            }
            Err(expected) => {
                assert_eq!(code(&outcome), Some(*expected), "{url}: {outcome:?}");
                assert_eq!(hosts, Vec::<String>::new(), "{url}");
                assert_eq!(stage.fake.looked_up(), Vec::<String>::new(), "{url}");
                assert_eq!(stage.fake.connected(), Vec::<String>::new(), "{url}");
            }
        }
    }
}

#[tokio::test]
async fn a_star_stands_for_the_names_beneath() {
    for (host, url, expected) in [
        ("http://*.good.example", "http://www.good.example/", None),
        ("http://*.good.example", "http://WWW.good.example./", None),
        (
            "http://*.good.example",
            "http://good.example/",
            Some(NotAllowed),
        ),
        (
            "http://*.good.example",
            "http://evilgood.example/",
            Some(NotAllowed),
        ),
        (
            "http://*.good.example",
            "http://www.good.example.other.example/",
            Some(NotAllowed),
        ),
        (
            "http://*.good.example",
            "http://a.b.good.example/",
            Some(NotFound),
        ),
        ("http://*", "http://good.example/", None),
        ("http://*", "http://localhost/", Some(NotAllowed)),
        ("http://*", "http://metadata.example/", Some(NotAllowed)),
        ("http://*", "http://nobody.example/", Some(NotFound)),
        ("http://*:8080", "http://good.example/", Some(NotAllowed)),
        ("http://*:8080", "http://good.example:8080/", None),
        ("*", "http://good.example/", Some(NotAllowed)),
        (
            "http://bücher.example",
            "http://xn--bcher-kva.example/",
            None,
        ),
        (
            "http://xn--bcher-kva.example",
            "http://BÜCHER.example/",
            None,
        ),
        ("http://BÜCHER.example.", "http://bücher.example/", None),
        (
            "http://bücher.example",
            "http://bucher.example/",
            Some(NotAllowed),
        ),
    ] {
        let stage = Stage::getting(json!([{ "host": host }]), hello).await;
        let outcome = stage.get(url).await;
        assert_eq!(code(&outcome), expected, "{host} {url}: {outcome:?}");
        assert_eq!(
            stage.fake.connected().len(),
            usize::from(expected.is_none()),
            "{host} {url}"
        );
    }
}
