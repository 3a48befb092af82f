//! The scopes a decoder has met, and a shortcut to their tags.

use crate::model::facts::MAX_LAYERS;
use crate::model::{Scope, ScopeSet, ScopeTag, TunnelKey, VlanStack};

/// Scopes whose tags are at hand without SipHash: a few tunnels in both directions.
const SLOTS: usize = 64;

/// An odd number without pattern: 2^64 divided by the golden ratio.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// The scopes a decoder has met.
#[derive(Clone, Debug)]
pub(super) struct Scopes {
    set: ScopeSet,
    /// How many there were when they were taken last.
    taken: usize,
    /// Tags by a cheap hash of their scope; a newcomer takes the place.
    slots: Vec<Option<(Scope, ScopeTag)>>,
}

impl Scopes {
    pub fn new() -> Self {
        Self {
            set: ScopeSet::default(),
            taken: 0,
            slots: vec![None; SLOTS],
        }
    }

    /// The tag of what is inside `tunnel` and tagged `vlans`, in `parent`.
    #[inline]
    pub fn tag(
        &mut self,
        parent: ScopeTag,
        tunnel: Option<TunnelKey>,
        vlans: VlanStack,
    ) -> ScopeTag {
        if tunnel.is_none() && vlans.is_empty() {
            return parent;
        }
        self.remembered(Scope {
            parent,
            tunnel,
            vlans,
        })
    }

    /// The tag of what is inside `tunnel` and not tagged, in `parent`: the same without
    /// copying a scope to be compared.
    #[inline]
    pub fn inside(&mut self, parent: ScopeTag, tunnel: &TunnelKey) -> ScopeTag {
        let slot = slot_of(parent, Some(tunnel), &[]);
        if let Some(Some((known, tag))) = self.slots.get(slot)
            && known.parent == parent
            && known.tunnel.as_ref() == Some(tunnel)
            && known.vlans.is_empty()
        {
            return *tag;
        }
        let scope = Scope {
            parent,
            tunnel: Some(*tunnel),
            vlans: VlanStack::EMPTY,
        };
        self.met(scope, slot)
    }

    fn remembered(&mut self, scope: Scope) -> ScopeTag {
        let slot = slot_of(scope.parent, scope.tunnel.as_ref(), scope.vlans.ids());
        if let Some(Some((known, tag))) = self.slots.get(slot)
            && *known == scope
        {
            return *tag;
        }
        self.met(scope, slot)
    }

    /// Looks a scope up the long way, and puts it at hand.
    #[inline(never)]
    fn met(&mut self, scope: Scope, slot: usize) -> ScopeTag {
        let tag = ScopeTag::of(&scope);
        if !self.set.is_settled(tag) {
            self.set.insert(tag, scope);
        }
        if let Some(slot) = self.slots.get_mut(slot) {
            *slot = Some((scope, tag));
        }
        tag
    }

    /// The tag of the scope that traffic in the other direction is in: the same
    /// VLANs and tunnels, with the endpoints of each tunnel exchanged, as far as
    /// this decoder has met them.
    pub fn reversed(&self, tag: ScopeTag) -> ScopeTag {
        let mut chain = Vec::new();
        let mut outer = tag;
        while let Some(scope) = self.set.get(outer)
            && chain.len() < MAX_LAYERS
        {
            chain.push(*scope);
            outer = scope.parent;
        }
        chain.iter().rev().fold(outer, |parent, scope| {
            let tunnel = scope.tunnel.map(|tunnel| TunnelKey {
                endpoints: tunnel.endpoints.reversed(),
                ..tunnel
            });
            ScopeTag::of(&Scope {
                parent,
                tunnel,
                vlans: scope.vlans,
            })
        })
    }

    /// What has been met.
    pub fn set(&self) -> &ScopeSet {
        &self.set
    }

    /// What has been met, if it is not the same as when it was taken last; else nothing.
    pub fn take_set(&mut self) -> ScopeSet {
        let taken = std::mem::replace(&mut self.taken, self.set.len());
        if taken == self.taken {
            ScopeSet::default()
        } else {
            self.set.clone()
        }
    }

    /// What has been met.
    pub fn into_set(self) -> ScopeSet {
        self.set
    }
}

/// Where to look for a scope: from the words that differ between tunnels of one
/// network. A poor spread costs time, nothing else.
#[inline]
fn slot_of(parent: ScopeTag, tunnel: Option<&TunnelKey>, vlans: &[u16]) -> usize {
    let mut mixed = parent.0;
    let mut mix = |word: u64| mixed = (mixed ^ word).wrapping_mul(MIX).rotate_left(29);
    for vlan in vlans {
        mix(u64::from(*vlan));
    }
    if let Some(tunnel) = tunnel {
        let id = u64::from(tunnel.id.unwrap_or(0));
        mix(folded(&tunnel.endpoints.source) ^ id);
        mix(folded(&tunnel.endpoints.destination));
    }
    (mixed >> 32) as usize % SLOTS
}

/// One word of an address of either version.
#[inline]
fn folded(address: &[u8; 16]) -> u64 {
    let (words, _) = address.as_chunks::<8>();
    words.iter().fold(0, |folded: u64, word| {
        folded.rotate_left(32) ^ u64::from_ne_bytes(*word)
    })
}
