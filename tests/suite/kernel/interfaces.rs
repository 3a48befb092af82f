//! `fraglens interfaces` against `ip -d addr`, in a network namespace of its own.

use super::fraglens;
use serde_json::{Value, json};
use std::process::{Command, Output};

/// A namespace that is gone when this is dropped. Its name is one of those that
/// [`Network`](super::network::Network) removes if a run was killed.
struct Namespace(String);

impl Namespace {
    fn new(role: &str) -> Self {
        let namespace = Self(format!("fraglens-test-{}-{role}", std::process::id()));
        must(ip(&["netns", "add", &namespace.0]));
        namespace
    }

    fn ip(&self, words: &str) -> Output {
        let words: Vec<&str> = words.split(' ').collect();
        ip(&[&["-n", &self.0], &words[..]].concat())
    }

    fn fraglens(&self, arguments: &[&str]) -> String {
        let program = fraglens().get_program().to_str().unwrap().to_owned();
        let within = ["netns", "exec", &self.0, &program, "interfaces"];
        must(ip(&[&within, arguments].concat()))
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        drop(ip(&["netns", "del", &self.0]));
    }
}

fn ip(words: &[&str]) -> Output {
    Command::new("ip").args(words).output().expect("ip starts")
}

fn must(output: Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    String::from_utf8(output.stdout).unwrap()
}

fn furnished(role: &str) -> Namespace {
    let namespace = Namespace::new(role);
    for words in [
        "link add near mtu 1450 type veth peer name far mtu 1450",
        "addr add 10.7.0.1/24 dev near",
        "addr add fd00:7::1/64 dev near nodad",
        "link set near up",
        "link set far up",
        "link add idle type bridge",
        "link add vx type vxlan id 42 dstport 5799 local 10.7.0.1 remote 10.7.0.2 dev near udpcsum",
        "link set vx master idle",
    ] {
        must(namespace.ip(words));
    }
    // Not every kernel has VLANs, and no test depends on it.
    drop(namespace.ip("link add link near name near.7 type vlan id 7"));
    namespace
}

/// What fraglens should say of what `ip -j -d addr` says.
fn expected(told: &Value) -> Value {
    let state = told["operstate"].as_str().unwrap().to_lowercase();
    let addresses = told["addr_info"].as_array().unwrap().iter();
    let addresses = addresses
        .map(|one| json!({"address": one["local"], "prefix_length": one["prefixlen"]}))
        .collect::<Vec<_>>();
    let kind = told["linkinfo"]["info_kind"].as_str();
    let data = &told["linkinfo"]["info_data"];
    json!({
        "index": told["ifindex"],
        "name": told["ifname"],
        "state": if state == "lowerlayerdown" { "down" } else { &state },
        "mtu": told["mtu"],
        "mac": told["address"],
        "link_type": "EN10MB",
        "kind": kind.unwrap_or("loopback"),
        "master": told["master"],
        "parent": if kind == Some("vxlan") { &data["link"] } else { &told["link"] },
        "addresses": addresses,
        "encapsulation": match kind {
            Some("vlan") => json!({"type": "vlan", "id": data["id"]}),
            Some("vxlan") => json!({
                "type": "vxlan", "id": data["id"], "local": data["local"],
                "remote": data["remote"], "group": null, "port": data["port"],
                "external": false, "udpcsum": data["udp_csum"],
                "udp6zerocsumtx": data["udp_zero_csum6_tx"],
                "udp6zerocsumrx": data["udp_zero_csum6_rx"],
            }),
            _ => Value::Null,
        },
    })
}

#[test]
fn interfaces_are_what_ip_says_they_are() {
    let namespace = furnished("json");
    let told: Vec<Value> = serde_json::from_str(&must(namespace.ip("-j -d addr"))).unwrap();
    let json = namespace.fraglens(&["--format", "json"]);
    let mut seen: Vec<Value> = serde_json::from_str(&json).unwrap();
    for one in &mut seen {
        let offload = one.as_object_mut().unwrap().remove("offload").unwrap();
        assert!(
            offload.is_null() || offload["gso"].is_boolean(),
            "{offload}"
        );
    }
    assert_eq!(seen, told.iter().map(expected).collect::<Vec<_>>());
    let find = |name: &str| seen.iter().find(|one| one["name"] == name).unwrap();
    let tunnel = &find("vx")["encapsulation"];
    assert_eq!((&tunnel["id"], &tunnel["port"]), (&json!(42), &json!(5799)));
    assert_eq!(tunnel["udpcsum"], true);
    assert_eq!(find("near")["mtu"], 1450);
    assert_eq!(find("idle")["state"], "down");
}

#[test]
fn people_get_lines_that_fit() {
    let text = furnished("text").fraglens(&[]);
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    for said in [
        "10.7.0.1/24, fd00:7::1/64",
        "part of idle",
        "vxlan: id 42, local 10.7.0.1, remote 10.7.0.2, port 5799, udpcsum",
    ] {
        assert!(text.contains(said), "`{said}` is not in:\n{text}");
    }
}
