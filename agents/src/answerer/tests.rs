use super::*;

#[tokio::test]
async fn world_whose_answers_broke_off_is_tried_again_after_a_while() {
    let mut round = Round::default();
    let [broken, other] = [1, 2].map(|number| WorldId::from_hash([number; 16]));
    round.begin(other, std::future::pending());
    round.begin(broken, async { panic!("an answer that breaks off") });
    let now = Instant::now();
    assert!(round.not_now(now).contains(&broken));
    let done = round.under_way.join_next().await.unwrap();
    round.end(done);
    assert!(round.not_now(now).contains(&broken), "not at once");
    // The while is over, and the other is still under way.
    assert_eq!(round.not_now(Instant::now() + 2 * LOOK_EVERY), [other]);
}
