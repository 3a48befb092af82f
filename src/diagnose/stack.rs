//! Which networks are in view, and which of a cause's fixes are for them.

use super::cause::{Cause, Fix};
use super::known::Known;
use crate::model::{IpVersion, TunnelKind};

/// A network whose name stands in fixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stack {
    name: &'static str,
    /// Tunnels it makes.
    tunnels: &'static [TunnelKind],
    /// Whether it runs in a Geneve tunnel of OVN.
    is_ovn: bool,
}

const STACKS: [Stack; 8] = [
    stack("Calico", &[TunnelKind::Vxlan, TunnelKind::Ipip], false),
    stack("flannel", &[TunnelKind::Vxlan, TunnelKind::Ipip], false),
    stack("Cilium", &[TunnelKind::Vxlan, TunnelKind::Geneve], false),
    stack("Kube-OVN", &[TunnelKind::Geneve, TunnelKind::Vxlan], true),
    stack("OVN", &[TunnelKind::Geneve], true),
    stack(
        "Open vSwitch",
        &[
            TunnelKind::Vxlan,
            TunnelKind::Geneve,
            TunnelKind::Gre,
            TunnelKind::Gretap,
        ],
        true,
    ),
    stack(
        "OpenStack",
        &[TunnelKind::Vxlan, TunnelKind::Geneve, TunnelKind::Gretap],
        true,
    ),
    stack("VXLAN", &[TunnelKind::Vxlan, TunnelKind::VxlanGpe], false),
];

const fn stack(name: &'static str, tunnels: &'static [TunnelKind], is_ovn: bool) -> Stack {
    Stack {
        name,
        tunnels,
        is_ovn,
    }
}

/// What the tunnels in view leave possible.
pub(super) struct InView {
    kinds: Vec<TunnelKind>,
    has_ovn: bool,
    has_ipv6: bool,
}

impl InView {
    pub fn of(known: &Known<'_>) -> Self {
        let mut kinds: Vec<TunnelKind> = known.tunnels.iter().map(|(_, key, _)| key.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        Self {
            kinds,
            has_ovn: known.has_ovn(),
            has_ipv6: known
                .odd
                .iter()
                .any(|(key, _)| key.addresses.version == IpVersion::V6),
        }
    }

    /// The fixes of a cause, without those for networks that cannot be meant. Outside
    /// any tunnel all can be: a pod's own interface does not show its overlay.
    pub fn fixes(&self, cause: &'static Cause) -> Vec<&'static Fix> {
        let fixes = cause.fix.iter();
        fixes.filter(|fix| self.may_be_for(fix)).collect()
    }

    fn may_be_for(&self, fix: &Fix) -> bool {
        (self.has_ipv6 || !names(fix.when, "IPv6")) && self.may_be_for_network(fix)
    }

    fn may_be_for_network(&self, fix: &Fix) -> bool {
        let mut named = STACKS.iter().filter(|stack| names(fix.when, stack.name));
        self.kinds.is_empty()
            || named.clone().next().is_none()
            || named.any(|stack| self.is_possible(stack))
    }

    fn is_possible(&self, stack: &Stack) -> bool {
        let makes_tunnel = stack.tunnels.iter().any(|kind| self.kinds.contains(kind));
        if self.has_ovn {
            stack.is_ovn
        } else {
            makes_tunnel
        }
    }
}

/// Whether a text names a network as a word of its own.
fn names(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '-';
    text.match_indices(name).any(|(at, _)| {
        !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn for_whom(cause: &str, kinds: &[TunnelKind], has_ovn: bool) -> Vec<&'static str> {
        let in_view = InView {
            kinds: kinds.to_vec(),
            has_ovn,
            has_ipv6: false,
        };
        let fixes = super::super::find(cause).map(|cause| in_view.fixes(cause));
        fixes.into_iter().flatten().map(|fix| fix.when).collect()
    }

    fn names_any(fixes: &[&str], name: &str) -> bool {
        fixes.iter().any(|when| names(when, name))
    }

    #[test]
    fn only_networks_in_view_are_told_what_to_do() {
        let geneve = for_whom("D26", &[TunnelKind::Geneve], true);
        assert!(names_any(&geneve, "Kube-OVN") && names_any(&geneve, "OpenStack"));
        assert!(!names_any(&geneve, "Calico") && !names_any(&geneve, "VXLAN"));
        let ipip = for_whom("D26", &[TunnelKind::Ipip], false);
        assert!(names_any(&ipip, "Calico") && !names_any(&ipip, "Kube-OVN"));
        let ipv4 = for_whom("D09", &[], false);
        assert!(names_any(&ipv4, "Linux") && !names_any(&ipv4, "IPv6"));
        let none = for_whom("D26", &[], false);
        assert!(names_any(&none, "Calico") && names_any(&none, "Kube-OVN"));
    }

    #[test]
    fn a_name_is_a_word_of_its_own() {
        assert!(names("Linux VXLAN", "VXLAN") && names("Kube-OVN (Geneve)", "Kube-OVN"));
        assert!(!names("Kube-OVN", "OVN") && !names("OVN-Kubernetes", "OVN"));
    }
}
