//! URLs: those that are read, those that are not, and that no password is shown.

use super::{Failover, Host, PostgresUrl, Tls};

fn read(text: &str) -> Result<PostgresUrl, String> {
    text.parse::<PostgresUrl>()
        .map_err(|error| error.to_string())
}

#[test]
fn short_url_has_the_usual_port_and_schema() {
    let url = read("postgres://ada@db.example/rooms").unwrap();
    let expected = PostgresUrl {
        hosts: vec![Host::Tcp("db.example".into(), 5432)],
        user: Some("ada".into()),
        password: None,
        database: "rooms".into(),
        schema: "folkmoot".into(),
        tls: Tls::Away,
        failover: Failover::Lossy,
    };
    assert_eq!(url, expected);
}

#[test]
fn long_url_is_read_whole() {
    let url = read(
        "postgresql://ada:a%40b%3Ac@[::1]:6000,b.example/my%20rooms?schema=two&sslmode=require&sslrootcert=/etc/ca.pem\
         &failover=lossless",
    );
    let expected = PostgresUrl {
        hosts: vec![
            Host::Tcp("::1".into(), 6000),
            Host::Tcp("b.example".into(), 5432),
        ],
        user: Some("ada".into()),
        password: Some("a@b:c".into()),
        database: "my rooms".into(),
        schema: "two".into(),
        tls: Tls::Always(Some("/etc/ca.pem".into())),
        failover: Failover::Lossless,
    };
    assert_eq!(url.unwrap(), expected);
}

#[test]
fn folder_of_a_socket_stands_in_either_place() {
    let folder = "/var/run/postgresql";
    let expected = vec![Host::Unix(folder.into(), 6000)];
    let behind = read(&format!(
        "postgres:///rooms?host={folder}&port=6000&user=ada"
    ));
    assert_eq!(behind.unwrap().hosts, expected);
    let before = read("postgres://%2Fvar%2Frun%2Fpostgresql:6000/rooms");
    assert_eq!(before.unwrap().hosts, expected);
}

#[test]
fn url_that_is_shown_is_the_same_url_without_its_password() {
    for text in [
        "postgres://ada:hunter2@[::1]:6000,b/my%20rooms?schema=two&sslmode=require&failover=lossless",
        "postgres://%2Ftmp%2Fx:6000/rooms?sslmode=disable",
        "postgres://a%40b:hunter2@h/rooms?sslrootcert=/etc/my%20ca.pem",
    ] {
        let url = read(text).unwrap();
        let shown = url.to_string();
        let without = PostgresUrl {
            password: None,
            ..url.clone()
        };
        assert_eq!(read(&shown).unwrap(), without);
        assert!(!format!("{url:?} {url}").contains("hunter2"), "{shown}");
    }
}

#[test]
fn text_that_is_no_url_is_refused_with_a_reason_and_without_its_password() {
    for (text, why) in [
        ("sled:hunter2", "does not begin with postgres://"),
        ("postgres://ada:hunter2@h", "names no database"),
        ("postgres://ada:hunter2@h/", "names no database"),
        ("postgres://ada:hunter2@/rooms", "names no host"),
        ("postgres:///rooms", "names no host"),
        ("postgres://h,:1/rooms", "name of a host is empty"),
        (
            "postgres://ada:hunter2/x@h/rooms",
            "no number from 1 to 65535",
        ),
        ("postgres://h:0/rooms", "no number from 1 to 65535"),
        ("postgres://h:70000/rooms", "no number from 1 to 65535"),
        ("postgres://h/rooms?schema=A", "letters a to z"),
        ("postgres://h/rooms?schema=1a", "letters a to z"),
        ("postgres://h/rooms?schema=", "letters a to z"),
        (
            "postgres://h/rooms?schema=a23456789_123456789_123456789_123456789_123456789_1234567",
            "of 56 at most",
        ),
        (
            "postgres://h/rooms?schema=pg_catalog",
            "belongs to PostgreSQL",
        ),
        ("postgres://h/rooms?schema=a&schema=b", "says schema twice"),
        (
            "postgres://h/rooms?hunter2=1",
            "a key that is none of schema",
        ),
        (
            "postgres://h/rooms?password=hunter2",
            "behind the user and a colon",
        ),
        ("postgres://h/rooms?sslmode=prefer", "neither disable"),
        (
            "postgres://h/rooms?sslmode=disable&sslrootcert=/a",
            "switches TLS off",
        ),
        ("postgres://h/rooms?failover=no", "only be lossless"),
        ("postgres://h/rooms?host=/tmp", "hosts in two places"),
        ("postgres://ada:%ff@h/rooms", "do not give UTF-8"),
        ("postgres://ada:%00@h/rooms", "NUL"),
    ] {
        let said = read(text).unwrap_err();
        assert!(said.contains(why), "{text}: {said}");
        assert!(!said.contains("hunter2"), "{text}: {said}");
    }
}
