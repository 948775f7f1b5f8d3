use super::*;

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
