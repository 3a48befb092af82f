//! What ICMP errors say of packets that were dropped, in words.

use super::given::Given;
use crate::compare::{DropsTold, Outcome, Says};
use crate::model::number;
use std::collections::BTreeSet;
use std::net::IpAddr;

/// Why packets were dropped (RFC 792, RFC 1812 section 5.2.7, RFC 4443).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Nobody waits for them at their port, or for their protocol.
    NobodyListens,
    /// They do not fit into the network behind, and may not be fragmented.
    TooBig,
    /// Fragments of their datagram did not come in time.
    NotWhole,
    /// Something in a header is not understood.
    Malformed,
    /// None of these.
    Other,
    /// A firewall, an ACL or a policy does not let them through.
    Prohibited,
    /// There is no route for them.
    NoRoute,
    /// The host, or its network, is not reached.
    Unreachable,
    /// They passed too many routers: routes may lead in a circle.
    HopLimit,
}

impl Reason {
    /// What type and code stand for.
    pub fn of(says: &Says) -> Self {
        match (says.by, says.kind, says.code) {
            (IpAddr::V4(_), 3, 4) | (IpAddr::V6(_), 2, _) => Self::TooBig,
            (IpAddr::V4(_), 3, 9 | 10 | 13) | (IpAddr::V6(_), 1, 1 | 5 | 6) => Self::Prohibited,
            (IpAddr::V4(_), 3, 2 | 3) | (IpAddr::V6(_), 1, 4) => Self::NobodyListens,
            (IpAddr::V4(_), 3, 0 | 6 | 11) | (IpAddr::V6(_), 1, 0) => Self::NoRoute,
            (IpAddr::V4(_), 3, 1 | 7 | 12) | (IpAddr::V6(_), 1, 2 | 3) => Self::Unreachable,
            (IpAddr::V4(_), 11, 0) | (IpAddr::V6(_), 3, 0) => Self::HopLimit,
            (IpAddr::V4(_), 11, 1) | (IpAddr::V6(_), 3, 1) => Self::NotWhole,
            (IpAddr::V4(_), 12, _) | (IpAddr::V6(_), 4, _) => Self::Malformed,
            _ => Self::Other,
        }
    }
}

/// Why so many packets were dropped, as what follows "that".
pub fn why(says: &Says, packets: u64) -> String {
    let (they, are, their) = match packets {
        1 => ("it", "is", "its"),
        _ => ("they", "are", "their"),
    };
    match Reason::of(says) {
        Reason::NobodyListens if says.by.is_ipv4() && says.code == 2 => {
            format!("{their} protocol is not spoken there")
        }
        Reason::NobodyListens => format!("nobody listens at {their} port"),
        Reason::TooBig if says.mtu > 0 => {
            let mtu = number::count(says.mtu.into());
            format!("{they} {are} larger than the next hop's MTU of {mtu}")
        }
        Reason::TooBig => format!("{they} {are} larger than the next hop's MTU"),
        Reason::NotWhole => format!("{their} datagram did not become whole in time"),
        Reason::Malformed => format!("{their} headers are not understood"),
        Reason::Other => format!("{they} {are} not delivered"),
        Reason::Prohibited => format!("{they} {are} prohibited"),
        Reason::NoRoute => format!(
            "there is no route for {}",
            if packets == 1 { "it" } else { "them" }
        ),
        Reason::Unreachable => format!("{their} host is not reached"),
        Reason::HopLimit => format!("{their} TTL ran out"),
    }
}

/// `10.0.0.1 says of 49 packets that their TTL ran out`.
pub(super) fn sentence(told: &DropsTold) -> String {
    format!(
        "{} says of {} that {}",
        told.says.by,
        number::counted(told.errors, "packet"),
        why(&told.says, told.errors)
    )
}

impl<'a> Given<'a> {
    /// What is said of packets that go one way and are dropped in a segment, or behind the end of
    /// the path; the most frequent first.
    pub(super) fn told(
        &self,
        segment: Option<usize>,
        is_backward: bool,
    ) -> impl Iterator<Item = &'a DropsTold> + use<'a> {
        let outcome: &'a Outcome = self.outcome;
        let told = outcome.drops_told.iter();
        told.filter(move |told| told.segment == segment && told.is_backward == is_backward)
    }

    /// The flows of errors of which is told what they say.
    pub(super) fn flows_of_errors(&self) -> BTreeSet<usize> {
        let told = self.outcome.drops_told.iter();
        told.flat_map(|told| &told.carried_by).copied().collect()
    }

    /// Packets of such flows that enter a segment one way and of whose hosts nothing leaves it.
    pub(super) fn errors_apart(&self, pair: usize, is_backward: bool) -> u64 {
        let flows = self.flows_of_errors().into_iter();
        let flows = flows.map(|flow| &self.outcome.flows[flow]);
        let those = flows.filter(|flow| flow.is_backward == is_backward);
        let side = usize::from(is_backward);
        let apart = those.map(|flow| flow.account.between[pair].one_sided[side].count.packets);
        apart.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(is_v6: bool, kind: u8, code: u8) -> Says {
        let by = match is_v6 {
            true => IpAddr::from([0; 16]),
            false => IpAddr::from([10, 0, 0, 1]),
        };
        let mtu = 0;
        Says {
            by,
            kind,
            code,
            mtu,
        }
    }

    #[test]
    fn what_types_and_codes_stand_for_differs_by_version() {
        let reason = |is_v6, kind, code| Reason::of(&says(is_v6, kind, code));
        assert_eq!(reason(false, 3, 1), Reason::Unreachable);
        assert_eq!(reason(true, 3, 1), Reason::NotWhole);
        assert_eq!(reason(false, 11, 0), Reason::HopLimit);
        assert_eq!(reason(true, 3, 0), Reason::HopLimit);
        assert_eq!(reason(false, 3, 13), Reason::Prohibited);
        assert_eq!(reason(true, 1, 1), Reason::Prohibited);
        assert_eq!(reason(true, 4, 1), Reason::Malformed);
        assert_eq!(reason(false, 3, 200), Reason::Other);
    }

    #[test]
    fn it_is_the_port_or_the_protocol_that_nobody_listens_at() {
        assert_eq!(why(&says(false, 3, 3), 1), "nobody listens at its port");
        assert_eq!(why(&says(true, 1, 4), 2), "nobody listens at their port");
        let protocol = "their protocol is not spoken there";
        assert_eq!(why(&says(false, 3, 2), 2), protocol);
    }

    #[test]
    fn an_mtu_is_named_where_it_is_given() {
        let told = Says {
            mtu: 1_400,
            ..says(false, 3, 4)
        };
        let named = "they are larger than the next hop's MTU of 1,400";
        assert_eq!(why(&told, 2), named);
        let unnamed = "it is larger than the next hop's MTU";
        assert_eq!(why(&says(false, 3, 4), 1), unnamed);
    }
}
