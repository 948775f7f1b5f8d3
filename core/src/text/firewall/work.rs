//! The bytes that are looked at, counted for tests: the cost of a scan, the same on every machine.

#[cfg(test)]
thread_local! {
    static DONE: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Takes note that so many bytes were looked at.
#[cfg(test)]
pub(super) fn note(bytes: usize) {
    DONE.set(
        DONE.get()
            .saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX)),
    );
}

#[cfg(not(test))]
pub(super) const fn note(_: usize) {}

/// The count since it was taken last.
#[cfg(test)]
pub(super) fn take() -> u64 {
    DONE.replace(0)
}
