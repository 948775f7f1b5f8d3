//! Refusals on a terminal.

use super::*;

#[test]
fn four_eyes_are_those_of_another_user_of_this_machine() {
    let reason = RefusalReason::SamePerson;
    let decided = None;
    assert_eq!(
        sentence(&Refusal::Right { reason, decided }),
        "refused: four-eyes rule: someone other than the person who started this must approve it; \
         on this machine that is another user"
    );
}
