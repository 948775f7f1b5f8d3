use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use folkmoot::{Right, Rights, WorldName};
use jsonwebtoken::jwk::{Jwk, PublicKeyUse};
use jsonwebtoken::{EncodingKey, Header, encode};
use serde_json::json;
use tempfile::TempDir;

use super::*;

/// Keys of these tests alone.
const RSA: &str = include_str!("tests/rsa.pem");
const WEAK: &str = include_str!("tests/weak-rsa.pem");
const EC: &str = include_str!("tests/ec.pem");
const SECRET: &str = "a secret of these tests, longer than 32 bytes";

const SETTINGS: &str = "
issuer: https://issuer.example/
audience: folkmoot
algorithms: [RS256, ES256]
keys: { file: jwks.json }
claims: { name: name, permissions: scope, worlds: worlds, kind: kind }
person: human
";

/// The time at which the tokens of these tests hold.
const NOW: u64 = 2_000_000_000;

fn rsa() -> EncodingKey {
    EncodingKey::from_rsa_pem(RSA.as_bytes()).unwrap()
}

fn ec() -> EncodingKey {
    EncodingKey::from_ec_pem(EC.as_bytes()).unwrap()
}

fn jwk(key: &EncodingKey, algorithm: Algorithm, id: &str) -> Jwk {
    let mut jwk = Jwk::from_encoding_key(key, algorithm).unwrap();
    jwk.common.key_id = Some(id.to_owned());
    jwk
}

/// The keys of the issuer: an RSA key for RS256 alone, one for anything, and others that are none.
fn jwks() -> Value {
    let weak = EncodingKey::from_rsa_pem(WEAK.as_bytes()).unwrap();
    let mut any = jwk(&rsa(), Algorithm::RS256, "any");
    any.common.key_algorithm = None;
    let mut packing = jwk(&rsa(), Algorithm::RS256, "packing");
    packing.common.public_key_use = Some(PublicKeyUse::Encryption);
    let secret = EncodingKey::from_secret(SECRET.as_bytes());
    json!({ "keys": [
        jwk(&rsa(), Algorithm::RS256, "rsa"),
        any,
        jwk(&ec(), Algorithm::ES256, "ec"),
        jwk(&weak, Algorithm::RS256, "weak"),
        packing,
        jwk(&secret, Algorithm::HS256, "secret"),
        { "kty": "of tomorrow", "kid": "new" },
    ] })
}

struct Desk {
    dir: TempDir,
}

impl Desk {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("jwks.json"), jwks().to_string()).unwrap();
        Self { dir }
    }

    fn open(&self, settings: &str) -> Result<Jwt, JwtSetupError> {
        let file = self.dir.path().join("jwt.yaml");
        fs::write(&file, settings).unwrap();
        Jwt::open(file)
    }
}

fn claims() -> BTreeMap<&'static str, Value> {
    BTreeMap::from([
        ("iss", json!("https://issuer.example/")),
        ("aud", json!("folkmoot")),
        ("sub", json!("user-17")),
        ("name", json!("ada")),
        ("scope", json!("openid read post")),
        ("worlds", json!(["support-*"])),
        ("kind", json!("human")),
        ("exp", json!(NOW + 600)),
    ])
}

fn with(changes: &[(&'static str, Value)]) -> BTreeMap<&'static str, Value> {
    let mut claims = claims();
    for (name, value) in changes {
        if value.is_null() {
            claims.remove(name);
        } else {
            claims.insert(name, value.clone());
        }
    }
    claims
}

fn header(algorithm: Algorithm, id: Option<&str>) -> Header {
    let mut header = Header::new(algorithm);
    header.kid = id.map(str::to_owned);
    header
}

fn signed(id: &str, claims: &BTreeMap<&'static str, Value>) -> String {
    encode(&header(Algorithm::RS256, Some(id)), claims, &rsa()).unwrap()
}

/// A part of a token, as it is written there.
fn part(value: &Value) -> String {
    let bytes = value.to_string().into_bytes();
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let number = chunk
            .iter()
            .fold(0_usize, |sum, byte| sum << 8 | usize::from(*byte));
        let number = number << (8 * (3 - chunk.len()));
        for digit in 0..=chunk.len() {
            text.push(char::from(digits[(number >> (18 - 6 * digit)) & 63]));
        }
    }
    text
}

async fn asked(jwt: &Jwt, token: &str) -> Result<Caller, AuthenticateError> {
    let claims = jwt.0.claims(&Secret::new(token)).await?;
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(NOW);
    claims::caller(&jwt.0.settings, &claims, now)
}

#[tokio::test]
async fn a_token_of_the_issuer_is_its_subject_with_what_the_claims_give() {
    let jwt = Desk::new();
    let jwt = jwt.open(SETTINGS).unwrap();
    let caller = asked(&jwt, &signed("rsa", &claims())).await.unwrap();
    assert_eq!(caller.key(), "jwt%3Ahttps%3A//issuer.example/:user-17");
    assert_eq!(caller.proof.principal().to_string(), "ada");
    assert_eq!(caller.may.rights, Rights([Right::Read, Right::Post].into()));
    let name = |name: &str| WorldName::new(name).unwrap();
    assert!(caller.may.has(Right::Read, &name("support-1")));
    assert!(!caller.may.has(Right::Read, &name("other")) && !caller.may.create);
    let end = SystemTime::UNIX_EPOCH + Duration::from_secs(NOW + 630);
    assert_eq!(caller.lease.end(), Some(end));

    let program = with(&[
        ("kind", json!("robot")),
        ("scope", json!(["read", "decide"])),
    ]);
    let program = asked(&jwt, &signed("rsa", &program)).await.unwrap();
    assert_ne!(program.key(), caller.key());
    assert_eq!(
        program.may.rights,
        Rights([Right::Read, Right::Decide].into())
    );
    let bare = with(&[("kind", Value::Null), ("scope", Value::Null)]);
    let bare = asked(&jwt, &signed("rsa", &bare)).await.unwrap();
    assert_eq!(bare.key(), program.key());
    assert_eq!(bare.may.rights, Rights([].into()));
}

/// Asks with each token; true says that it is taken.
async fn refuses<const N: usize>(jwt: &Jwt, rows: [(&str, String, bool); N]) {
    for (what, token, expected) in rows {
        let caller = asked(jwt, &token).await;
        assert_eq!(caller.is_ok(), expected, "{what}: {caller:?}");
        if let Err(error) = caller {
            assert_eq!(error, AuthenticateError::Unknown, "{what}");
        }
    }
}

#[tokio::test]
async fn a_token_that_is_not_signed_as_it_should_be_is_refused() {
    let desk = Desk::new();
    let jwt = desk.open(SETTINGS).unwrap();
    let of = |header: &Header, key: &EncodingKey| encode(header, &claims(), key).unwrap();
    let good = signed("rsa", &claims());
    let parts: Vec<&str> = good.split('.').collect();
    let [first, second, third] = parts[..] else {
        panic!("a token has three parts");
    };
    let none = part(&json!({ "alg": "none", "kid": "rsa" }));
    let public = fs::read_to_string(desk.dir.path().join("jwks.json")).unwrap();
    let as_secret = |text: &str| EncodingKey::from_secret(text.as_bytes());
    let modulus = jwks()["keys"][0]["n"].as_str().unwrap().to_owned();
    let hs = header(Algorithm::HS256, Some("rsa"));
    let weak = EncodingKey::from_rsa_pem(WEAK.as_bytes()).unwrap();
    let mut critical = header(Algorithm::RS256, Some("rsa"));
    critical.crit = Some(vec!["exp".to_owned()]);
    let mut own_key = header(Algorithm::RS256, Some("other"));
    own_key.jwk = Some(jwk(&rsa(), Algorithm::RS256, "other"));
    let rows = [
        ("good", good.clone(), true),
        (
            "elliptic",
            of(&header(Algorithm::ES256, Some("ec")), &ec()),
            true,
        ),
        ("unsigned", format!("{none}.{second}."), false),
        (
            "unsigned, with a signature",
            format!("{none}.{second}.{third}"),
            false,
        ),
        ("no signature", format!("{first}.{second}."), false),
        ("two parts", format!("{first}.{second}"), false),
        ("four parts", format!("{good}.{third}"), false),
        (
            "other claims",
            format!("{first}.{}.{third}", part(&json!(claims()))),
            true,
        ),
        (
            "claims of another",
            format!(
                "{first}.{}.{third}",
                part(&json!(with(&[("sub", json!("eve"))])))
            ),
            false,
        ),
        (
            "a secret made of the document",
            of(&hs, &as_secret(&public)),
            false,
        ),
        (
            "a secret made of the modulus",
            of(&hs, &as_secret(&modulus)),
            false,
        ),
        (
            "a secret in the document",
            of(
                &header(Algorithm::HS256, Some("secret")),
                &as_secret(SECRET),
            ),
            false,
        ),
        (
            "an algorithm that is not allowed",
            of(&header(Algorithm::RS512, Some("any")), &rsa()),
            false,
        ),
        (
            "an algorithm that the key is not for",
            of(&header(Algorithm::PS256, Some("rsa")), &rsa()),
            false,
        ),
        (
            "a key of another family",
            of(&header(Algorithm::ES256, Some("rsa")), &ec()),
            false,
        ),
        (
            "no key id",
            of(&header(Algorithm::RS256, None), &rsa()),
            false,
        ),
        (
            "an unknown key id",
            of(&header(Algorithm::RS256, Some("other")), &rsa()),
            false,
        ),
        ("a key of its own", of(&own_key, &rsa()), false),
        (
            "a weak key",
            of(&header(Algorithm::RS256, Some("weak")), &weak),
            false,
        ),
        (
            "a key for packing",
            of(&header(Algorithm::RS256, Some("packing")), &rsa()),
            false,
        ),
        (
            "an extension that must be understood",
            of(&critical, &rsa()),
            false,
        ),
    ];
    refuses(&jwt, rows).await;
}

#[tokio::test]
async fn a_token_for_others_or_of_another_time_is_refused() {
    let jwt = Desk::new().open(SETTINGS).unwrap();
    let changed = |name, value| signed("rsa", &with(&[(name, value)]));
    let rows = [
        (
            "a time with a fraction",
            changed("exp", json!(2_000_000_000.5)),
            true,
        ),
        (
            "early within the leeway",
            changed("nbf", json!(NOW + 30)),
            true,
        ),
        (
            "late within the leeway",
            changed("exp", json!(NOW - 29)),
            true,
        ),
        (
            "a list of audiences",
            changed("aud", json!(["x", "folkmoot"])),
            true,
        ),
        (
            "another issuer",
            changed("iss", json!("https://issuer.example")),
            false,
        ),
        ("no issuer", changed("iss", Value::Null), false),
        ("another audience", changed("aud", json!("other")), false),
        ("no audience", changed("aud", Value::Null), false),
        ("no audience in a list", changed("aud", json!([])), false),
        ("expired", changed("exp", json!(NOW - 30)), false),
        ("without an end", changed("exp", Value::Null), false),
        (
            "an end that is no time",
            changed("exp", json!("never")),
            false,
        ),
        (
            "an end beyond all times",
            changed("exp", json!(1e300)),
            false,
        ),
        ("not yet", changed("nbf", json!(NOW + 31)), false),
        (
            "a beginning that is no time",
            changed("nbf", json!("now")),
            false,
        ),
        ("nothing", String::new(), false),
        ("dots", "..".to_owned(), false),
    ];
    refuses(&jwt, rows).await;
}

#[tokio::test]
async fn claims_that_fit_nobody_here_are_named() {
    let settings = Settings::parse(SETTINGS).unwrap();
    let rows = [
        ("sub", Value::Null, "`sub` is not there"),
        ("sub", json!(17), "`sub` is not there, or is no text"),
        ("sub", json!(""), "`sub` has no subject"),
        ("sub", json!("a\nb"), "`sub` has no subject"),
        ("sub", json!("x".repeat(257)), "`sub` has no subject"),
        ("name", Value::Null, "`name` is not there"),
        (
            "name",
            json!("ada@example.com"),
            "`name` cannot be a name in a room: it has an `@`",
        ),
        ("scope", json!(17), "`scope` is neither"),
        ("scope", json!(["read", 1]), "`scope` is neither"),
        ("worlds", json!(["a*b"]), "no pattern of worlds"),
    ];
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(NOW);
    for (name, value, why) in rows {
        let claims = json!(with(&[(name, value)]));
        let caller = claims::caller(&settings, claims.as_object().unwrap(), now);
        let error = caller.unwrap_err();
        assert!(matches!(error, AuthenticateError::Unfit(_)), "{error}");
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[tokio::test]
async fn no_subject_of_one_issuer_is_that_of_another_or_a_program() {
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(NOW);
    let key = |issuer: &str, subject: &str, kind: &str| {
        let settings = SETTINGS.replace("https://issuer.example/", issuer);
        let settings = Settings::parse(&settings).unwrap();
        let claims = json!(with(&[("sub", json!(subject)), ("kind", json!(kind))]));
        let caller = claims::caller(&settings, claims.as_object().unwrap(), now);
        caller.unwrap().key()
    };
    let keys = [
        key("https://a", "b:c", "human"),
        key("https://a:b", "c", "human"),
        key("https://a%3Ab", "c", "human"),
        key("https://a", "b:c", "robot"),
        key("https://a:b", "c", "robot"),
    ];
    let different: std::collections::BTreeSet<&String> = keys.iter().collect();
    assert_eq!(different.len(), keys.len(), "{keys:?}");
}

#[tokio::test]
async fn a_secret_is_used_with_its_own_algorithms_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = Desk::new();
    let file = desk.dir.path().join("secret");
    let settings = SETTINGS
        .replace("file: jwks.json", "secret_file: secret")
        .replace("[RS256, ES256]", "[HS256]");
    let mode = |mode| fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
    fs::write(&file, format!("{SECRET}\n")).unwrap();
    mode(0o644);
    let error = desk.open(&settings).unwrap_err().to_string();
    assert!(error.contains("chmod 600"), "{error}");
    mode(0o600);
    let jwt = desk.open(&settings).unwrap();
    let key = EncodingKey::from_secret(SECRET.as_bytes());
    let token = encode(&header(Algorithm::HS256, None), &claims(), &key).unwrap();
    asked(&jwt, &token).await.unwrap();
    let token = encode(&header(Algorithm::HS384, None), &claims(), &key).unwrap();
    assert!(asked(&jwt, &token).await.is_err());
    fs::write(&file, "short").unwrap();
    let error = desk.open(&settings).unwrap_err().to_string();
    assert!(error.contains("32 to 4096 bytes"), "{error}");
}

#[test]
fn settings_that_do_not_fit_are_refused_with_the_reason() {
    let desk = Desk::new();
    let change = |from: &str, to: &str| {
        assert!(SETTINGS.contains(from), "{from}");
        SETTINGS.replace(from, to)
    };
    let rows = [
        (change("[RS256, ES256]", "[HS256]"), "go with `secret_file`"),
        (
            change("[RS256, ES256]", "[RS256, HS256]"),
            "go with `secret_file`",
        ),
        (
            change("file: jwks.json", "secret_file: s"),
            "go with `secret_file`",
        ),
        (change("[RS256, ES256]", "[none]"), "none"),
        (change("[RS256, ES256]", "[]"), "at least one"),
        (change("person: human", ""), "go together"),
        (change(", kind: kind", ""), "go together"),
        (
            change("audience: folkmoot", "audience: []"),
            "name somebody",
        ),
        (
            change("issuer: https://issuer.example/", "issuer: ''"),
            "name somebody",
        ),
        (change("person: human", "persons: human"), "persons"),
        (change("permissions: scope, ", ""), "permissions"),
        (
            change("name: name", "name: ''"),
            "no name of a claim is empty",
        ),
        (change("file: jwks.json", "file: other.json"), "other.json"),
        (
            change("file: jwks.json", "url: http://issuer.example/k"),
            "https://",
        ),
        (
            change("file: jwks.json", "url: https://u:p@issuer.example/k"),
            "no user in it",
        ),
        (change("file: jwks.json", "url: nowhere"), "no URL"),
        (change("file: jwks.json", "file: a, url: b"), ""),
    ];
    for (settings, why) in rows {
        let error = desk.open(&settings).unwrap_err();
        let error = with_causes(&error);
        assert!(
            error.contains(why) && error.contains(".json") | error.contains("jwt.yaml"),
            "{error}"
        );
    }
    for (document, why) in [
        ("{", "no JWKS"),
        ("{\"keys\":[]}", "no key has an id"),
        (
            "{\"keys\":[{\"kty\":\"oct\",\"kid\":\"a\",\"k\":\"AAAA\"}]}",
            "no key has an id",
        ),
    ] {
        fs::write(desk.dir.path().join("jwks.json"), document).unwrap();
        let error = desk.open(SETTINGS).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[tokio::test]
async fn the_example_of_the_documentation_is_read() {
    let settings = Settings::parse(include_str!("example.yaml")).unwrap();
    let roles = json!({ "folkmoot": { "roles": ["read", "create"] } });
    let claims = json!({
        "sub": "17", "preferred_username": "ada", "resource_access": roles,
        "folkmoot_worlds": "a b-*", "folkmoot_kind": "human", "exp": NOW,
    });
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(NOW);
    let caller = claims::caller(&settings, claims.as_object().unwrap(), now).unwrap();
    assert!(caller.proof.principal().person().is_some());
    assert_eq!(caller.may.rights, Rights([Right::Read].into()));
    assert!(caller.may.create && caller.may.worlds.len() == 2);
}

mod places;
