//! The parts of a request, read or refused with a problem that names them.

mod body;
mod key;
mod page;
mod parameters;
mod signed;

pub(crate) use body::{Body, Unread, parse, read as read_body};
pub(crate) use key::RequestKey;
pub(crate) use page::{PAGE, page_limit, page_limit_of};
pub(crate) use parameters::{InPath, InQuery};
pub(crate) use signed::Signed;
