//! Reading a world: the frames, the runs that they are swept into, and streams that go on.

pub(crate) mod back;
pub(crate) mod decode;
pub(crate) mod frames;
pub(crate) mod reader;
pub(crate) mod runs;
pub(crate) mod stream;
