//! The limits of a server. Each is a setting, and has an error of its own.

use std::num::NonZeroU32;
use std::time::Duration;

use folkmoot::Money;

const THIRTY: NonZeroU32 = NonZeroU32::MIN.saturating_add(29);
/// The millionths of a millionth in a dollar.
const PICOS_OF_A_DOLLAR: u128 = 1_000_000_000_000;
const TEN: NonZeroU32 = NonZeroU32::MIN.saturating_add(9);

/// The limits of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerLimits {
    /// The longest body of a request that is no file, in bytes.
    pub body_bytes_max: usize,
    /// The longest text of a message, in characters.
    pub message_chars_max: usize,
    /// The longest client state, in bytes.
    pub state_bytes_max: usize,
    /// The most commands that a principal may give in a minute.
    pub commands_per_minute: NonZeroU32,
    /// The most connections to sockets that a principal may begin in a minute.
    pub connections_per_minute: NonZeroU32,
    /// The most worlds that a principal may open in a day.
    pub worlds_opened_per_day: u32,
    /// The most that the models of all worlds of an owner may cost in a day: then nobody begins
    /// anything new in them. What runs goes on, up to the limits of its world.
    pub cost_per_day: Money,
    /// The most bytes of files that may be kept in all worlds of an owner in a day.
    pub bytes_stored_per_day: u64,
    /// The longest frame that a client may send over a socket, in bytes.
    pub frame_bytes_max: usize,
    /// The longest time until a socket's client says hello.
    pub hello_timeout: Duration,
    /// The time between two heartbeats of a socket while anything runs.
    pub heartbeat: Duration,
    /// The time between two pings of a socket. It is closed when two were not answered.
    pub ping: Duration,
    /// The room that is kept free on the disk of the store, in bytes: with less, nothing is written.
    pub disk_free_min: u64,
    /// The most files that are received at a time; more wait.
    pub uploads_max: usize,
    /// The longest time that a request may take, streams left out.
    pub request_timeout: Duration,
    /// The longest time until the head of a request has come, and until the next one has on a
    /// connection that is kept.
    pub header_timeout: Duration,
    /// The longest that a client may be silent while it sends a body.
    pub body_timeout: Duration,
    /// The longest time in which a file must be received.
    pub upload_timeout: Duration,
    /// The most headers of a request.
    pub headers_max: usize,
    /// The longest head of a request, in bytes.
    pub head_bytes_max: usize,
    /// The most connections at a time.
    pub connections_max: usize,
    /// The most connections of one address at a time. Loopback has none: a proxy comes from there.
    pub connections_per_address_max: usize,
    /// The longest time in which connections end when the server does.
    pub drain_timeout: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            body_bytes_max: 256 * 1024,
            message_chars_max: 8_000,
            state_bytes_max: 16 * 1024,
            commands_per_minute: THIRTY,
            connections_per_minute: TEN,
            worlds_opened_per_day: 50,
            cost_per_day: Money::from_picos(10 * PICOS_OF_A_DOLLAR),
            bytes_stored_per_day: 1 << 30,
            frame_bytes_max: 64 * 1024,
            hello_timeout: Duration::from_secs(5),
            heartbeat: Duration::from_secs(5),
            ping: Duration::from_secs(20),
            disk_free_min: 64 * 1024 * 1024,
            uploads_max: 8,
            request_timeout: Duration::from_secs(30),
            header_timeout: Duration::from_secs(30),
            body_timeout: Duration::from_secs(10),
            upload_timeout: Duration::from_secs(300),
            headers_max: 100,
            head_bytes_max: 32 * 1024,
            connections_max: 10_000,
            connections_per_address_max: 1_000,
            drain_timeout: Duration::from_secs(30),
        }
    }
}
