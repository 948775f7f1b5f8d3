//! What needs processes of its own, and waits for them under a deadline.

mod worker;
