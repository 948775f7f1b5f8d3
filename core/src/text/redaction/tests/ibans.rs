use super::{RedactionKind, check, check_clean};

#[test]
fn account_numbers_are_found_with_and_without_spaces() {
    let rows = [
        ("DE89370400440532013000", "[iban]"),
        ("DE89 3704 0044 0532 0130 00", "[iban]"),
        ("de89 3704 0044 0532 0130 00", "[iban]"),
        ("DE89-3704-0044-0532-0130-00", "[iban]"),
        (
            "DE89\u{a0}3704\u{a0}0044\u{a0}0532\u{a0}0130\u{a0}00",
            "[iban]",
        ),
        ("GB29 NWBK 6016 1331 9268 19", "[iban]"),
        ("GB82WEST12345698765432", "[iban]"),
        ("FR14 2004 1010 0505 0001 3M02 606", "[iban]"),
        ("NL91ABNA0417164300", "[iban]"),
        ("BE68 5390 0754 7034", "[iban]"),
        ("CH93 0076 2011 6238 5295 7", "[iban]"),
        ("AT61 1904 3002 3457 3201", "[iban]"),
        ("ES91 2100 0418 4502 0005 1332", "[iban]"),
        ("IT60 X054 2811 1010 0000 0123 456", "[iban]"),
        ("NO93 8601 1117 947", "[iban]"),
        ("PL61 1090 1014 0000 0712 1981 2874", "[iban]"),
        ("SE45 5000 0000 0583 9825 7466", "[iban]"),
        ("DK50 0040 0440 1162 43", "[iban]"),
        ("FI21 1234 5600 0007 85", "[iban]"),
        ("PT50 0002 0123 1234 5678 9015 4", "[iban]"),
        ("MT84 MALT 0110 0001 2345 MTLC AST0 01S", "[iban]"),
        ("IBAN:DE89370400440532013000.", "IBAN:[iban]."),
        ("(DE89 3704 0044 0532 0130 00)", "([iban])"),
        (
            "DE89 3704 0044 0532 0130 00 BIC COBADEFF",
            "[iban] BIC COBADEFF",
        ),
        ("DE89370400440532013000,BE68539007547034", "[iban],[iban]"),
        ("账号DE89370400440532013000", "账号[iban]"),
    ];
    check(RedactionKind::Iban, &rows);
}

#[test]
fn what_only_begins_like_an_account_number_stays() {
    let texts = [
        "DE89370400440532013001", // the sum is wrong
        "DE88 3704 0044 0532 0130 00",
        "DE8937040044053201300",   // too short
        "DE893704004405320130000", // too long
        "DE89370400440532013000A",
        "ADE89370400440532013000",
        "_DE89370400440532013000",
        "XX89370400440532013000",
        "US89370400440532013000",
        "DE89  3704  0044  0532  0130  00",
        "DE89.3704.0044.0532.0130.00",
        "DE89\n3704\n0044\n0532\n0130\n00",
        "DE89",
        "DE",
        "de12 is a word",
        "GB29 NWBK 6016 1331 9268",
        "NO93 8601 1117 94",
        "no12 more than that was there at all",
        "is10 it 20 or 30 then",
        "AB12 CD34 EF56 GH78",
        "at00 at00 at00 at00 at00",
        "89370400440532013000",
        "D89370400440532013000",
        "DEU89370400440532013000",
        "[iban]",
        "",
    ];
    check_clean(RedactionKind::Iban, &texts);
}
