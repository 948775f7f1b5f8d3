use folkmoot_core::model::response::Part;

use super::*;

const MINUTE: Duration = Duration::from_secs(60);

fn answers(entries: usize) -> Answers {
    Answers::new(CacheSettings {
        entries: NonZeroUsize::new(entries).unwrap(),
        age_max: MINUTE,
    })
}

fn request(number: u8) -> Digest {
    Digest::sha256(&[number])
}

#[test]
fn an_answer_is_found_until_it_is_too_old() {
    let (mut answers, start) = (answers(2), Instant::now());
    let answer = LLMResponse::text("a");
    answers.keep(request(1), &answer, start);
    assert_eq!(answers.find(&request(2), start), None);
    assert_eq!(
        answers.find(&request(1), start + MINUTE - Duration::from_nanos(1)),
        Some(answer)
    );
    assert_eq!(answers.find(&request(1), start + MINUTE), None);
}

#[test]
fn the_answer_that_was_not_given_for_the_longest_time_makes_room() {
    let (mut answers, now) = (answers(2), Instant::now());
    for number in [1, 2] {
        answers.keep(request(number), &LLMResponse::text("a"), now);
    }
    assert!(answers.find(&request(1), now).is_some());
    answers.keep(request(3), &LLMResponse::text("a"), now);
    let kept = [1, 2, 3].map(|number| answers.find(&request(number), now).is_some());
    assert_eq!(kept, [true, false, true]);
}

#[test]
fn only_whole_answers_are_kept() {
    let reply = || Reply {
        parts: vec![Part::Text("a".into())],
        ..Reply::default()
    };
    let responses = [
        (LLMResponse::Text(reply()), true),
        (LLMResponse::Calls(reply()), true),
        (LLMResponse::Refused(reply()), false),
        (LLMResponse::Truncated(reply()), false),
        (LLMResponse::Filtered(reply()), false),
    ];
    for (response, is_kept) in responses {
        let (mut answers, now) = (answers(2), Instant::now());
        answers.keep(request(1), &response, now);
        assert_eq!(
            answers.find(&request(1), now).is_some(),
            is_kept,
            "{response:?}"
        );
    }
}

#[test]
fn what_comes_from_the_cache_costs_nothing_and_says_so() {
    let usage = Usage {
        input: Some(7),
        output: Some(2),
        ..Usage::default()
    };
    let reply = Reply {
        parts: vec![Part::Text("a".into())],
        usage,
        warnings: vec!["x".into()],
        ..Reply::default()
    };
    let nothing = Usage {
        input: Some(0),
        output: Some(0),
        ..Usage::default()
    };
    let expected = Reply {
        usage: nothing,
        warnings: vec!["x".into(), CACHED_ANSWER.into()],
        ..reply.clone()
    };
    assert_eq!(unpaid(reply), expected);
}

#[test]
fn models_with_other_settings_share_nothing() {
    let settings = answers(1).settings;
    let cache = |digest: u8| shared(settings, request(digest));
    assert!(Arc::ptr_eq(&cache(1), &cache(1)));
    assert!(!Arc::ptr_eq(&cache(1), &cache(2)));
}
