//! Random cases, each from a seed of its own.

use std::fmt::Debug;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseResult, TestError, TestRng, TestRunner};

/// A case that is run alone.
const ALONE: &str = "FOLKMOOT_CONFORMANCE_SEED";

/// Runs `test` on so many values as `PROPTEST_CASES` says, or `default`. They are others in each run, unless
/// `PROPTEST_RNG_SEED` is set. Says which one failed and how to run that alone.
pub(crate) fn each<S: Strategy>(name: &str, default: u32, strategy: S, test: impl Fn(S::Value))
where
    S::Value: Debug,
{
    if let Some(seed) = number(ALONE) {
        return one(name, seed, &strategy, &test);
    }
    let cases = number("PROPTEST_CASES").unwrap_or_else(|| default.into());
    let first =
        number("PROPTEST_RNG_SEED").unwrap_or_else(|| RandomState::new().build_hasher().finish());
    for case in 0..cases {
        one(name, first.wrapping_add(case), &strategy, &test);
    }
    println!("{name}: {cases} cases from seed {first}");
}

fn one<S: Strategy>(name: &str, seed: u64, strategy: &S, test: &impl Fn(S::Value))
where
    S::Value: Debug,
{
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let config = Config {
        cases: 1,
        failure_persistence: None,
        max_shrink_iters: 400,
        ..Config::default()
    };
    let passed = |value| -> TestCaseResult {
        test(value);
        Ok(())
    };
    if let Err(failed) = TestRunner::new_with_rng(config, rng).run(strategy, passed) {
        let why = match failed {
            TestError::Fail(why, least) => format!("{why}\nleast: {least:?}"),
            TestError::Abort(why) => why.to_string(),
        };
        panic!(
            "{why}\nagain: {ALONE}={seed} cargo test -p folkmoot-store --test conformance -- --exact {name}"
        );
    }
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|value| {
        value
            .parse()
            .unwrap_or_else(|_| panic!("{variable} is no number"))
    })
}
