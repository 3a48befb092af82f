//! The scopes a decoder has met, and a shortcut to their tags.

use crate::model::scope::MAX_SCOPES;
use crate::model::{Scope, ScopeSet, ScopeTag, TunnelKey, VlanStack};
use hashbrown::HashMap;

/// Scopes whose tags are at hand without SipHash: a few tunnels in both directions.
const SLOTS: usize = 64;

/// An odd number without pattern: 2^64 divided by the golden ratio.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// What a tag is computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    parent: ScopeTag,
    tunnel: Option<TunnelKey>,
    vlans: VlanStack,
}

impl Step {
    /// Where to look for it: from the words that differ between tunnels of one
    /// network. A poor spread costs time, nothing else.
    #[inline]
    fn slot(&self) -> usize {
        let mut mixed = self.parent.0;
        let mut mix = |word: u64| mixed = (mixed ^ word).wrapping_mul(MIX).rotate_left(29);
        for vlan in self.vlans.ids() {
            mix(u64::from(*vlan));
        }
        if let Some(tunnel) = &self.tunnel {
            mix(u64::from(tunnel.id.unwrap_or(0)));
            for address in [&tunnel.endpoints.source, &tunnel.endpoints.destination] {
                let (words, _) = address.as_chunks::<8>();
                for word in words {
                    mix(u64::from_ne_bytes(*word));
                }
            }
        }
        (mixed >> 32) as usize % SLOTS
    }
}

/// The scopes a decoder has met.
#[derive(Clone, Debug)]
pub(super) struct Scopes {
    set: ScopeSet,
    /// Scopes inside one that another decoder has met: a reassembled datagram
    /// comes with the tag of its scope only.
    orphans: HashMap<ScopeTag, Step, foldhash::fast::FixedState>,
    /// Tags by a cheap hash of their step; a newcomer takes the place.
    slots: Vec<Option<(Step, ScopeTag)>>,
}

impl Scopes {
    pub fn new() -> Self {
        Self {
            set: ScopeSet::default(),
            orphans: HashMap::default(),
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
        self.remembered(Step {
            parent,
            tunnel,
            vlans,
        })
    }

    fn remembered(&mut self, step: Step) -> ScopeTag {
        let slot = step.slot();
        if let Some(Some((known, tag))) = self.slots.get(slot)
            && *known == step
        {
            return *tag;
        }
        let tag = step.parent.inside(step.tunnel.as_ref(), &step.vlans);
        self.remember(tag, step);
        if let Some(slot) = self.slots.get_mut(slot) {
            *slot = Some((step, tag));
        }
        tag
    }

    fn remember(&mut self, tag: ScopeTag, step: Step) {
        if self.set.is_settled(tag) {
            return;
        }
        match scope_of(&step, &self.set, &ScopeSet::default()) {
            Some(scope) => self.set.insert(tag, scope),
            None if self.orphans.len() < MAX_SCOPES => {
                self.orphans.insert(tag, step);
            }
            None => {}
        }
    }

    /// The tag of the scope that traffic in the other direction is in: the same
    /// VLANs and tunnels, with the endpoints of each tunnel exchanged.
    pub fn reversed(&self, tag: ScopeTag) -> ScopeTag {
        match self.set.get(tag) {
            Some(scope) => reversed(scope),
            None => tag,
        }
    }

    /// What has been met, without scopes whose parents are unknown here.
    pub fn set(&self) -> &ScopeSet {
        &self.set
    }

    /// What has been met, with the help of what others have.
    pub fn into_set(mut self, others: &ScopeSet) -> ScopeSet {
        // A child can only be placed after its parent: as often as that helps.
        loop {
            let before = self.orphans.len();
            let (set, orphans) = (&mut self.set, &mut self.orphans);
            orphans.retain(|tag, step| match scope_of(step, set, others) {
                Some(scope) => {
                    set.insert(*tag, scope);
                    false
                }
                None => true,
            });
            if orphans.len() == before {
                return self.set;
            }
        }
    }
}

/// The scope of a step, if its parent is known to one of two sets.
fn scope_of(step: &Step, set: &ScopeSet, others: &ScopeSet) -> Option<Scope> {
    let parent = match step.parent {
        ScopeTag::WIRE => None,
        tag => Some(Box::new(set.get(tag).or_else(|| others.get(tag))?.clone())),
    };
    Some(Scope {
        parent,
        tunnel: step.tunnel,
        vlans: step.vlans,
    })
}

fn reversed(scope: &Scope) -> ScopeTag {
    let parent = scope.parent.as_deref().map_or(ScopeTag::WIRE, reversed);
    let tunnel = scope.tunnel.map(|tunnel| TunnelKey {
        endpoints: tunnel.endpoints.reversed(),
        ..tunnel
    });
    parent.inside(tunnel.as_ref(), &scope.vlans)
}
