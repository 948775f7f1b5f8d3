//! Programs that stay.

use std::io::{Read, Write};

use crate::*;
use folkmoot_core::port::HostedProgram;

async fn stays(place: &Place, script: &str) -> HostedProgram {
    place.host().start(place.shell(script)).await.unwrap()
}

/// Reads until `end` stands there, or all is read.
fn read_until(output: &mut impl Read, end: &str) -> String {
    let mut text = Vec::new();
    let mut byte = [0];
    while !text.ends_with(end.as_bytes()) && output.read(&mut byte).unwrap() == 1 {
        text.push(byte[0]);
    }
    String::from_utf8(text).unwrap()
}

#[tokio::test]
async fn a_program_that_stays_is_talked_with_until_it_ends() {
    let place = Place::new();
    let script =
        "read a; printf 'heard %s' \"$a\"; read b; echo \", then $b\"; echo oh >&2; exit 3";
    let mut program = stays(&place, script).await;
    program.input.write_all(b"one\n").unwrap();
    // Also the beginning of a line comes at once.
    assert_eq!(read_until(&mut program.output, "heard one"), "heard one");
    program.input.write_all(b"two\n").unwrap();
    assert_eq!(read_until(&mut program.output, "\n"), ", then two\n");
    assert_eq!(read_until(&mut program.output, "never"), "");
    assert_eq!(
        read_until(&mut program.errors, "never"),
        "oh\nthe program ended with exit code 3\n"
    );
    place.unlocked().await;
}

#[tokio::test]
async fn a_program_that_stays_is_gone_with_all_it_detached_when_it_is_dropped() {
    let place = Place::new();
    let program = stays(&place, DETACHES).await;
    let (child, orphan) = (place.pid_in("child").await, place.pid_in("orphan").await);
    assert!(is_alive(child) && is_alive(orphan));
    drop(program);
    gone(child).await;
    gone(orphan).await;
    place.unlocked().await;
}

#[tokio::test]
async fn a_dropped_program_that_neither_reads_nor_is_read_is_gone_too() {
    let place = Place::new();
    let script = "echo $$ > child.new; mv child.new child; exec 3>&1; yes >&3 & sleep 1000; :";
    let mut program = stays(&place, script).await;
    let child = place.pid_in("child").await;
    program.output.read_exact(&mut [0; 2]).unwrap();
    // More than the program's pipe holds: the helper waits in the middle of passing it on.
    for _ in 0..2 {
        program.input.write_all(&[b'x'; 60_000]).unwrap();
    }
    drop(program);
    gone(child).await;
    place.unlocked().await;
}

#[tokio::test]
async fn a_program_that_cannot_stay_is_an_error_that_says_why() {
    let place = Place::new();
    let error = place
        .host()
        .start(place.command(&["no-such-program"]))
        .await;
    assert!(
        matches!(&error, Err(HostError::NotStarted { program, .. }) if program == "no-such-program"),
        "{error:?}"
    );
    let first = stays(&place, "sleep 1000").await;
    let limit = Duration::from_millis(100);
    let second = HostCommand {
        timeout: limit,
        ..place.shell("sleep 1000")
    };
    let error = place.host().start(second).await.unwrap_err().to_string();
    assert!(
        error.contains("an earlier run still has the lock"),
        "{error}"
    );
    drop(first);
}
