//! Places of keys: how often they are asked, and for how long.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::super::place::LoadError;
use super::super::*;
use super::jwks;

/// A place of keys on loopback. It counts how often it is asked; `answers` says with what.
async fn place(answers: Vec<Option<Vec<u8>>>) -> (String, tokio::sync::watch::Receiver<usize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/jwks.json", listener.local_addr().unwrap());
    let (count, counted) = tokio::sync::watch::channel(0);
    tokio::spawn(async move {
        let mut open = Vec::new();
        for answer in answers {
            let (mut stream, _) = listener.accept().await.unwrap();
            count.send_modify(|count| *count += 1);
            let mut head = [0; 1024];
            let _bytes = stream.read(&mut head).await.unwrap();
            let Some(body) = answer else {
                // It never answers, and keeps the connection.
                open.push(stream);
                continue;
            };
            let head = format!(
                "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            let mut all = head.into_bytes();
            all.extend(body);
            // A reader that has had enough goes away.
            let _gone = stream.write_all(&all).await;
        }
        std::future::pending::<()>().await;
    });
    (url, counted)
}

#[tokio::test]
async fn an_unknown_key_is_fetched_once_in_a_while_and_known_ones_are_not() {
    let (url, count) = place(vec![Some(jwks().to_string().into_bytes()); 3]).await;
    let hour = Duration::from_secs(3600);
    let set = KeySet::at(JwksPlace::url(&url).unwrap(), None).fetched_every(hour);
    set.key("rsa").await.unwrap();
    set.key("ec").await.unwrap();
    let other = set.key("other").await.unwrap_err();
    assert_eq!((other, *count.borrow()), (AuthenticateError::Unknown, 1));
    let eager = KeySet::at(JwksPlace::url(&url).unwrap(), None).fetched_every(Duration::ZERO);
    assert!(eager.key("rsa").await.is_ok() && eager.key("rsa").await.is_ok());
    assert_eq!(*count.borrow(), 2, "a known key needs no fetch");
    assert!(eager.key("other").await.is_err());
    assert_eq!(*count.borrow(), 3);
}

#[tokio::test]
async fn a_place_that_sends_without_end_is_given_up() {
    let long = format!("{{\"keys\":[],\"x\":\"{}\"}}", "x".repeat(300 * 1024));
    let (url, _) = place(vec![Some(long.into_bytes())]).await;
    let place = JwksPlace::url(&url).unwrap();
    let error = place.load().await.unwrap_err();
    assert!(matches!(error, LoadError::TooLong), "{error}");
    assert_eq!(error.to_string(), "it is longer than 262144 bytes");
}

mod real_time {
    use super::*;

    /// A place that never answers holds up neither known keys nor the end of who waits for it.
    #[tokio::test]
    async fn a_place_that_never_answers_blocks_nobody_with_a_known_key() {
        let good = Some(jwks().to_string().into_bytes());
        let (url, mut count) = place(vec![good, None, None]).await;
        let patient = JwksPlace::patient(&url, Duration::from_millis(300)).unwrap();
        let set = KeySet::at(patient, None).fetched_every(Duration::ZERO);
        set.key("rsa").await.unwrap();
        let other = Arc::clone(&set);
        let waits = tokio::spawn(async move { other.key("other").await });
        count.wait_for(|count| *count == 2).await.unwrap();
        set.key("ec").await.unwrap();
        assert!(!waits.is_finished(), "somebody waits meanwhile");
        let error = waits.await.unwrap().unwrap_err();
        assert!(
            matches!(error, AuthenticateError::Unavailable(_)),
            "{error}"
        );
        set.key("rsa").await.unwrap();
    }

    /// Whoever asks with an unknown key and goes away does not spend the fetch.
    #[tokio::test]
    async fn a_fetch_goes_on_when_its_request_is_given_up() {
        let good = Some(jwks().to_string().into_bytes());
        let (url, mut count) = place(vec![good]).await;
        let hour = Duration::from_secs(3600);
        let set = KeySet::at(JwksPlace::url(&url).unwrap(), None).fetched_every(hour);
        let other = Arc::clone(&set);
        let gone = tokio::spawn(async move { other.key("rsa").await });
        count.wait_for(|count| *count == 1).await.unwrap();
        gone.abort();
        set.key("rsa").await.unwrap();
        assert_eq!(*count.borrow(), 1);
    }
}
