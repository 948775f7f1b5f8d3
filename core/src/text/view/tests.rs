use super::*;

mod aggregates;
mod forms;
