//! Clients of every kind, on loopback.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::report::document::Flow;
use crate::report::samples::many;
use crate::watch::samples;
use std::io::{Read, Write};
use std::net::TcpStream;

/// Long enough for a loaded machine, and far below [`PATIENCE`].
const SOON: Duration = Duration::from_secs(2);

fn start() -> (Server, Arc<Metrics>) {
    let metrics = Arc::new(Metrics::new(0));
    metrics.update(&samples::snapshot());
    let server = Server::start(([127, 0, 0, 1], 0).into(), Arc::clone(&metrics)).unwrap();
    (server, metrics)
}

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.address()).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    stream
}

/// All that comes back of a request.
fn ask(server: &Server, request: &str) -> String {
    let mut stream = connect(server);
    stream.write_all(request.as_bytes()).unwrap();
    rest(stream)
}

fn rest(mut stream: TcpStream) -> String {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn get(server: &Server, path: &str) -> String {
    ask(
        server,
        &format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    )
}

fn ended(metrics: &Metrics, end: &str) -> u64 {
    let mut text = String::new();
    metrics.encode(&mut text).unwrap();
    let series = format!("fraglens_scrape_connections_total{{end=\"{end}\"}} ");
    let line = text.lines().find_map(|line| line.strip_prefix(&series));
    line.unwrap().parse().unwrap()
}

/// Waits for connections to end; the last is counted when the client has closed it.
fn wait_for(metrics: &Metrics, end: &str, count: u64) {
    let begin = Instant::now();
    while ended(metrics, end) != count {
        let ended = ended(metrics, end);
        assert!(begin.elapsed() < SOON, "{ended} {end}, not {count}");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn metrics_and_a_page_about_them_are_served() {
    let (server, metrics) = start();
    let answer = get(&server, "/metrics");
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert!(head.contains("Content-Type: application/openmetrics-text; version=1.0.0"));
    assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())));
    assert!(body.contains("\nfraglens_frames_total 7155762\n"), "{body}");
    assert!(body.ends_with("# EOF\n"));
    assert!(get(&server, "/metrics?x=1").starts_with("HTTP/1.1 200"));
    assert!(get(&server, "/").contains("/metrics\n"));
    assert_eq!(ended(&metrics, "refused"), 0);
}

#[test]
fn a_head_is_answered_without_a_body() {
    let (server, _) = start();
    let answer = ask(&server, "HEAD /metrics HTTP/1.0\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.ends_with("\r\n\r\n"), "{answer}");
    assert!(!answer.contains("Content-Length: 0\r\n"), "{answer}");
}

#[test]
fn what_is_not_there_or_no_request_is_refused() {
    let (server, metrics) = start();
    let fields = "X: y\r\n".repeat(200);
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(9_000));
    for (request, status) in [
        ("GET /other HTTP/1.1\r\n\r\n", "404 Not Found"),
        ("GET //metrics HTTP/1.1\r\n\r\n", "404 Not Found"),
        ("POST /metrics HTTP/1.1\r\n\r\n", "405 Method Not Allowed"),
        ("\u{1b}]0;owned\u{7}\r\n\r\n", "400 Bad Request"),
        (&format!("GET / HTTP/1.1\r\n{fields}\r\n"), "431 Request"),
        (&long, "431 Request"),
    ] {
        let answer = ask(&server, request);
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status}")),
            "{answer}"
        );
        assert!(!answer.contains(['\u{1b}', '\u{7}']), "{answer}");
    }
    let refused = ask(&server, "PUT / HTTP/1.1\r\n\r\n");
    assert!(refused.contains("\r\nAllow: GET, HEAD\r\n"), "{refused}");
    wait_for(&metrics, "refused", 7);
}

#[test]
fn a_request_in_pieces_is_put_together() {
    let (server, _) = start();
    let mut stream = connect(&server);
    for piece in ["GE", "T /met", "rics HTT", "P/1.1\r\nHost: x\r", "\n\r\n"] {
        stream.write_all(piece.as_bytes()).unwrap();
        thread::sleep(Duration::from_millis(10));
    }
    assert!(rest(stream).ends_with("# EOF\n"));
}

#[test]
fn who_says_nothing_holds_up_nobody_and_is_cut_off() {
    let (server, metrics) = start();
    let mut silent: Vec<TcpStream> = (0..3).map(|_| connect(&server)).collect();
    silent[1]
        .write_all(b"GET /metrics HTTP/1.1\r\nX: ")
        .unwrap();
    let begin = Instant::now();
    assert!(get(&server, "/metrics").ends_with("# EOF\n"));
    assert!(begin.elapsed() < SOON, "{:?}", begin.elapsed());
    for stream in silent {
        assert_eq!(rest(stream), "");
    }
    let took = begin.elapsed();
    assert!(took + SOON > PATIENCE && took < PATIENCE + SOON, "{took:?}");
    wait_for(&metrics, "timed_out", 3);
}

#[test]
fn of_too_many_the_oldest_go() {
    let (server, metrics) = start();
    let crowd: Vec<TcpStream> = (0..100).map(|_| connect(&server)).collect();
    let begin = Instant::now();
    assert!(get(&server, "/metrics").ends_with("# EOF\n"));
    assert!(begin.elapsed() < SOON, "{:?}", begin.elapsed());
    let displaced = ended(&metrics, "displaced");
    assert!(displaced >= 100 - MAX_CONNECTIONS as u64, "{displaced}");
    drop(crowd);
}

#[test]
fn who_does_not_read_the_answer_holds_up_nobody() {
    let mut snapshot = samples::snapshot();
    let one = many().flows.remove(0);
    snapshot.window.flows = (0..20_000).map(|port| flow(&one, port)).collect();
    let metrics = Arc::new(Metrics::new(20_000));
    metrics.update(&snapshot);
    let server = Server::start(([127, 0, 0, 1], 0).into(), Arc::clone(&metrics)).unwrap();
    let mut idle = connect(&server);
    idle.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").unwrap();
    assert!(get(&server, "/").contains("/metrics"));
    let begin = Instant::now();
    while ended(&metrics, "timed_out") == 0 {
        assert!(begin.elapsed() < 4 * PATIENCE, "never cut off");
        assert!(get(&server, "/").contains("/metrics"));
        thread::sleep(Duration::from_millis(200));
    }
}

fn flow(like: &Flow, port: u16) -> Flow {
    let mut flow = like.clone();
    flow.key.src_port = Some(port);
    flow
}

#[test]
fn what_comes_after_the_answer_is_thrown_away() {
    let (server, metrics) = start();
    let mut stream = connect(&server);
    let body = "x".repeat(60_000);
    let post = format!("POST /metrics HTTP/1.1\r\nContent-Length: 60000\r\n\r\n{body}");
    stream.write_all(post.as_bytes()).unwrap();
    assert!(rest(stream).starts_with("HTTP/1.1 405 "));
    wait_for(&metrics, "refused", 1);
}

#[test]
fn when_it_is_dropped_the_address_is_free_again() {
    let (server, metrics) = start();
    let address = server.address();
    let open = connect(&server);
    // Whoever comes later is answered later: the first is not waiting any more.
    assert!(get(&server, "/").contains("/metrics"));
    let begin = Instant::now();
    drop(server);
    assert!(begin.elapsed() < SOON, "{:?}", begin.elapsed());
    assert_eq!(rest(open), "");
    let again = Server::start(address, metrics).unwrap();
    assert_eq!(again.address(), address);
}

#[test]
fn an_address_that_is_taken_is_an_error() {
    let (server, metrics) = start();
    let error = Server::start(server.address(), metrics).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AddrInUse);
}
