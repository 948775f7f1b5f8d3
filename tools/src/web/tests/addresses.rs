//! The table of addresses: a name that has one, and whether a connection goes there.

use folkmoot_core::tool::ToolErrorCode;
use serde_json::{Value, json};

use super::server::hello;
use super::{Stage, code};

/// Addresses that names may have without a word in the script.
const PUBLIC: &[&str] = &[
    "1.1.1.1",
    "8.8.8.8",
    "93.184.216.34",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.1",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.1",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2606:2800:220:1::1",
    "2001:200::1",
    "2a00:1450:4001:80b::200e",
    "2003::1",
];

/// Addresses that need a rule of their own.
const OTHERS: &[&str] = &[
    // This machine.
    "127.0.0.1",
    "127.8.9.1",
    "127.255.255.255",
    "0.0.0.0",
    "0.1.2.3",
    "::1",
    "::",
    // Private networks, and what lies behind a carrier's NAT.
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.127.255.255",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "192.168.255.255",
    "fc00::1",
    "fd12:3456::1",
    "fec0::1",
    // Link-local, and the metadata of clouds.
    "169.254.169.254",
    "169.254.0.1",
    "fe80::1",
    "fd00:ec2::254",
    "100.100.100.200",
    // Multicast, broadcast, reserved.
    "224.0.0.1",
    "239.255.255.255",
    "255.255.255.255",
    "240.0.0.1",
    "ff02::1",
    // Protocols, documentation, benchmarks.
    "192.0.0.8",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.7",
    "203.0.113.9",
    "2001:db8::1",
    "3fff::1",
    "2001:2::1",
    "2001:20::1",
    "100::1",
    "5f00::1",
    // Other addresses in disguise: mapped, compatible, NAT64, 6to4, Teredo.
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::127.0.0.1",
    "::ffff:0:10.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::808:808",
    "64:ff9b:1::a00:1",
    "2002:7f00:1::1",
    "2002:a9fe:a9fe::1",
    "2001:0:7f00:1::1",
];

/// The outcome of a call to a name with these addresses, under a rule with `addresses`.
async fn reached(found: &[&str], addresses: Value) -> (Option<ToolErrorCode>, Vec<String>) {
    let mut rule = json!({ "host": "http://x.example" });
    if !addresses.is_null() {
        rule["addresses"] = addresses;
    }
    let stage = Stage::getting(json!([rule]), hello).await;
    stage.fake.name("x.example", &[found]);
    let outcome = stage.get("http://x.example/").await;
    assert_eq!(stage.fake.looked_up(), ["x.example"]);
    (code(&outcome), stage.fake.connected())
}

#[tokio::test]
async fn a_name_may_have_public_addresses_and_no_others() {
    for address in PUBLIC {
        let (code, connected) = reached(&[address], Value::Null).await;
        assert_eq!((code, connected.len()), (None, 1), "{address}");
        assert!(connected[0].contains(address), "{connected:?}");
    }
    for address in OTHERS {
        let refused = (Some(ToolErrorCode::NotAllowed), Vec::new());
        assert_eq!(reached(&[address], Value::Null).await, refused, "{address}");
        // A rule of its own lets it in.
        let (code, connected) = reached(&[address], json!([address])).await;
        assert_eq!((code, connected.len()), (None, 1), "{address}");
    }
}

#[tokio::test]
async fn one_address_that_is_not_allowed_spoils_the_name() {
    let refused = (Some(ToolErrorCode::NotAllowed), Vec::new());
    for found in [
        &["93.184.216.34", "127.0.0.1"][..],
        &["127.0.0.1", "93.184.216.34"],
        &["2606:2800:220:1::1", "93.184.216.34", "::ffff:127.0.0.1"],
        &["93.184.216.34", "0.0.0.0"],
    ] {
        assert_eq!(reached(found, Value::Null).await, refused, "{found:?}");
    }
    let many = vec!["93.184.216.34"; 65];
    assert_eq!(reached(&many, Value::Null).await, refused);
    let none = (Some(ToolErrorCode::NotFound), Vec::new());
    assert_eq!(reached(&[], Value::Null).await, none);
}

#[tokio::test]
async fn a_rule_with_networks_reaches_these_alone() {
    let refused = || (Some(ToolErrorCode::NotAllowed), Vec::new());
    for (address, networks, fits) in [
        ("10.1.2.3", json!(["10.1.0.0/16"]), true),
        ("10.2.2.3", json!(["10.1.0.0/16"]), false),
        ("10.2.2.3", json!(["10.1.0.0/16", "10.2.2.3"]), true),
        ("169.254.169.254", json!(["10.0.0.0/8"]), false),
        ("8.8.8.8", json!(["10.0.0.0/8"]), false),
        ("::ffff:10.1.2.3", json!(["10.0.0.0/8"]), false),
        ("10.1.2.3", json!(["::ffff:0:0/96"]), false),
        ("fd12::1", json!(["fd00::/8"]), true),
        ("64:ff9b::808:808", json!(["64:ff9b::/96"]), true),
    ] {
        let reached = reached(&[address], networks.clone()).await;
        if fits {
            assert_eq!(
                (reached.0, reached.1.len()),
                (None, 1),
                "{address} {networks}"
            );
        } else {
            assert_eq!(reached, refused(), "{address} {networks}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_address_that_says_nothing_is_left_for_the_next() {
    let (code, connected) = reached(&["9.9.9.9", "93.184.216.34"], Value::Null).await;
    assert_eq!(code, None);
    assert_eq!(connected, ["9.9.9.9:80", "93.184.216.34:80"]);
}

#[tokio::test]
async fn nobody_but_an_operator_learns_the_address() {
    let stage = Stage::getting(json!([{ "host": "http://inner.example" }]), hello).await;
    let outcome = stage.get("http://inner.example/").await;
    let (code, detail) = crate::stage::failure(&outcome);
    assert_eq!(code, ToolErrorCode::NotAllowed);
    assert!(
        detail.contains("10.0.0.5") && detail.contains("`addresses`"),
        "{detail}"
    );
}
