//! Rights that it takes to open a device, and that are given up once it is open.
//!
//! What decodes packets of strangers should be able to do as little as possible if one of
//! them finds a fault in it.

mod denied;
mod given_up;
#[cfg(test)]
mod tests;

pub use denied::{explain_denied, is_denied};
pub use given_up::GivenUp;

use anyhow::{Context, bail, ensure};
use caps::{CapSet, Capability, CapsHashSet};
use nix::sys::prctl;
use nix::unistd::{self, Gid, Uid, User};
use std::ffi::CString;
use std::fs;

/// What fraglens goes on with once its devices are open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Privileges {
    /// The user to become (`--user`).
    pub user: Option<String>,
    /// Whether to keep the right to open a device again (`--keep-net-raw`).
    pub keep_net_raw: bool,
}

impl Privileges {
    /// Gives up every other right, for good.
    ///
    /// # Errors
    ///
    /// A thread runs already, which would keep its rights; there is no such user; only
    /// root can become it; or the kernel refuses, and then nothing should go on.
    pub fn give_up(self) -> anyhow::Result<GivenUp> {
        let threads = threads();
        ensure!(
            threads <= 1,
            "rights can be given up only while there is one thread, and {threads} run"
        );
        self.give_up_of_this_thread()
    }

    fn give_up_of_this_thread(self) -> anyhow::Result<GivenUp> {
        // Looked up while everything can still be read.
        let user = self.user.as_deref().map(named).transpose()?;
        let before = Rights::now()?;
        let kept = if self.keep_net_raw {
            only_net_raw(&before.permitted)
        } else {
            CapsHashSet::new()
        };
        empty_bounding_set()?;
        let user = user.filter(|user| !before.is_user(user));
        if let Some(user) = &user {
            become_user(user, !kept.is_empty())?;
        }
        keep_only(&kept)?;
        prctl::set_no_new_privs().context("cannot set no_new_privs")?;
        verify(&before, &kept, user.as_ref())?;
        Ok(GivenUp::new(before.permitted, kept, user, before.user))
    }
}

/// What a thread may do.
#[derive(Clone, Debug)]
struct Rights {
    permitted: CapsHashSet,
    user: Uid,
    group: Gid,
}

impl Rights {
    fn now() -> anyhow::Result<Self> {
        Ok(Self {
            permitted: caps::read(None, CapSet::Permitted)?,
            user: Uid::effective(),
            group: Gid::effective(),
        })
    }

    fn is_user(&self, user: &User) -> bool {
        self.user == user.uid && self.group == user.gid
    }
}

/// Threads of this process; 1 where `/proc` does not say.
fn threads() -> usize {
    fs::read_dir("/proc/self/task").map_or(1, Iterator::count)
}

fn named(name: &str) -> anyhow::Result<User> {
    let user = User::from_name(name).with_context(|| format!("cannot look up user {name}"))?;
    user.with_context(|| format!("there is no user {name}"))
}

fn only_net_raw(permitted: &CapsHashSet) -> CapsHashSet {
    let is_net_raw = |right: &&Capability| **right == Capability::CAP_NET_RAW;
    permitted.iter().filter(is_net_raw).copied().collect()
}

/// What programs that are run later could have at most. Who may not change it is no
/// root, and `no_new_privs` keeps such programs from having any of it.
fn empty_bounding_set() -> anyhow::Result<()> {
    if caps::has_cap(None, CapSet::Effective, Capability::CAP_SETPCAP)? {
        caps::clear(None, CapSet::Bounding).context("cannot empty the bounding set")?;
    }
    Ok(())
}

fn become_user(user: &User, keeps_rights: bool) -> anyhow::Result<()> {
    let to_become = || format!("cannot become user {}", user.name);
    let name = CString::new(user.name.as_str()).with_context(to_become)?;
    // Else all are lost with the user.
    prctl::set_keepcaps(keeps_rights).with_context(to_become)?;
    unistd::initgroups(&name, user.gid).with_context(to_become)?;
    unistd::setresgid(user.gid, user.gid, user.gid).with_context(to_become)?;
    unistd::setresuid(user.uid, user.uid, user.uid).with_context(to_become)?;
    prctl::set_keepcaps(false).with_context(to_become)
}

fn keep_only(kept: &CapsHashSet) -> anyhow::Result<()> {
    let doing = "cannot give up capabilities";
    if caps::runtime::ambient_set_supported().is_ok() {
        caps::clear(None, CapSet::Ambient).context(doing)?;
    }
    caps::clear(None, CapSet::Inheritable).context(doing)?;
    // The effective ones must be among the permitted ones at any moment.
    caps::set(None, CapSet::Effective, kept).context(doing)?;
    caps::set(None, CapSet::Permitted, kept).context(doing)
}

/// Asks the kernel, and tries to take back what was given up.
fn verify(before: &Rights, kept: &CapsHashSet, user: Option<&User>) -> anyhow::Result<()> {
    for set in [CapSet::Permitted, CapSet::Effective] {
        ensure!(
            caps::read(None, set)? == *kept,
            "the kernel kept capabilities"
        );
    }
    let is_empty = caps::read(None, CapSet::Inheritable)?.is_empty();
    ensure!(is_empty, "the kernel kept inheritable capabilities");
    ensure!(
        prctl::get_no_new_privs()?,
        "the kernel did not set no_new_privs"
    );
    let Some(user) = user else {
        return Ok(());
    };
    let (users, groups) = (unistd::getresuid()?, unistd::getresgid()?);
    let are_users = [users.real, users.effective, users.saved] == [user.uid; 3];
    let are_groups = [groups.real, groups.effective, groups.saved] == [user.gid; 3];
    ensure!(are_users && are_groups, "the kernel kept the user or group");
    let is_other_user = before.user != user.uid;
    if is_other_user && unistd::setresuid(before.user, before.user, before.user).is_ok() {
        bail!("user {} could become user {} again", user.name, before.user);
    }
    let is_other_group = before.group != user.gid;
    if is_other_group && unistd::setresgid(before.group, before.group, before.group).is_ok() {
        bail!(
            "user {} could become group {} again",
            user.name,
            before.group
        );
    }
    Ok(())
}
