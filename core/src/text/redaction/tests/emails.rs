use super::{RedactionKind, check, check_clean};

#[test]
fn addresses_are_found_between_whatever_surrounds_them() {
    let rows = [
        ("ada@example.com", "[email]"),
        ("write to ada@example.com.", "write to [email]."),
        ("<ada.lovelace@example.co.uk>", "<[email]>"),
        (
            "mailto:ada+news@example.com?subject=x",
            "mailto:[email]?subject=x",
        ),
        ("ada@example.com,bob@example.com", "[email],[email]"),
        ("ada@example.com;bob@example.com", "[email];[email]"),
        ("\"ada@example.com\"", "\"[email]\""),
        ("'ada@example.com'", "'[email]'"),
        ("(ada@example.com)", "([email])"),
        ("o'brien@example.com", "[email]"),
        ("ADA@EXAMPLE.COM", "[email]"),
        ("a@b.co", "[email]"),
        ("ada_l@sub-domain.example.museum", "[email]"),
        ("jörg@müller.de", "[email]"),
        ("почта@пример.рф", "[email]"),
        ("请写信给ada@example.com谢谢", "请写信给[email]谢谢"),
        ("ada@example.com…", "[email]…"),
        ("e-mail=ada@example.com&x=1", "e-mail=[email]&x=1"),
        ("...ada@example.com...", "...[email]..."),
        ("ada@xn--mller-kva.example", "[email]"),
        ("ada@example.com-", "[email]-"),
        ("ada@example.com:8080", "[email]:8080"),
        ("x@y@example.com", "x@[email]"),
        ("user%example.com@relay.example.org", "[email]"),
        ("1234567@example.com", "[email]"),
        ("line\nada@example.com\nline", "line\n[email]\nline"),
        ("ada@example.com/bob", "[email]/bob"),
    ];
    check(RedactionKind::Email, &rows);
}

#[test]
fn what_only_has_an_at_sign_is_no_address() {
    let texts = [
        "",
        "@ada",
        "hello @ada and @bob",
        "ada@",
        "@example.com",
        "ada @ example.com",
        "ada@localhost",
        "foo@1.2.3",
        "lodash@4.17.21",
        "3 apples @ 1.20 each",
        "a@b",
        "a@b@c@d",
        "a@a@a@a@a",
        "x@.com",
        "x@-a.com",
        "x@a..com",
        "x@a.b",
        "x@a.1b",
        "meet @ 10.30",
        "@types/node@20.1",
        "@[ada lovelace]",
        "user@host",
        "root@10.0.0.1",
        "::@::",
        "[email]",
        "ada[at]example.com",
        "C@t",
        "@media screen { a.b }",
    ];
    check_clean(RedactionKind::Email, &texts);
}
