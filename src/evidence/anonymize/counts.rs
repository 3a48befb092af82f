//! What was counted, under other names.

use super::Anonymizer;
use crate::model::{Addresses, FlowKey, Scope, ScopeTag, TunnelKey, VlanStack};
use crate::pipeline::Analysis;
use crate::receiver::{Forecast, Host};

impl Anonymizer {
    /// Everything that was counted, under the mapped addresses and ids: whatever is made
    /// of it holds only those.
    pub fn analysis(&self, analysis: &mut Analysis) {
        let ledger = &mut analysis.ledger;
        let (scopes, tags) = ledger.scopes.renamed(|scope| self.scope(scope));
        let tag = |old: ScopeTag| tags.get(&old).copied().unwrap_or(old);
        ledger.scopes = scopes;
        let flow = |key: &FlowKey| FlowKey {
            addresses: self.addresses.pair(&key.addresses),
            scope: tag(key.scope),
            ..*key
        };
        ledger.flows.rename(flow);
        ledger.tunnels.rename(|inside| tag(*inside));
        for specimen in ledger.specimens.iter_mut() {
            specimen.flow = specimen.flow.map(|key| flow(&key));
        }
        for forecast in &mut analysis.forecasts {
            self.forecast(forecast, tag);
        }
        analysis.forecasts.sort_by_key(|forecast| forecast.host);
    }

    fn forecast(&self, forecast: &mut Forecast, tag: impl Fn(ScopeTag) -> ScopeTag) {
        let host = forecast.host;
        forecast.host = Host {
            scope: tag(host.scope),
            destination: self.addresses.octets(host.version, host.destination),
            ..host
        };
    }

    /// A scope whose parent is named already.
    fn scope(&self, scope: &Scope) -> Scope {
        let mut vlans = VlanStack::EMPTY;
        for id in scope.vlans.ids() {
            vlans.push(self.ids.vlan(*id));
        }
        Scope {
            vlans,
            tunnel: scope.tunnel.map(|tunnel| self.tunnel(&tunnel)),
            ..*scope
        }
    }

    fn tunnel(&self, tunnel: &TunnelKey) -> TunnelKey {
        TunnelKey {
            id: tunnel.id.map(|id| self.ids.tunnel(tunnel.kind, id)),
            endpoints: self.pair(&tunnel.endpoints),
            ..*tunnel
        }
    }

    fn pair(&self, addresses: &Addresses) -> Addresses {
        self.addresses.pair(addresses)
    }
}
