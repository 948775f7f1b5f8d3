use super::*;

fn at(address: &str) -> Hosts {
    Hosts::listening_at(address.parse().unwrap())
}

#[test]
fn only_hosts_of_ours_are_this_server() {
    let here = at("127.0.0.1:7077");
    let public = at("127.0.0.1:7077")
        .and_public("https://Rooms.example.com")
        .unwrap();
    let all = at("0.0.0.0:7077");
    let lan = at("10.0.0.5:80");
    let rows = [
        (&here, "127.0.0.1:7077", true),
        (&here, "localhost:7077", true),
        (&here, "LOCALHOST:7077", true),
        (&here, "[::1]:7077", true),
        (&here, "127.0.0.1", false),
        (&here, "127.0.0.1:", false),
        (&here, "127.0.0.1:7078", false),
        (&here, "127.0.0.2:7077", false),
        (&here, "127.1:7077", false),
        (&here, "0x7f.0.0.1:7077", false),
        (&here, "2130706433:7077", false),
        (&here, "localhost.:7077", false),
        (&here, "localhost.example.com:7077", false),
        (&here, "evil.example.com:7077", false),
        (&here, "localhost:7077@evil.example.com", false),
        (&here, "evil@localhost:7077", false),
        (&here, "localhost:7077/x", false),
        (&here, "localhost:07077", false),
        (&here, "loc%61lhost:7077", false),
        (&here, "ｌocalhost:7077", false),
        (&here, "10.0.0.5:7077", false),
        (&here, "rooms.example.com", false),
        (&here, "", false),
        (&public, "rooms.example.com", true),
        (&public, "rooms.example.com:443", true),
        (&public, "ROOMS.example.com", true),
        (&public, "rooms.example.com:80", false),
        (&public, "rooms.example.com:7077", false),
        (&public, "www.rooms.example.com", false),
        (&public, "localhost:7077", true),
        (&all, "10.0.0.5:7077", true),
        (&all, "localhost:7077", true),
        (&all, "[fe80::1]:7077", true),
        (&all, "evil.example.com:7077", false),
        (&all, "10.0.0.5:80", false),
        (&lan, "10.0.0.5", true),
        (&lan, "10.0.0.5:80", true),
        (&lan, "localhost", false),
        (&lan, "127.0.0.1", false),
    ];
    for (hosts, host, expected) in rows {
        assert_eq!(hosts.has_host(host), expected, "{host} of {hosts:?}");
    }
    assert!(Hosts::any().has_host("evil.example.com"));
}

#[test]
fn only_pages_of_ours_and_allowed_ones_are_no_foreigners() {
    let hosts = at("127.0.0.1:7077")
        .and_public("https://rooms.example.com/")
        .unwrap()
        .allowing("https://console.example.com:8443")
        .unwrap();
    let rows = [
        ("http://127.0.0.1:7077", true),
        ("http://localhost:7077", true),
        ("http://[::1]:7077", true),
        ("https://rooms.example.com", true),
        ("https://console.example.com:8443", true),
        ("https://console.example.com", false),
        ("http://console.example.com:8443", false),
        ("http://rooms.example.com", false),
        ("https://127.0.0.1:7077", false),
        ("http://127.0.0.1:7078", false),
        ("http://127.0.0.1", false),
        ("http://evil.example.com", false),
        ("https://rooms.example.com.evil.example", false),
        ("file://127.0.0.1:7077", false),
        ("null", false),
        ("", false),
    ];
    for (origin, expected) in rows {
        let header = HeaderValue::from_static(origin);
        assert_eq!(hosts.has_origin(&header), expected, "{origin}");
    }
    assert!(!hosts.has_origin(&HeaderValue::from_bytes(b"http://\xff").unwrap()));
    assert!(Hosts::any().has_origin(&HeaderValue::from_static("null")));
}

#[test]
fn an_origin_is_a_scheme_a_host_and_a_port() {
    for wrong in [
        "rooms.example.com",
        "ftp://rooms.example.com",
        "https://rooms.example.com/path",
        "https://rooms.example.com?query",
        "https://ada@rooms.example.com",
        "https://",
        "*",
        "null",
    ] {
        let hosts = at("127.0.0.1:7077");
        let error = hosts.clone().allowing(wrong).unwrap_err();
        assert!(error.to_string().contains(wrong), "{error}");
        assert!(hosts.and_public(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn the_url_is_the_public_one_or_leads_to_this_machine() {
    let public = at("0.0.0.0:7077").and_public("https://rooms.example.com:8443/");
    let rows = [
        (at("127.0.0.1:7077"), "http://127.0.0.1:7077"),
        (at("0.0.0.0:7077"), "http://127.0.0.1:7077"),
        (at("[::]:7077"), "http://[::1]:7077"),
        (public.unwrap(), "https://rooms.example.com:8443"),
    ];
    for (hosts, url) in rows {
        assert_eq!(hosts.url().as_deref(), Some(url));
    }
    assert_eq!(Hosts::any().url(), None);
}
