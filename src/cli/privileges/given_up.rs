//! What fraglens can no longer do.

use caps::{Capability, CapsHashSet};
use nix::unistd::{Uid, User};

/// What was given up.
#[derive(Clone, Debug)]
pub struct GivenUp {
    had: CapsHashSet,
    kept: CapsHashSet,
    /// Who it became, if that is somebody else.
    user: Option<User>,
    /// Who it was.
    was: Uid,
}

/// A capability, and what cannot be done without it.
type Loss = (Capability, &'static str);

const LOSSES: [Loss; 4] = [
    (
        Capability::CAP_NET_RAW,
        "open an interface again that was deleted (CAP_NET_RAW is gone; --keep-net-raw keeps it)",
    ),
    (
        Capability::CAP_NET_ADMIN,
        "change interfaces or routes (CAP_NET_ADMIN is gone)",
    ),
    (
        Capability::CAP_NET_BIND_SERVICE,
        "listen on a port below 1024 (CAP_NET_BIND_SERVICE is gone)",
    ),
    (
        Capability::CAP_DAC_OVERRIDE,
        "read or write files against their permissions (CAP_DAC_OVERRIDE is gone)",
    ),
];

impl GivenUp {
    pub(super) fn new(had: CapsHashSet, kept: CapsHashSet, user: Option<User>, was: Uid) -> Self {
        Self {
            had,
            kept,
            user,
            was,
        }
    }

    /// Whether a device that vanished can be opened again.
    pub fn can_open_devices(&self) -> bool {
        self.kept.contains(&Capability::CAP_NET_RAW)
    }

    /// Exactly what fraglens can no longer do, and what it kept; a sentence each.
    pub fn sentences(&self) -> Vec<String> {
        let lost = LOSSES.iter().filter(|(right, _)| self.has_lost(*right));
        let lost = lost.map(|(_, what)| format!("fraglens can no longer {what}."));
        let beyond = self.lost_beyond();
        let others = (beyond > 0)
            .then(|| format!("fraglens can no longer do what {beyond} other capabilities allow."));
        let programs = "fraglens can no longer gain rights by running a set-user-ID program or \
                        one with capabilities (no_new_privs is set).";
        lost.chain(others)
            .chain([programs.to_owned()])
            .chain(self.whose_files())
            .chain(self.what_is_kept())
            .collect()
    }

    fn has_lost(&self, right: Capability) -> bool {
        self.had.contains(&right) && !self.kept.contains(&right)
    }

    /// Capabilities that are gone and of which no sentence speaks.
    fn lost_beyond(&self) -> usize {
        let is_told = |right: &Capability| LOSSES.iter().any(|(told, _)| told == right);
        let lost = self.had.difference(&self.kept);
        lost.filter(|right| !is_told(right)).count()
    }

    fn whose_files(&self) -> Option<String> {
        match &self.user {
            Some(user) => Some(format!(
                "fraglens runs as user {} (uid {}) now, can no longer become uid {} again, and \
                 writes only into directories that {} can.",
                user.name, user.uid, self.was, user.name,
            )),
            None if self.was.is_root() => Some(
                "fraglens still may write what belongs to root (--user NAME makes it another user)."
                    .to_owned(),
            ),
            None => None,
        }
    }

    fn what_is_kept(&self) -> Option<String> {
        self.can_open_devices()
            .then(|| "fraglens keeps CAP_NET_RAW, to open interfaces again.".to_owned())
    }
}
