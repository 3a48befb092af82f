//! Network namespaces and nothing outside them: a - router - b over veth, and c, which a
//! VXLAN tunnel from a to b leads to.
//! They are gone when [`Network`] is dropped, and those of killed runs when the
//! next one is made.

use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

const PREFIX: &str = "fraglens-test-";
const MTU: u32 = 1450;
/// Of a tunnel that is too wide for the network it goes through.
const WIDE: u32 = 1500;

/// What the scenarios need, and the Debian package that has it.
const TOOLS: [(&str, &str); 7] = [
    ("ethtool", "ethtool"),
    ("ip", "iproute2"),
    ("iperf3", "iperf3"),
    ("nft", "nftables"),
    ("tcpdump", "tcpdump"),
    ("python3", "python3"),
    ("sysctl", "procps"),
];

/// Addresses of the receiver.
pub const RECEIVER: &str = "10.2.0.2";
pub const RECEIVER_6: &str = "fd00:2::2";
/// The only interface of a router on a stick.
pub const LAN: &str = "lan";
/// Address of the host that the tunnel to the receiver leads to.
pub const TENANT: &str = "10.3.0.3";

pub struct Network {
    sender: String,
    router: String,
    receiver: String,
    tenant: String,
    _seat: Seat,
}

/// So many may be there at a time: each mostly waits for its traffic, and all together leave
/// the processor time to carry that.
const SEATS: usize = 2;

/// One of these; free again when this is dropped.
struct Seat;

static TAKEN: Mutex<usize> = Mutex::new(0);
static LEFT: Condvar = Condvar::new();

impl Seat {
    /// Waits for one.
    fn take() -> Self {
        let taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
        let free = LEFT.wait_while(taken, |taken| *taken >= SEATS);
        *free.unwrap_or_else(PoisonError::into_inner) += 1;
        Self
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        *TAKEN.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        LEFT.notify_one();
    }
}

/// How many networks this run has made.
static MADE: AtomicU32 = AtomicU32::new(0);

/// One of the namespaces.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Host {
    Sender,
    Router,
    Receiver,
    Tenant,
}

/// One end of a cable: namespace, device, MAC.
struct End<'a>(&'a str, &'a str, &'a str);

impl Network {
    /// A new one, every neighbour known to every other.
    pub fn new() -> Self {
        Self::with_mtus(MTU, MTU)
    }

    /// The same with an MTU on either side of the router.
    pub fn with_mtus(before: u32, behind: u32) -> Self {
        must_have_tools();
        let seat = Seat::take();
        remove_leftovers();
        let (process, number) = (std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let name = |role| format!("{PREFIX}{process}-{number}-{role}");
        let network = Self {
            sender: name("a"),
            router: name("r"),
            receiver: name("b"),
            tenant: name("c"),
            _seat: seat,
        };
        network.build(before, behind);
        network
    }

    fn build(&self, before: u32, behind: u32) {
        for namespace in self.namespaces() {
            add_namespace(namespace);
        }
        let forward = ["net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1"];
        set(&self.router, &forward);
        cable(
            (1, before),
            &End(&self.sender, "a0", "02:00:00:00:01:02"),
            &End(&self.router, "ra", "02:00:00:00:01:01"),
        );
        cable(
            (2, behind),
            &End(&self.receiver, "b0", "02:00:00:00:02:02"),
            &End(&self.router, "rb", "02:00:00:00:02:01"),
        );
    }

    fn namespaces(&self) -> [&str; 4] {
        [&self.sender, &self.router, &self.receiver, &self.tenant]
    }

    /// What no other network is called.
    pub fn name(&self) -> &str {
        &self.receiver
    }

    fn namespace(&self, host: Host) -> &str {
        match host {
            Host::Sender => &self.sender,
            Host::Router => &self.router,
            Host::Receiver => &self.receiver,
            Host::Tenant => &self.tenant,
        }
    }

    /// Sets kernel parameters of the receiver and of the tenant, in this order.
    pub fn set_receivers(&self, parameters: &[&str]) {
        set(&self.receiver, parameters);
        set(&self.tenant, parameters);
    }

    /// A VXLAN tunnel from the sender to the receiver, too wide for the network it goes
    /// through.
    pub fn add_tunnel(&self) {
        self.add_tunnel_of(WIDE);
    }

    /// A VXLAN tunnel from the sender to the receiver. It ends in the receiver's namespace, but what comes out belongs to the
    /// tenant's, so that each counts what it reassembles.
    pub fn add_tunnel_of(&self, mtu: u32) {
        let mtu = mtu.to_string();
        let sender = End(&self.sender, "va", "02:00:00:00:03:02");
        let tenant = End(&self.tenant, "vc", "02:00:00:00:03:03");
        for (end, made_in, local, remote) in [
            (&sender, &self.sender, "10.1.0.2", RECEIVER),
            (&tenant, &self.receiver, RECEIVER, "10.1.0.2"),
        ] {
            let End(namespace, device, mac) = end;
            let device_words = ["-n", made_in, "link", "add", device, "address", mac];
            let kind = ["mtu", &mtu, "type", "vxlan", "id", "42"];
            let ends = ["dstport", "4789", "local", local, "remote", remote];
            must_ip(&[&device_words[..], &kind, &ends].concat());
            if made_in != namespace {
                must_ip(&["-n", made_in, "link", "set", device, "netns", namespace]);
            }
            // Nothing but what is sent: neither listener reports nor solicitations, at
            // moments of their own.
            set(
                namespace,
                &[&format!("net.ipv6.conf.{device}.disable_ipv6=1")],
            );
            must_ip(&["-n", namespace, "link", "set", device, "up"]);
        }
        for (end, address, other, other_address) in [
            (&sender, "10.3.0.2", &tenant, TENANT),
            (&tenant, TENANT, &sender, "10.3.0.2"),
        ] {
            let address = format!("{address}/24");
            must_ip(&["-n", end.0, "addr", "add", &address, "dev", end.1]);
            know_neighbour(end, other_address, other);
        }
        // Else the sender would learn, which a host behind a bridge does not.
        let route = ["-n", sender.0, "route", "replace", "10.3.0.0/24", "dev"];
        must_ip(&[&route[..], &[sender.1, "mtu", "lock", &mtu]].concat());
    }

    /// Leaves the router one interface for both sides, [`LAN`].
    pub fn put_router_on_a_stick(&self) {
        let router = ["-n", &self.router];
        let link = |words: &[&str]| must_ip(&[&router[..], &["link"], words].concat());
        let mac = ["address", "02:00:00:00:01:01"];
        // With snooping it would ask who listens.
        link(
            &[
                &["add", LAN],
                &mac[..],
                &["type", "bridge", "mcast_snooping", "0"],
            ]
            .concat(),
        );
        let no_redirects = ["all", LAN].map(|of| format!("net.ipv4.conf.{of}.send_redirects=0"));
        let no_v6 = format!("net.ipv6.conf.{LAN}.disable_ipv6=1");
        set(&self.router, &[&no_redirects[0], &no_redirects[1], &no_v6]);
        // Where that is loaded, packets are translated before the router has them.
        let no_filter = "net.bridge.bridge-nf-call-iptables=0";
        self.run(Host::Router, &["sysctl", "-qew", no_filter]);
        for port in ["ra", "rb"] {
            must_ip(&[&router[..], &["addr", "flush", "dev", port]].concat());
            link(&["set", port, "master", LAN]);
        }
        link(&["set", LAN, "up"]);
        for address in ["10.1.0.1/24", "10.2.0.1/24"] {
            must_ip(&[&router[..], &["addr", "add", address, "dev", LAN]].concat());
        }
    }

    /// All kernel parameters of the receiver, as a user would paste them.
    pub fn receiver_settings(&self) -> String {
        self.run(Host::Receiver, &["sysctl", "-a"])
    }

    /// Drops fragments at random on the way, and nothing else.
    pub fn lose_fragments(&self, per_mille: u32) {
        let chance = format!("numgen random mod 1000 < {per_mille}");
        self.drop_at_router(&[
            &format!("ip frag-off & 0x3fff != 0 {chance}"),
            &format!("exthdr frag exists {chance}"),
        ]);
    }

    /// Drops what any of these nft matches is true of on the way, and counts it. Before
    /// any connection tracking would put fragments together.
    pub fn drop_at_router(&self, matches: &[&str]) {
        let rules = matches
            .iter()
            .map(|is_it| format!("add rule inet loss forward {is_it} counter drop\n"));
        let table = "add table inet loss
             add chain inet loss forward { type filter hook forward priority -500; }\n";
        self.filter(&(table.to_owned() + &rules.collect::<String>()));
    }

    /// How many packets it has dropped.
    pub fn dropped_at_router(&self) -> u64 {
        self.dropped_by_match().iter().sum()
    }

    /// How many packets it has dropped because of each match.
    pub fn dropped_by_match(&self) -> Vec<u64> {
        let list = self.run(Host::Router, &["nft", "-j", "list table inet loss"]);
        let list: Value = serde_json::from_str(&list).expect("nft prints JSON");
        let rules = list["nftables"].as_array().expect("a list").iter();
        let expressions = rules.filter_map(|rule| rule["rule"]["expr"].as_array());
        let counted = expressions
            .flatten()
            .filter_map(|one| one["counter"]["packets"].as_u64());
        counted.collect()
    }

    /// How many packets a device could not send on: a veth whose other end is busy has room
    /// for 256.
    pub fn dropped_by_device(&self, host: Host, device: &str) -> u64 {
        let list = self.run(host, &["ip", "-j", "-s", "link", "show", "dev", device]);
        let list: Value = serde_json::from_str(&list).expect("ip prints JSON");
        let dropped = &list[0]["stats64"]["tx"]["dropped"];
        dropped.as_u64().expect("ip counts what was dropped")
    }

    /// Gives rules to the router's nft.
    pub fn filter(&self, rules: &str) {
        self.run(Host::Router, &["nft", rules]);
    }

    /// Runs a program to its end, and gives what it printed.
    pub fn run(&self, host: Host, command: &[&str]) -> String {
        let within = in_namespace(self.namespace(host), command);
        let output = must(Command::new("ip").args(within));
        String::from_utf8(output.stdout).expect("it prints text")
    }

    /// Runs a program at the receiver to its end.
    pub fn run_at_receiver(&self, command: &[&str]) {
        self.run(Host::Receiver, command);
    }

    pub fn start(&self, host: Host, command: &[&str]) -> Process {
        Process::start(self.namespace(host), command)
    }

    pub fn start_at_sender(&self, command: &[&str]) -> Process {
        self.start(Host::Sender, command)
    }

    pub fn start_at_receiver(&self, command: &[&str]) -> Process {
        self.start(Host::Receiver, command)
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for namespace in self.namespaces() {
            remove_namespace(namespace);
        }
    }
}

/// A program in a namespace; ended when it is dropped. `ip netns exec` becomes the
/// program, so the process id is the program's.
pub struct Process(pub Child);

impl Process {
    fn start(namespace: &str, command: &[&str]) -> Self {
        let child = Command::new("ip")
            .args(in_namespace(namespace, command))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        Self(child.expect("ip starts"))
    }

    /// Asks it to end, as Ctrl-C would.
    pub fn interrupt(&self) {
        self.signal("INT");
    }

    /// Takes the processor away from it.
    pub fn halt(&self) {
        self.signal("STOP");
    }

    /// Gives it back.
    pub fn go_on(&self) {
        self.signal("CONT");
    }

    pub fn signal(&self, name: &str) {
        must(Command::new("sh").args(["-c", &format!("kill -{name} {}", self.0.id())]));
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Errors mean that it has ended.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Fails with what to do where the scenarios cannot run.
fn must_have_tools() {
    for (tool, package) in TOOLS {
        let found = Command::new("sh")
            .args(["-c", &format!("command -v {tool}")])
            .output();
        assert!(
            found.expect("sh starts").status.success(),
            "the kernel scenarios need {tool}: install the Debian package {package} \
             (`scripts/setup test` does)"
        );
    }
}

/// Namespaces of runs that were killed before they could clean up.
fn remove_leftovers() {
    let output = must(Command::new("ip").args(["netns", "list"]));
    let list = String::from_utf8_lossy(&output.stdout).into_owned();
    for name in list
        .lines()
        .filter_map(|line| line.split_whitespace().next())
    {
        let process = name
            .strip_prefix(PREFIX)
            .and_then(|rest| rest.split('-').next());
        if process.is_some_and(|id| !Path::new("/proc").join(id).exists()) {
            remove_namespace(name);
        }
    }
}

fn add_namespace(name: &str) {
    let output = ip(&["netns", "add", name]);
    assert!(
        output.status.success(),
        "the kernel scenarios need root and network namespaces (run them as root, in a container \
         with CAP_SYS_ADMIN and CAP_NET_ADMIN): ip netns add: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let quiet = [
        "net.ipv6.conf.default.accept_dad=0",
        "net.ipv6.conf.default.router_solicitations=0",
    ];
    set(name, &quiet);
    must_ip(&["-n", name, "link", "set", "lo", "up"]);
}

/// Ends what still runs in it, too.
fn remove_namespace(name: &str) {
    // It may never have been made, and processes may end by themselves.
    let pids = ip(&["netns", "pids", name]).stdout;
    for id in String::from_utf8_lossy(&pids).split_whitespace() {
        drop(
            Command::new("sh")
                .args(["-c", &format!("kill -KILL {id}")])
                .output(),
        );
    }
    drop(ip(&["netns", "del", name]));
}

/// Joins a host to the router: the network `10.N.0.0/24` and `fd00:N::/64`.
fn cable((net, mtu): (u8, u32), host: &End, router: &End) {
    let mtu = mtu.to_string();
    let ends = [host, router];
    let [from, to] = ends.map(|End(namespace, device, mac)| {
        let words = ["name", device, "netns", namespace, "address", mac];
        [&words[..], &["mtu", &mtu]].concat()
    });
    must_ip(&[&["link", "add"], &from[..], &["type", "veth", "peer"], &to].concat());
    let addresses = [2, 1].map(|at| [format!("10.{net}.0.{at}"), format!("fd00:{net}::{at}")]);
    for (End(namespace, device, _), [v4, v6]) in ends.into_iter().zip(&addresses) {
        let in_it = ["-n", namespace];
        let add = |words: &[&str]| must_ip(&[&in_it, words].concat());
        add(&["addr", "add", &format!("{v4}/24"), "dev", device]);
        add(&["addr", "add", &format!("{v6}/64"), "dev", device, "nodad"]);
        add(&["link", "set", device, "up"]);
    }
    for address in &addresses[1] {
        must_ip(&["-n", host.0, "route", "add", "default", "via", address]);
        know_neighbour(host, address, router);
    }
    for address in &addresses[0] {
        know_neighbour(router, address, host);
    }
}

fn know_neighbour(End(namespace, device, _): &End, address: &str, End(_, _, mac): &End) {
    let it = ["-n", namespace, "neigh", "replace", address];
    let at = ["lladdr", mac, "dev", device, "nud", "permanent"];
    must_ip(&[&it[..], &at].concat());
}

fn set(namespace: &str, parameters: &[&str]) {
    let command = [&["sysctl", "-qw"], parameters].concat();
    if !parameters.is_empty() {
        must(Command::new("ip").args(in_namespace(namespace, &command)));
    }
}

fn in_namespace<'a>(namespace: &'a str, command: &[&'a str]) -> Vec<&'a str> {
    [&["netns", "exec", namespace], command].concat()
}

fn ip(words: &[&str]) -> Output {
    Command::new("ip").args(words).output().expect("ip starts")
}

fn must_ip(words: &[&str]) {
    must(Command::new("ip").args(words));
}

fn must(command: &mut Command) -> Output {
    let output = command.output().expect("the command starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    output
}
