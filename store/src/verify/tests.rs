//! What verifying says of logs that were tampered with, and of logs that were not.

mod book;
mod logs;
mod matrix;
mod plain;
mod random;
mod tamper;
