//! Codes of login links.

use std::sync::{Mutex, PoisonError};

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use jiff::{SignedDuration, Timestamp};

use super::super::secret::{RandomnessError, Secret, SecretHash, SecretKind};
use super::SessionError;

/// The time for which a code holds.
pub(super) const CODE: SignedDuration = SignedDuration::from_mins(10);
/// The most codes that wait to be used. Another one takes the place of the oldest.
pub(super) const CODES_MAX: usize = 16;
/// The most wrong codes that are looked at in a minute.
const WRONG_MAX: std::num::NonZeroU32 = std::num::NonZeroU32::MIN.saturating_add(9);

/// The quota of wrong codes.
pub(super) const fn wrong_codes() -> Quota {
    Quota::per_minute(WRONG_MAX)
}

/// The codes that were made and not used.
#[derive(Debug)]
pub(super) struct Codes {
    waiting: Mutex<Vec<WaitingCode>>,
    wrong: DefaultDirectRateLimiter,
}

/// A code that was made and not used.
#[derive(Debug)]
pub(super) struct WaitingCode {
    sha256: SecretHash,
    ends: Timestamp,
}

impl Codes {
    pub(super) fn new() -> Self {
        Self {
            waiting: Mutex::default(),
            wrong: RateLimiter::direct(wrong_codes()),
        }
    }

    pub(super) fn make(&self, now: Timestamp) -> Result<Secret, RandomnessError> {
        let code = Secret::random(SecretKind::Code)?;
        let made = WaitingCode {
            sha256: code.hash(),
            ends: now.checked_add(CODE).unwrap_or(Timestamp::MAX),
        };
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|code| now < code.ends);
        let spare = (waiting.len() + 1).saturating_sub(CODES_MAX);
        waiting.drain(..spare);
        waiting.push(made);
        Ok(code)
    }

    /// Uses `code` up.
    pub(super) fn take(&self, code: &Secret, now: Timestamp) -> Result<WaitingCode, SessionError> {
        let sha256 = code.hash();
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|code| now < code.ends);
        if let Some(place) = waiting.iter().position(|code| code.sha256 == sha256) {
            return Ok(waiting.remove(place));
        }
        match self.wrong.check() {
            Ok(()) => Err(SessionError::WrongCode),
            Err(until) => Err(SessionError::TooManyCodes {
                wait: until.wait_time_from(DefaultClock::default().now()),
            }),
        }
    }

    /// Lets a code that was taken wait again.
    pub(super) fn put_back(&self, code: WaitingCode) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push(code);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn after(minutes: i64) -> Timestamp {
        NOW + SignedDuration::from_mins(minutes)
    }

    #[test]
    fn a_code_works_once_and_for_ten_minutes() {
        let codes = Codes::new();
        let [one, other] = [codes.make(NOW).unwrap(), codes.make(NOW).unwrap()];
        codes.take(&one, after(9)).unwrap();
        let wrong = |code, at| matches!(codes.take(code, at), Err(SessionError::WrongCode));
        assert!(wrong(&one, after(9)), "it was used");
        assert!(wrong(&other, after(10)), "it is too old");
        assert!(wrong(&Secret::new("fmc_0"), NOW), "it never was");
    }

    #[test]
    fn wrong_codes_are_limited_and_a_right_one_is_taken_all_the_same() {
        let codes = Codes::new();
        let code = codes.make(NOW).unwrap();
        let wrong = Secret::new("fmc_wrong");
        let tries = (0..20).map(|_| codes.take(&wrong, NOW));
        let limited = tries.filter(
            |tried| matches!(tried, Err(SessionError::TooManyCodes { wait }) if !wait.is_zero()),
        );
        assert_eq!(limited.count(), 10);
        codes.take(&code, NOW).unwrap();
    }

    #[test]
    fn the_oldest_codes_give_way() {
        let codes = Codes::new();
        let first = codes.make(NOW).unwrap();
        let rest: Vec<_> = (0..CODES_MAX).map(|_| codes.make(NOW).unwrap()).collect();
        assert!(codes.take(&first, NOW).is_err());
        assert!(rest.iter().all(|code| codes.take(code, NOW).is_ok()));
    }
}
