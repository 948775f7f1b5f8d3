//! A stream gives the same answer however its bytes come.

use folkmoot_providers::codec::{Codec, Wire};

use crate::recording::{Exchange, exchanges};
use crate::stream;

const SPLITS: usize = 50;

/// The recorded streams of a wire, the shortest first.
fn streams(wire: Wire) -> Vec<Exchange> {
    let mut streams: Vec<Exchange> = exchanges(wire)
        .into_iter()
        .filter(|exchange| exchange.stream)
        .collect();
    streams.sort_by_key(|exchange| exchange.body.len());
    streams
}

#[test]
fn byte_by_byte_is_as_good_as_whole() {
    for wire in Wire::ALL {
        let (codec, streams) = (wire.default_codec(), streams(wire));
        for Exchange { id, body, .. } in &streams {
            assert_eq!(
                stream(&*codec, body.as_bytes().chunks(1)),
                stream(&*codec, [body.as_bytes()]),
                "{id}"
            );
        }
        println!(
            "{}: {} recorded streams decoded byte by byte",
            wire.name(),
            streams.len()
        );
    }
}

#[test]
fn fifty_seeded_splits_are_as_good_as_whole() {
    for wire in Wire::ALL {
        let (codec, streams) = (wire.default_codec(), streams(wire));
        let mut random = Random(0x5eed);
        for Exchange { id, body, .. } in &streams {
            let whole = stream(&*codec, [body.as_bytes()]);
            for _ in 0..SPLITS {
                let cuts = random.cuts(body.len());
                let pieces = cuts
                    .windows(2)
                    .map(|pair| &body.as_bytes()[pair[0]..pair[1]]);
                assert_eq!(stream(&*codec, pieces), whole, "{id} cut at {cuts:?}");
            }
        }
        println!(
            "{}: {} recorded streams decoded at {SPLITS} seeded splits each",
            wire.name(),
            streams.len()
        );
    }
}

#[test]
fn every_split_of_the_shortest_is_as_good_as_whole() {
    for wire in Wire::ALL {
        let count = every_split(
            &*wire.default_codec(),
            &streams(wire).into_iter().take(4).collect::<Vec<_>>(),
        );
        println!(
            "{}: {count} splits of the 4 shortest recorded streams decoded",
            wire.name()
        );
    }
}

#[test]
#[ignore = "takes a quarter of an hour in a release build; the long tests run it"]
fn every_split_of_all_is_as_good_as_whole() {
    for wire in Wire::ALL {
        let (codec, streams) = (wire.default_codec(), streams(wire));
        // Dealt out by turns, so that both halves have short and long ones.
        let half = |parity: usize| {
            streams
                .iter()
                .skip(parity)
                .step_by(2)
                .cloned()
                .collect::<Vec<_>>()
        };
        let count: usize = std::thread::scope(|scope| {
            let halves = [0, 1].map(|parity| {
                let codec = codec.clone();
                scope.spawn(move || every_split(&*codec, &half(parity)))
            });
            halves.into_iter().map(|half| half.join().unwrap()).sum()
        });
        println!(
            "{}: {count} splits of {} recorded streams decoded",
            wire.name(),
            streams.len()
        );
    }
}

fn every_split(codec: &dyn Codec, streams: &[Exchange]) -> usize {
    for Exchange { id, body, .. } in streams {
        let whole = stream(codec, [body.as_bytes()]);
        for at in 1..body.len() {
            let (front, back) = body.as_bytes().split_at(at);
            assert_eq!(stream(codec, [front, back]), whole, "{id} cut at {at}");
        }
    }
    streams
        .iter()
        .map(|exchange| exchange.body.len().saturating_sub(1))
        .sum()
}

/// A small generator (xorshift64): the same cuts in each run, on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }

    /// Up to 40 places to cut `len` bytes, with both ends.
    fn cuts(&mut self, len: usize) -> Vec<usize> {
        let count = 1 + self.below(40);
        let mut cuts: Vec<usize> = (0..count)
            .map(|_| self.below(len + 1))
            .chain([0, len])
            .collect();
        cuts.sort_unstable();
        cuts
    }
}
