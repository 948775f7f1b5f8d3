use super::{OTHERS_MAX, PEERS_MAX, PeerPlaces};
use crate::desk::peer::Peer;

#[tokio::test]
async fn what_tools_hold_open_takes_no_persons_place() {
    let places = PeerPlaces::new();
    let mut held = Vec::new();
    for _ in 0..OTHERS_MAX {
        held.push(places.take(Peer::OfTool).await.unwrap());
    }
    assert!(
        places.take(Peer::OfTool).await.is_none(),
        "the next one is turned away"
    );
    assert!(places.take(Peer::Stranger).await.is_none());
    for _ in 0..PEERS_MAX {
        held.push(places.take(Peer::Person(0)).await.unwrap());
    }
}

#[tokio::test]
async fn the_place_of_one_who_left_is_free() {
    let places = PeerPlaces::new();
    let held: Vec<_> = (0..OTHERS_MAX).map(|_| places.take(Peer::OfTool)).collect();
    drop(futures::future::join_all(held).await);
    assert!(places.take(Peer::OfTool).await.is_some());
}
