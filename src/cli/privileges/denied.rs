//! What to do about a device that must not be opened.

use crate::report::escape;
use nix::unistd::Uid;
use std::env;
use std::path::Path;

/// Whether what libpcap said of a device means that a right is lacking: it names the
/// capability, or repeats the kernel.
pub fn is_denied(error: &str) -> bool {
    const SIGNS: [&str; 3] = ["CAP_NET_", "Operation not permitted", "Permission denied"];
    SIGNS.iter().any(|sign| error.contains(sign))
}

/// Why an interface must not be captured on, and what gives the right to: `error` is what
/// libpcap said.
///
/// A packet socket takes `CAP_NET_RAW`. Promiscuous mode takes no more: the kernel lets
/// whoever has such a socket switch it on. `CAP_NET_ADMIN` is only for what changes the
/// device itself, as hardware timestamps and monitor mode do; libpcap names it then.
pub fn explain_denied(interface: &str, error: &str) -> String {
    let program = env::current_exe().ok();
    denied(
        interface,
        error,
        program.as_deref(),
        Uid::effective().is_root(),
    )
}

fn denied(interface: &str, error: &str, program: Option<&Path>, is_root: bool) -> String {
    let needs_admin = error.contains("CAP_NET_ADMIN");
    let (names, rights) = if needs_admin {
        (
            "CAP_NET_RAW and CAP_NET_ADMIN",
            "cap_net_raw,cap_net_admin+ep",
        )
    } else {
        ("CAP_NET_RAW", "cap_net_raw+ep")
    };
    let what = format!(
        "cannot capture on {}: {}: this takes {names}",
        escape::line(interface),
        escape::line(error.trim_end_matches('.')),
    );
    // Root without the capability is root in a container, and a file's do not help there.
    if is_root {
        return format!(
            "{what}, which root does not have here; a container gets it from outside (docker run \
             --cap-add NET_RAW, or securityContext.capabilities.add in Kubernetes)"
        );
    }
    let program = program.map_or_else(
        || "$(command -v fraglens)".to_owned(),
        |path| quoted(&path.to_string_lossy()),
    );
    format!(
        "{what}; run fraglens as root, or give it the right for good: sudo setcap {rights} {program}"
    )
}

/// As one word of a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    if word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", escape::line(word).replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ERROR: &str = "Attempt to create packet socket failed - CAP_NET_RAW may be required";

    fn for_user(error: &str, program: &str) -> String {
        denied("eth0", error, Some(Path::new(program)), false)
    }

    #[test]
    fn the_line_to_type_is_for_this_very_program() {
        let told = for_user(ERROR, "/usr/local/bin/fraglens");
        assert!(told.starts_with("cannot capture on eth0: Attempt to create"));
        let line = "sudo setcap cap_net_raw+ep /usr/local/bin/fraglens";
        assert!(told.ends_with(line), "{told}");
        assert!(!told.contains("CAP_NET_ADMIN"), "{told}");
        let told = for_user(ERROR, "/home/a b/it's");
        assert!(told.ends_with(r"'/home/a b/it'\''s'"), "{told}");
        let told = denied("eth0", ERROR, None, false);
        assert!(told.ends_with("$(command -v fraglens)"), "{told}");
    }

    #[test]
    fn what_changes_the_device_takes_more() {
        let error = "Attempt to set hardware timestamp failed - CAP_NET_ADMIN may be required";
        let told = for_user(error, "/bin/fraglens");
        let line = "sudo setcap cap_net_raw,cap_net_admin+ep /bin/fraglens";
        assert!(told.ends_with(line), "{told}");
    }

    #[test]
    fn setcap_does_not_help_a_root_without_rights() {
        let told = denied("eth0", ERROR, None, true);
        assert!(!told.contains("setcap") && told.contains("--cap-add NET_RAW"));
    }

    #[test]
    fn names_reach_no_terminal_as_they_are() {
        let told = denied(
            "eth\u{1b}[2J",
            "no\u{7}",
            Some(Path::new("/a\u{1b}b")),
            false,
        );
        assert!(!told.contains(escape::is_active), "{told}");
    }
}
