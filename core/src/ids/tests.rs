use proptest::prelude::*;

use super::principal::Holder;
use super::*;

#[test]
fn ids_survive_their_text_form() {
    let digest = Digest::of(&[b"a", b"b"]);
    assert_eq!(Digest::try_from(digest.to_string()), Ok(digest));
    assert_eq!(
        Digest::try_from("zz".to_owned()),
        Err(HexError {
            expected: 64,
            found: 2
        })
    );
}

#[test]
fn digest_tells_the_borders_of_its_parts() {
    assert_ne!(Digest::of(&[b"ab", b""]), Digest::of(&[b"a", b"b"]));
}

#[test]
fn world_ids_carry_the_stamps_time() {
    let stamp = Stamp {
        time: Time(1_893_456_000_000),
        seed: Seed::new([7; 16]),
    };
    let id = WorldId::from_stamp(&stamp);
    assert_eq!(id.0.get_version_num(), 7);
    assert_eq!(id, WorldId::from_stamp(&stamp));
}

#[test]
fn names_that_a_mention_could_not_tell_apart_are_refused() {
    for bad in [
        "",
        "a@b",
        "a,b",
        "tom and jerry",
        "ad\u{202e}a",
        "a\u{200b}da",
        "bob.",
        "(bob",
        " bob",
        "a\nb",
    ] {
        assert!(AgentName::new(bad).is_err(), "{bad:?}");
    }
    for good in [
        "bob",
        "Release Planner",
        "build-bot2",
        "Zoë",
        "Zoe\u{308}",
        "राज\u{93c}",
        "李",
        "🦊",
        "❤\u{fe0f}",
    ] {
        assert!(AgentName::new(good).is_ok(), "{good:?}");
    }
}

/// Golden: calls are named by this hash in every log.
#[test]
fn calls_id_is_what_it_always_was() {
    let world = WorldId(Uuid::from_u128(7));
    let id = CallId::of(world, Position::new(9), 1);
    assert_eq!(id.to_string(), "f134e56c4fffab9a6e0c3f3955995008");
    assert_ne!(id, CallId::of(world, Position::new(9), 2));
}

proptest! {
    /// A key of rights reads back as whom it names, and no person has a service's.
    #[test]
    fn key_of_rights_names_one_principal(method in "[a-z%:]{1,8}", subject in ".{0,8}") {
        let person = Holder::Person.proof(&method, &subject);
        let service = Holder::Service.proof(&method, &subject);
        prop_assert_eq!(
            Holder::read(&person),
            Some((Holder::Person, method.clone(), subject.clone()))
        );
        prop_assert_eq!(Holder::read(&service), Some((Holder::Service, method, subject)));
        prop_assert_ne!(person, service);
    }
}
