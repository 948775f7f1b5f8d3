//! Addresses that everybody in the world may mean, and networks that a rule names.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

/// Networks of IPv4 that are not the public internet: IANA's registry of special purposes, multicast, and what is reserved.
const NOT_PUBLIC_V4: &[(Ipv4Addr, u8)] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8), // "this" network: connects to this machine
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10), // shared behind a carrier's NAT
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16), // link-local, and the metadata of clouds
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),   // documentation
    (Ipv4Addr::new(192, 88, 99, 0), 24), // relays of 6to4
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),   // benchmarks
    (Ipv4Addr::new(198, 51, 100, 0), 24), // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24),  // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4),     // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4),     // reserved, and broadcast
];

/// The one block of IPv6 from which public addresses are given. Loopback, mapped and NAT64 addresses, private and link-local
/// networks and multicast all lie outside.
const PUBLIC_V6: (Ipv6Addr, u8) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Networks in that block that are not the public internet.
const NOT_PUBLIC_V6: &[(Ipv6Addr, u8)] = &[
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // protocols: Teredo, ORCHID, benchmarks
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16), // 6to4: an IPv4 address in disguise
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation
];

/// Tells whether an address is one of the public internet, and hides no other address.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !NOT_PUBLIC_V4
            .iter()
            .any(|(network, length)| holds_v4(*network, *length, address)),
        IpAddr::V6(address) => {
            let (network, length) = PUBLIC_V6;
            holds_v6(network, length, address)
                && !NOT_PUBLIC_V6
                    .iter()
                    .any(|(network, length)| holds_v6(*network, *length, address))
        }
    }
}

fn holds_v4(network: Ipv4Addr, length: u8, address: Ipv4Addr) -> bool {
    Ipv4Net::new(network, length).is_ok_and(|network| network.contains(&address))
}

fn holds_v6(network: Ipv6Addr, length: u8, address: Ipv6Addr) -> bool {
    Ipv6Net::new(network, length).is_ok_and(|network| network.contains(&address))
}

/// The addresses to which a rule lets connections go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reach {
    /// Those of the public internet.
    Public,
    /// Those in one of these networks, as they are: a mapped address is none of IPv4.
    Within(Vec<IpNet>),
}

impl Reach {
    /// The one address that a rule names in the place of a host.
    pub(super) fn one(address: IpAddr) -> Self {
        Self::Within(vec![IpNet::from(address)])
    }

    pub(super) fn holds(&self, address: IpAddr) -> bool {
        match self {
            Self::Public => is_public(address),
            Self::Within(networks) => networks.iter().any(|network| network.contains(&address)),
        }
    }
}

/// Reads `10.1.0.0/16`, or one address.
pub(super) fn network(text: &str) -> Option<IpNet> {
    let one = || text.parse::<IpAddr>().ok().map(IpNet::from);
    text.parse().ok().or_else(one)
}
