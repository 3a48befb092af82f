//! What keeps two equal address pairs apart: VLAN tags and tunnels.

use super::address::Addresses;
use super::facts::MAX_LAYERS;
use hashbrown::HashMap;
use siphasher::sip::SipHasher24;
use std::hash::{Hash, Hasher};

/// Most VLAN tags of one stack that are told apart; deeper tags are ignored.
pub const MAX_VLANS: usize = 8;

/// The VLAN ids in front of one IP header, outermost first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VlanStack {
    ids: [u16; MAX_VLANS],
    len: u8,
}

impl VlanStack {
    /// No tag.
    pub const EMPTY: Self = Self {
        ids: [0; MAX_VLANS],
        len: 0,
    };

    /// Adds an inner tag; says whether there was room for it.
    pub fn push(&mut self, id: u16) -> bool {
        match self.ids.get_mut(usize::from(self.len)) {
            Some(slot) => {
                *slot = id;
                self.len += 1;
                true
            }
            None => false,
        }
    }

    /// The ids, outermost first.
    pub fn ids(&self) -> &[u16] {
        &self.ids[..usize::from(self.len)]
    }

    /// Whether there is no tag.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// How a tunnel wraps what it carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TunnelKind {
    /// RFC 7348.
    Vxlan,
    /// draft-ietf-nvo3-vxlan-gpe.
    VxlanGpe,
    /// RFC 8926.
    Geneve,
    /// RFC 2784 and RFC 2890, carrying IP.
    Gre,
    /// RFC 7637.
    Nvgre,
    /// GRE carrying Ethernet.
    Gretap,
    /// draft-foschiano-erspan.
    Erspan,
    /// IPv4 in IPv4, RFC 2003.
    Ipip,
    /// IPv6 in IPv4, RFC 4213.
    Sit,
    /// IPv4 or IPv6 in IPv6, RFC 2473.
    Ip6tnl,
}

impl TunnelKind {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vxlan => "vxlan",
            Self::VxlanGpe => "vxlan-gpe",
            Self::Geneve => "geneve",
            Self::Gre => "gre",
            Self::Nvgre => "nvgre",
            Self::Gretap => "gretap",
            Self::Erspan => "erspan",
            Self::Ipip => "ipip",
            Self::Sit => "sit",
            Self::Ip6tnl => "ip6tnl",
        }
    }
}

/// One direction of a tunnel. The outer source port is entropy, not identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TunnelKey {
    /// Encapsulation.
    pub kind: TunnelKind,
    /// VNI, VSID, session or key; `None` where the encapsulation has none.
    pub id: Option<u32>,
    /// Outer addresses.
    pub endpoints: Addresses,
    /// Outer UDP destination port; `None` for tunnels without ports.
    pub destination_port: Option<u16>,
}

/// Everything around an IP header that makes equal addresses different flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope {
    /// The scope the tunnel itself runs in.
    pub parent: ScopeTag,
    /// The tunnel this scope is inside of; `None` if it only adds VLANs.
    pub tunnel: Option<TunnelKey>,
    /// VLAN tags directly in front of the IP header, inside `tunnel`.
    pub vlans: VlanStack,
}

/// Hosts of several networks may have the same addresses: those of tenants, each of which has an
/// id of tunnels or VLANs of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Network {
    /// Kind and id of the innermost tunnel.
    tunnel: Option<(TunnelKind, Option<u32>)>,
    /// VLAN tags directly in front of the IP header.
    vlans: VlanStack,
}

/// 64-bit digest of a [`Scope`], the same in every run of one build.
///
/// Facts and tables carry the tag instead of the scope. SipHash-2-4 with a fixed
/// key: two scopes of one capture share a tag with a chance of 2^-64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScopeTag(pub u64);

impl ScopeTag {
    /// The scope of an untagged packet outside any tunnel.
    pub const WIRE: Self = Self(0);

    /// The tag of a scope. One that adds nothing to its parent is its parent.
    pub fn of(scope: &Scope) -> Self {
        if scope.tunnel.is_none() && scope.vlans.is_empty() {
            return scope.parent;
        }
        let mut hasher = SipHasher24::new();
        scope.hash(&mut hasher);
        Self(hasher.finish())
    }
}

/// Most scopes that are remembered; see [`ScopeSet`].
pub const MAX_SCOPES: usize = 1 << 20;

/// What each tag stands for.
///
/// Bounded: of more than [`MAX_SCOPES`] scopes those with the smallest tags are
/// kept, which is the same choice whatever the order they were met in.
#[derive(Clone, Debug, Default)]
pub struct ScopeSet {
    scopes: HashMap<ScopeTag, Scope, foldhash::fast::FixedState>,
    /// Tags from here on are no longer remembered.
    ceiling: Option<ScopeTag>,
}

impl ScopeSet {
    /// Whether `tag` needs no [`ScopeSet::insert`]: known, or beyond the bound.
    pub fn is_settled(&self, tag: ScopeTag) -> bool {
        self.is_beyond(tag) || self.scopes.contains_key(&tag)
    }

    /// Remembers what `tag` stands for.
    pub fn insert(&mut self, tag: ScopeTag, scope: Scope) {
        if self.is_beyond(tag) {
            return;
        }
        self.scopes.insert(tag, scope);
        if self.scopes.len() > 2 * MAX_SCOPES {
            self.shrink();
        }
    }

    /// What `tag` stands for; `None` beyond the bound and for [`ScopeTag::WIRE`].
    pub fn get(&self, tag: ScopeTag) -> Option<&Scope> {
        self.scopes.get(&tag)
    }

    /// The tag of the scope that answers come in, if all tunnels around it are answered by
    /// those between the same ends; `None` beyond the bound.
    pub fn reversed(&self, tag: ScopeTag) -> Option<ScopeTag> {
        if tag == ScopeTag::WIRE {
            return Some(tag);
        }
        let scope = self.get(tag)?;
        Some(ScopeTag::of(&Scope {
            parent: self.reversed(scope.parent)?,
            tunnel: scope.tunnel.map(|tunnel| TunnelKey {
                endpoints: tunnel.endpoints.reversed(),
                ..tunnel
            }),
            vlans: scope.vlans,
        }))
    }

    /// The same scopes under other names, and what becomes of each tag. `name` is given
    /// a scope whose parent has its new tag already.
    pub fn renamed(&self, name: impl Fn(&Scope) -> Scope) -> (Self, HashMap<ScopeTag, ScopeTag>) {
        let mut tags = HashMap::from([(ScopeTag::WIRE, ScopeTag::WIRE)]);
        let mut scopes = HashMap::default();
        for tag in self.scopes.keys() {
            let mut inwards = self.around(*tag);
            while let Some((tag, scope)) = inwards.pop() {
                let parent = tags.get(&scope.parent).copied();
                let scope = name(&Scope {
                    parent: parent.unwrap_or(scope.parent),
                    ..scope
                });
                let new = ScopeTag::of(&scope);
                tags.insert(tag, new);
                scopes.insert(new, scope);
            }
        }
        let renamed = Self {
            scopes,
            ceiling: self.ceiling,
        };
        (renamed, tags)
    }

    /// The network that a scope is of, whichever nodes it is carried between.
    pub fn network(&self, tag: ScopeTag) -> Network {
        Network {
            tunnel: self.innermost_tunnel(tag),
            vlans: self.get(tag).map(|scope| scope.vlans).unwrap_or_default(),
        }
    }

    /// Kind and id of the innermost tunnel around a scope.
    pub fn innermost_tunnel(&self, tag: ScopeTag) -> Option<(TunnelKind, Option<u32>)> {
        let mut scope = self.get(tag)?;
        for _ in 0..MAX_LAYERS {
            if let Some(tunnel) = &scope.tunnel {
                return Some((tunnel.kind, tunnel.id));
            }
            scope = self.get(scope.parent)?;
        }
        None
    }

    /// A scope and those around it that are remembered, innermost first.
    fn around(&self, tag: ScopeTag) -> Vec<(ScopeTag, Scope)> {
        let mut chain: Vec<(ScopeTag, Scope)> = Vec::new();
        let mut outer = tag;
        while let Some(scope) = self.get(outer)
            && chain.len() <= MAX_LAYERS
        {
            chain.push((outer, *scope));
            outer = scope.parent;
        }
        chain
    }

    /// How many are remembered.
    pub fn len(&self) -> usize {
        self.scopes.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.scopes.is_empty()
    }

    /// Whether scopes were forgotten because there were too many.
    pub fn is_overfull(&self) -> bool {
        self.ceiling.is_some()
    }

    /// Takes over what another worker, file or machine met.
    pub fn merge(&mut self, other: Self) {
        if let Some(ceiling) = other.ceiling {
            self.lower(ceiling);
        }
        for (tag, scope) in other.scopes {
            self.insert(tag, scope);
        }
    }

    /// Applies the bound; called once before the set is read.
    pub fn settle(&mut self) {
        if self.scopes.len() > MAX_SCOPES {
            self.shrink();
        }
    }

    fn is_beyond(&self, tag: ScopeTag) -> bool {
        self.ceiling.is_some_and(|ceiling| tag >= ceiling)
    }

    fn shrink(&mut self) {
        let mut tags: Vec<ScopeTag> = self.scopes.keys().copied().collect();
        let (_, ceiling, _) = tags.select_nth_unstable(MAX_SCOPES);
        let ceiling = *ceiling;
        self.lower(ceiling);
    }

    fn lower(&mut self, ceiling: ScopeTag) {
        if !self.is_beyond(ceiling) {
            self.ceiling = Some(ceiling);
            self.scopes.retain(|tag, _| *tag < ceiling);
        }
    }
}
