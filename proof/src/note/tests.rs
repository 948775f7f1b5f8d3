use proptest::prelude::*;

use super::{
    Checkpoint, CheckpointError, KeyError, KeyId, NoteError, SignedNote, SignerKey, VerifierKey,
};

/// The example of Go's package `sumdb/note`.
const SIGNER: &str =
    "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz";
const VERIFIER: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
const TEXT: &str = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const LINE: &str = "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";

/// The example of the C2SP specification.
const SPEC_VERIFIER: &str = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";
const SPEC_NOTE: &str = "This is an example message.\n\n— example.com/foo \
    Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n";

fn signer() -> SignerKey {
    SignerKey::parse(SIGNER).unwrap()
}

fn keys(texts: &[&str]) -> Vec<VerifierKey> {
    texts
        .iter()
        .map(|text| VerifierKey::parse(text).unwrap())
        .collect()
}

fn parse(note: &str) -> Result<SignedNote, NoteError> {
    SignedNote::parse(note.as_bytes())
}

#[test]
fn the_known_key_signs_the_known_note() {
    let note = SignedNote::sign(TEXT, &signer()).unwrap();
    assert_eq!(note.to_string(), format!("{TEXT}\n{LINE}"));
    assert_eq!(parse(&note.to_string()).unwrap(), note);
    let keys = keys(&[SPEC_VERIFIER, VERIFIER]);
    assert_eq!(note.verify(&keys), Ok(vec![&keys[1]]));
}

#[test]
fn the_note_of_the_specification_verifies() {
    let keys = keys(&[SPEC_VERIFIER]);
    assert_eq!(parse(SPEC_NOTE).unwrap().verify(&keys), Ok(vec![&keys[0]]));
}

#[test]
fn keys_are_written_as_they_are_read() {
    assert_eq!(signer().to_secret_text(), SIGNER);
    assert_eq!(signer().verifier().to_string(), VERIFIER);
    assert_eq!(
        VerifierKey::parse(SPEC_VERIFIER).unwrap().to_string(),
        SPEC_VERIFIER
    );
}

#[test]
fn a_key_made_of_a_seed_is_the_one_of_the_standard() {
    // RFC 8032, section 7.1, test 2: the secret key, the public key, and the signature of the byte 0x72.
    let hex = |hex: &str| -> Vec<u8> {
        (0..hex.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
            .collect()
    };
    let seed = hex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb");
    let signature = "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da\
                     085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";
    let key = SignerKey::generate("example.com/test", &seed.try_into().unwrap()).unwrap();
    assert_eq!(key.sign(&[0x72]).to_vec(), hex(signature));
    let public = key.verifier();
    assert!(public.verify(&[0x72], &hex(signature)));
    assert!(!public.verify(&[0x73], &hex(signature)));
    assert!(!public.verify(&[0x72], &[]));
}

#[test]
fn a_secret_is_not_shown() {
    assert_eq!(
        format!("{:?}", signer()),
        r#"SignerKey { name: "PeterNeumann", id: KeyId([199, 79, 32, 163]), .. }"#
    );
}

#[test]
fn signatures_of_unknown_keys_are_ignored_and_bad_ones_of_known_keys_are_not() {
    let other = SignerKey::generate("PeterNeumann", &[7; 32]).unwrap();
    let forged = SignedNote::sign("Something else.\n", &other)
        .unwrap()
        .to_string();
    let forged = forged.split_inclusive('\n').next_back().unwrap();
    let keys = keys(&[VERIFIER]);
    assert_eq!(
        parse(&format!("{TEXT}\n{forged}{LINE}"))
            .unwrap()
            .verify(&keys),
        Ok(vec![&keys[0]])
    );
    assert_eq!(
        parse(&format!("{TEXT}\n{LINE}{LINE}"))
            .unwrap()
            .verify(&keys),
        Ok(vec![&keys[0]])
    );
    assert_eq!(
        parse(&format!("{TEXT}\n{forged}")).unwrap().verify(&keys),
        Err(NoteError::NoKnownKey)
    );
    let bad = NoteError::BadSignature {
        name: "PeterNeumann".to_owned(),
    };
    assert_eq!(
        parse(&format!("Another text.\n\n{LINE}"))
            .unwrap()
            .verify(&keys),
        Err(bad.clone())
    );
    assert_eq!(
        parse(&format!("{TEXT}\n{LINE}{forged}"))
            .unwrap()
            .verify(&[other.verifier()]),
        { Err(bad) }
    );
}

#[test]
fn an_empty_line_within_the_text_is_text() {
    let note = SignedNote::sign("one\n\n— two\n", &signer()).unwrap();
    assert_eq!(parse(&note.to_string()).unwrap().text(), "one\n\n— two\n");
}

#[test]
fn what_is_no_note_is_refused() {
    let line = |line| Err(NoteError::SignatureLine { line });
    for (note, expected) in [
        (TEXT.to_owned(), Err(NoteError::Form)),
        (format!("{TEXT}\n"), Err(NoteError::Form)),
        (format!("{TEXT}{LINE}"), Err(NoteError::Form)),
        (format!("{TEXT}\n{}", LINE.trim_end()), Err(NoteError::Form)),
        (format!("{TEXT}\n{LINE}\n"), Err(NoteError::Form)),
        (format!("{TEXT}\n{LINE}more\n"), line(2)),
        (format!("{TEXT}\n{}", LINE.replace('—', "-")), line(1)),
        (
            format!("{TEXT}\n{}", LINE.replace("PeterNeumann", "Peter+Neumann")),
            line(1),
        ),
        (
            format!("{TEXT}\n{}", LINE.replace("PeterNeumann ", " ")),
            line(1),
        ),
        (format!("{TEXT}\n{}", LINE.replace("AM=", "AN=")), line(1)),
        (format!("{TEXT}\n— PeterNeumann AAAA\n"), line(1)),
        (format!("{TEXT}\n— PeterNeumann AAAAAA==\n"), line(1)),
        (
            format!("{}\n{LINE}", TEXT.replace(' ', "\t")),
            Err(NoteError::NotText),
        ),
        (
            format!("{TEXT}\n{}", LINE.repeat(33)),
            Err(NoteError::TooManySignatures { found: 33 }),
        ),
        (
            "a".repeat(131_073),
            Err(NoteError::TooLong { found: 131_073 }),
        ),
    ] {
        assert_eq!(parse(&note), expected, "{note}");
    }
    assert_eq!(SignedNote::parse(b"\xff\n\n"), Err(NoteError::NotText));
    assert_eq!(
        SignedNote::sign("no newline", &signer()),
        Err(NoteError::Form)
    );
    assert_eq!(
        SignedNote::sign("a tab\t\n", &signer()),
        Err(NoteError::NotText)
    );
}

#[test]
fn what_is_no_key_is_refused() {
    let id = KeyError::Id {
        expected: KeyId([0xc7, 0x4f, 0x20, 0xa3]),
        found: KeyId([0xc7, 0x4f, 0x20, 0xa4]),
    };
    for (text, expected) in [
        (VERIFIER.replace("c74f20a3", "c74f20a4"), id),
        (
            VERIFIER.replace("c74f20a3", "C74F20A3"),
            KeyError::VerifierForm,
        ),
        (
            VERIFIER.replace("c74f20a3", "+74f20a3"),
            KeyError::VerifierForm,
        ),
        (VERIFIER.replace("ARpc", "Ahpc"), KeyError::Algorithm(2)),
        (VERIFIER.replace("ARpc", ""), KeyError::Algorithm(217)),
        (VERIFIER.replace("10TW", ""), KeyError::VerifierForm),
        (format!("{VERIFIER}\n"), KeyError::VerifierForm),
        (SIGNER.to_owned(), KeyError::VerifierForm),
        (format!("a b+00000000+{}", &VERIFIER[22..]), KeyError::Name),
        // The identity of the curve: everybody can sign for it.
        (
            "weak+00000000+AQEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA".to_owned(),
            KeyError::NotAKey,
        ),
    ] {
        assert_eq!(VerifierKey::parse(&text), Err(expected), "{text}");
    }
    assert_eq!(
        SignerKey::parse(VERIFIER).unwrap_err(),
        KeyError::SignerForm
    );
    let other_name = SignerKey::parse(&SIGNER.replace("Peter", "Paul")).unwrap_err();
    assert!(matches!(other_name, KeyError::Id { .. }), "{other_name}");
    assert_eq!(
        SignerKey::generate("Ada Lovelace", &[1; 32]).unwrap_err(),
        KeyError::Name
    );
}

const WORLD: [u8; 16] = [
    1, 0x89, 0x0a, 0x5d, 0xac, 0x96, 0x77, 0x4b, 0xbc, 0xce, 0xb3, 2, 9, 0x9a, 0x80, 0x57,
];

#[test]
fn a_checkpoint_of_a_world_says_how_far_it_has_come() {
    let checkpoint = Checkpoint::of_world(WORLD, 3, [0xff; 32], 7);
    let body = "folkmoot/01890a5d-ac96-774b-bcce-b302099a8057\n3\n//////////////////////////////////////////8=\nevent 7\n";
    assert_eq!(checkpoint.body(), body);
    assert_eq!(Checkpoint::parse(body), Ok(checkpoint.clone()));
    assert_eq!(
        (checkpoint.world(), checkpoint.last_event()),
        (Some(WORLD), Some(7))
    );
    let note = checkpoint.sign(&signer()).unwrap();
    assert_eq!(
        Checkpoint::parse(parse(&note.to_string()).unwrap().text()),
        Ok(checkpoint)
    );
}

#[test]
fn a_checkpoint_of_another_log_is_not_about_a_world() {
    let body =
        "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n";
    let checkpoint = Checkpoint::parse(body).unwrap();
    assert_eq!(
        (checkpoint.size, checkpoint.world(), checkpoint.last_event()),
        (20_852_163, None, None)
    );
    assert_eq!(checkpoint.body(), body);
    let upper = Checkpoint {
        origin: "folkmoot/01890A5D-AC96-774B-BCCE-B302099A8057".to_owned(),
        ..checkpoint
    };
    assert_eq!(upper.world(), None);
}

#[test]
fn what_is_no_checkpoint_is_refused() {
    let root = "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=";
    for (body, expected) in [
        (format!("a\n1\n{root}"), CheckpointError::Lines),
        ("a\n1\n".to_owned(), CheckpointError::Lines),
        (format!("\n1\n{root}\n"), CheckpointError::Lines),
        (format!("a\n1\n{root}\n\nb\n"), CheckpointError::Lines),
        (format!("a\n1\n{root}\n\n"), CheckpointError::Lines),
        (format!("a\n01\n{root}\n"), CheckpointError::Size),
        (format!("a\n+1\n{root}\n"), CheckpointError::Size),
        (
            format!("a\n18446744073709551616\n{root}\n"),
            CheckpointError::Size,
        ),
        (format!("a\n1\n{}\n", &root[4..]), CheckpointError::Root),
        ("a\n1\n*\n".to_owned(), CheckpointError::Root),
    ] {
        assert_eq!(Checkpoint::parse(&body), Err(expected), "{body}");
    }
}

proptest! {
    #[test]
    fn no_bytes_make_reading_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), text in "\\PC{0,60}") {
        let _note = SignedNote::parse(&bytes);
        let _checkpoint = Checkpoint::parse(&text);
        let _keys = (VerifierKey::parse(&text), SignerKey::parse(&text));
    }

    #[test]
    fn a_signed_text_with_one_byte_changed_does_not_verify(at in 0..TEXT.len(), byte in b' '..0x7f) {
        let mut changed = TEXT.as_bytes().to_vec();
        prop_assume!(changed[at] != byte && changed[at] != b'\n');
        changed[at] = byte;
        let note = format!("{}\n{LINE}", String::from_utf8(changed).unwrap());
        prop_assert!(parse(&note).unwrap().verify(&keys(&[VERIFIER])).is_err());
    }

    #[test]
    fn any_checkpoint_is_read_as_it_is_written(world: [u8; 16], size: u64, root: [u8; 32], last: u64) {
        let checkpoint = Checkpoint::of_world(world, size, root, last);
        prop_assert_eq!(Checkpoint::parse(&checkpoint.body()), Ok(checkpoint.clone()));
        prop_assert_eq!((checkpoint.world(), checkpoint.last_event()), (Some(world), Some(last)));
    }
}
