use folkmoot_core::event::{Holder, Right, Rights, RightsChanged};

use super::rights;

#[test]
fn a_change_of_rights_says_who_may_what_from_here_on() {
    let given = |rights: &[Right]| Some(Rights(rights.iter().copied().collect()));
    let cases = [
        (
            Holder::Person,
            given(&[Right::Post, Right::Read]),
            "token:ada may: read, post",
        ),
        (
            Holder::Service,
            Some(Rights::all()),
            "service%:token:ada may: read, post, decide, operate",
        ),
        (Holder::Person, given(&[]), "token:ada may: nothing"),
        (
            Holder::Person,
            None,
            "token:ada may: what the definition says",
        ),
    ];
    for (holder, given, line) in cases {
        let changed = RightsChanged {
            holder,
            method: "token".to_owned(),
            subject: "ada".to_owned(),
            rights: given,
        };
        assert_eq!(rights(&changed), line);
    }
}
