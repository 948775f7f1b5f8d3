use super::*;

fn asks(name: &str) -> ChatLine {
    ChatLine::Asks(name.to_owned(), vec!["worker asks".to_owned()])
}

fn keys(name: &str, again: bool) -> ChatLine {
    ChatLine::Keys {
        name: name.to_owned(),
        again: again.then(Vec::new),
        keys: "o once".to_owned(),
    }
}

#[test]
fn keys_decide_only_what_was_shown_last() {
    let asked = KeyedRequest::default();
    assert!(!asked.is_ready("gate#7"));
    asked.printed(&asks("gate#7"));
    assert!(!asked.is_ready("gate#7"), "its keys were not shown");
    asked.printed(&keys("gate#7", false));
    assert!(asked.is_ready("gate#7") && !asked.is_ready("gate#9"));
    for other in [
        ChatLine::Quiet("x".to_owned()),
        ChatLine::Plain("x".to_owned()),
        asks("gate#9"),
        keys("gate#9", true),
    ] {
        asked.printed(&keys("gate#7", true));
        assert!(asked.is_ready("gate#7"));
        asked.printed(&other);
        assert!(!asked.is_ready("gate#7"), "{other:?}");
    }
    asked.printed(&keys("gate#7", true));
    asked.disturb();
    assert!(!asked.is_ready("gate#7"), "a draft was begun");
    asked.printed(&keys("gate#7", false));
    assert!(
        !asked.is_ready("gate#7"),
        "what it asks is not to be seen any more"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_news_for_a_full_stage_waits_until_it_has_room() {
    let (news, mut told) = mpsc::channel(1);
    let cues = Cues(news);
    let stage = tokio::spawn(async move {
        let mut heard = 0;
        while told.recv().await.is_some() {
            heard += 1;
        }
        heard
    });
    for _ in 0..100 {
        cues.tell_blocking(StageNews::Hints(Hints::None));
        cues.tell(StageNews::Hints(Hints::None)).await;
    }
    drop(cues);
    assert_eq!(stage.await.unwrap(), 200);
}
