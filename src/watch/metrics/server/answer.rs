//! From the head of a request to all bytes of its answer.

use super::ends::End;
use crate::watch::metrics::Metrics;

/// Bytes of a request that are looked at; Prometheus sends some 300.
pub(super) const MAX_REQUEST_BYTES: usize = 8 * 1024;

/// Fields of a request that are looked at, which is what nginx and Apache allow for.
const MAX_FIELDS: usize = 100;

const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const PLAIN: &str = "text/plain; charset=utf-8";

const ABOUT: &str = "fraglens watch: metrics for Prometheus are at /metrics\n";

/// What is sent, and how the connection ends when it is.
#[derive(Debug)]
pub(super) struct Answer {
    pub bytes: Vec<u8>,
    pub end: End,
}

/// The answer to what was read of a request; `None` if more has to be read.
pub(super) fn to(request: &[u8], metrics: &Metrics) -> Option<Answer> {
    let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
    let mut head = httparse::Request::new(&mut fields);
    let reply = match head.parse(request) {
        Ok(httparse::Status::Complete(_)) => to_head(&head, metrics),
        Ok(httparse::Status::Partial) if request.len() < MAX_REQUEST_BYTES => return None,
        Ok(httparse::Status::Partial) | Err(httparse::Error::TooManyHeaders) => {
            Reply::refusal("431 Request Header Fields Too Large")
        }
        Err(_) => Reply::refusal("400 Bad Request"),
    };
    Some(reply.written(head.method == Some("HEAD")))
}

fn to_head(head: &httparse::Request<'_, '_>, metrics: &Metrics) -> Reply {
    if !matches!(head.method, Some("GET" | "HEAD")) {
        return Reply {
            fields: "Allow: GET, HEAD\r\n",
            ..Reply::refusal("405 Method Not Allowed")
        };
    }
    let target = head.path.unwrap_or_default();
    let path = target.split(['?', '#']).next().unwrap_or_default();
    match path {
        "/metrics" => {
            let mut text = String::new();
            match metrics.encode(&mut text) {
                Ok(()) => Reply::of(OPENMETRICS, text),
                Err(_) => Reply::refusal("500 Internal Server Error"),
            }
        }
        "/" => Reply::of(PLAIN, ABOUT.to_owned()),
        _ => Reply::refusal("404 Not Found"),
    }
}

/// An answer in parts.
struct Reply {
    status: &'static str,
    media_type: &'static str,
    /// Further fields, each with its end of line.
    fields: &'static str,
    body: String,
    end: End,
}

impl Reply {
    fn of(media_type: &'static str, body: String) -> Self {
        Self {
            status: "200 OK",
            media_type,
            fields: "",
            body,
            end: End::Answered,
        }
    }

    /// Nothing of the request is repeated in it.
    fn refusal(status: &'static str) -> Self {
        Self {
            status,
            media_type: PLAIN,
            fields: "",
            body: format!("{status}\n"),
            end: End::Refused,
        }
    }

    /// RFC 9110 section 9.3.2: to HEAD, all but the body.
    fn written(self, is_head: bool) -> Answer {
        let mut text = format!(
            "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n\
             Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
             Connection: close\r\n{}\r\n",
            self.status,
            self.media_type,
            self.body.len(),
            self.fields,
        );
        if !is_head {
            text.push_str(&self.body);
        }
        Answer {
            bytes: text.into_bytes(),
            end: self.end,
        }
    }
}
