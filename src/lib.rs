//! Reads packet captures and says why less arrives than was sent: every IP fragment
//! and every checksum through every layer of encapsulation, per flow.
//!
//! # The way of the data
//!
//! ```text
//!   files, pipes                                                 one document
//!        │                                                            ▲
//!        ▼                                                            │
//!  ┌──────────┐ blocks ┌──────────┐ facts ┌─────────┐ ledger ┌────────┴─┐
//!  │  source  ├───────►│  decode  ├──────►│ account ├───┬───►│  report  │
//!  └──────────┘        └────┬─────┘       └─────────┘   │    └──────────┘
//!   sequential:             │ fragments      ▲          ▼         ▲ findings,
//!   reads, finds            ├─────────┐      │     ┌──────────┐   │ explanation
//!   records                 ▼         │      │     │ diagnose ├───┘
//!                     ┌────────────┐  │      │     └──────────┘
//!                     │ reassemble ├──┼──────┘       ▲      ▲
//!                     └─────┬──────┘  │ outcomes     │      │ benchmarks, counters
//!                           │         ▼              │  ┌───┴─────┐
//!                           │    ┌──────────┐        │  │ witness │
//!                           │    │ receiver ├────────┘  └─────────┘
//!                           │    └──────────┘ forecasts
//!                           │ tunnels that are whole again
//!                           └──► decode, and so on inwards
//! ```
//!
//! A capture that goes on takes the same way from the interfaces of this host. What was
//! counted is taken out of it at each interval, and kept twice: since the beginning, and
//! for the last seconds. In the end, what is left in the pipeline is added, and the whole
//! becomes the one document.
//!
//! ```text
//!   interfaces                                   ┌────────┐ counters, interfaces
//!        │                                       │  host  ├───────────────┐
//!        ▼                                       └────────┘               ▼
//!  ┌─────────────┐ blocks  ╔═════════════╗ harvest ┌────────┐ report ┌──────────┐
//!  │ source live ├───┬────►║ as above,   ╟────────►│ window ├───────►│ snapshot │
//!  └─────────────┘   │     ║ to a ledger ║ each    └────────┘ of the └────┬─────┘
//!   a ring of each   │     ╚═════════════╝ interval          last seconds │
//!   interface        │                                                    ▼
//!                    │ frames of the last seconds            ┌─────────────────────────┐
//!                    └──────────────────────────────────────►│ watch: screen or lines, │
//!                                                            │ metrics, recorder       │
//!                                                            └─────────────────────────┘
//! ```
//!
//! [`cli`] is where these meet: it takes a [`Harvest`](pipeline::Harvest) and a
//! [`Reading`](host::Reading) when its clock says so, has a [`Window`](pipeline::Window)
//! and [`report::build()`] make a [`Snapshot`](watch::Snapshot) of them, and shows that.
//!
//! Several captures of the same traffic, at points along its path, are read side by side.
//! What each point saw is brought into one order of time and matched.
//!
//! ```text
//!   capture ─► source ─► decode, reassemble ─► sightings ┐    ┌─────────┐ outcome ┌────────┐
//!   capture ─► source ─► decode, reassemble ─► sightings ┼───►│ compare ├────────►│ report │
//!   capture ─► source ─► decode, reassemble ─► sightings ┘    └─────────┘         └────────┘
//!              a thread for each point           by time        parcels   ▲ findings of
//!                         └─► receiver ─► forecasts                       │ diagnose::path
//! ```
//!
//! [`pipeline`] tells this story in code: blocks are decoded by whatever worker is
//! free; fragments go to one of a fixed number of shards by the key of their
//! datagram, and each shard takes them in the order of the capture, worked by
//! whatever worker comes by.
//!
//! # The rooms
//!
//! - [`model`]: the vocabulary: time, addresses, keys, counters, facts; plain data
//! - [`source`]: where frames come from; the only user of `pcap` and `pcap_parser`
//! - [`decode`]: bytes to facts; the only user of `etherparse`
//! - [`reassemble`]: fragments to datagrams, by capture time, bounded
//! - [`receiver`]: what a Linux host would make of the same fragments
//! - [`account`]: facts and outcomes to a ledger
//! - [`host`]: this host as its kernel describes it: interfaces and counters
//! - [`pipeline`]: the one place that sees the rooms of the data path together
//! - [`compare`]: captures at several points of a path: what got lost between which; the
//!   only user of `hdrhistogram`
//! - [`witness`]: what others counted: benchmarks and kernels; text to numbers
//! - [`diagnose`]: what is known of each cause, and which of them a capture shows
//! - [`evidence`]: what is handed on as proof: frames with comments, as pcapng, the bundle
//!   of a ticket, and both without who was captured if that is asked for; the only user of
//!   `pcap_file`, `tar` and `ipcrypt_rs`
//! - [`report`]: the ledger to one document, the document and the causes to every format;
//!   the only user of `askama`
//! - [`watch`]: a capture that goes on, as a person, a scraper or a log sees it; the only
//!   user of `ratatui`
//! - [`cli`]: the command line; the only user of `clap`
//!
//! Data runs one way: a room uses what this table allows and nothing else. A test
//! reads the table and holds the code to it.
//!
//! | room | may use |
//! | --- | --- |
//! | model | |
//! | source | model |
//! | decode | model |
//! | reassemble | model |
//! | receiver | model, reassemble::FragmentFacts, reassemble::Key |
//! | account | model, reassemble::Carried, reassemble::Completed, reassemble::Datagram, reassemble::Fate, reassemble::FragmentFacts, reassemble::LargestFull, reassemble::Layout, reassemble::LimitsHit, reassemble::Run |
//! | witness | |
//! | host | model, witness |
//! | pipeline | model, source, decode, reassemble, receiver, account |
//! | compare | model, source, decode, reassemble, receiver, pipeline::whole_of |
//! | diagnose | model, source::FileFacts, compare, account, receiver, witness, host |
//! | report | model, compare, account, receiver, witness, host, diagnose, source::FileFacts, source::Problem, source::Severity |
//! | evidence | model, source, decode, reassemble, receiver, pipeline, report |
//! | watch | model, host, diagnose::ALL, report, evidence |
//! | cli | model, source, decode, reassemble, receiver, account, witness, host, pipeline, compare, diagnose, report, evidence, watch |
//!
//! # Contracts
//!
//! - `decode` never fails and never panics: what could not be read is a
//!   [`Stop`](model::facts::Stop) beside what could.
//! - The same capture gives the same bytes of report for any number of threads, any
//!   size of block and on any machine. Everything is sorted before it is written.
//! - Ledgers, flows and timelines are monoids: workers, shards and files are merged
//!   by the same `merge`, in any order.
//! - Every map, queue and buffer has a bound, and meeting it is a number in the
//!   report. Memory follows open datagrams and flows, never the length of a file.
//! - Payload is not copied. A UDP checksum is a sum of sums (fragment offsets are
//!   multiples of 8, so parity holds): ranges, partial sums and the head of the first
//!   fragment are kept. Bytes are kept only for outer datagrams that carry a tunnel.
//! - Reassembly is keyed by scope (tunnels and VLANs), addresses, identification and,
//!   for IPv4, protocol. Two tenants with equal inner addresses never mix.
//! - Time comes with frames, and no count or finding depends on when it is looked at. A
//!   watch reads clocks for two things only: [`cli`] for when a snapshot is due and what
//!   time it bears, [`watch::metrics::Server`] for when a connection has lasted too long.
//!   [`analyze`](pipeline::analyze) reads none but to draw its progress.
//!
//! # Bounds
//!
//! | what | bound | beyond it |
//! | --- | --- | --- |
//! | flows, tunnels | [`account::MAX_FLOWS`], [`account::MAX_TUNNELS`] | added up in one record |
//! | scopes | [`model::scope::MAX_SCOPES`] | their flows and tunnels are shown without them |
//! | hosts that fragments go to, and their datagrams | 512 and 32,768 in each of 16 shards and depths | no forecast for them |
//! | flows, tunnels of a watch, and of its last seconds | [`pipeline::MAX_WATCHED`], [`pipeline::MAX_RECENT`] of each | added up in one record |
//! | lines of a watch that nobody reads | 64 | left out, and counted |
//! | packets of an interface that wait to be read | the ring that was asked for | dropped by the kernel, which counts them |
//! | unfinished datagrams | [`reassemble::Limits::memory_bytes`] | the oldest are evicted |
//! | frames kept that show something | [`account::MAX_EXHIBITS`] of each kind | the first of the capture stay |
//! | fragmented flows by host, for a diagnosis | 20,000 | those with most bytes are looked at |
//! | what is read of a witness | [`witness::MAX_RUNS`], [`witness::MAX_COUNTERS`] | refused |
//! | connections to the metrics of a watch | 16, for 5 seconds each | the oldest is closed |
//! | flows of a watch with metrics of their own | as many as are asked for | the worst are taken |
//! | timeline | [`account::MAX_BUCKETS`] | buckets get twice as wide |
//! | rows of a page, and characters of its texts | `report::html::bounds`: a page below 2 MB | left out, and said |
//! | runs of a benchmark, counters of a kernel | [`witness::MAX_RUNS`], [`witness::MAX_COUNTERS`] | the text is refused |
//! | what the screen remembers | 600 seconds of rates, 32 findings that cleared, for a minute | the oldest go |
//! | nesting | [`model::facts::MAX_LAYERS`] IP headers | counted as undecoded |
//! | frames kept by the flight recorder | [`watch::recorder::RingLimits`] | the oldest are dropped |
//! | recordings | [`watch::recorder::RecorderOptions`] | the oldest are deleted |
//! | pieces kept of a lost datagram, one of each reason | [`account::MAX_PIECES`] | counted |
//! | steps of a curve of reassembly memory | [`receiver::MAX_STEPS`] | steps get twice as wide |
//! | a capture with evidence | `--evidence-bytes` | what is further from what is named is left out |
//! | fragments held back for it, by `compare` | 8 MiB, 131,072 frames or half a second from what is named | datagrams are kept in part |
//! | datagrams followed for it | 262,144 | all are forgotten, and datagrams may be kept in part |
//! | packets under way between points | 2,097,152 | the oldest are given up early, and counted |
//! | flows of a point, of a comparison | [`compare::MAX_LANES`], [`compare::MAX_ACCOUNTS`] | left out and counted; added up in one record |
//! | points of a path | [`compare::MAX_POINTS`] | refused |
//! | a page, a comment | 2 MB, [`report::markdown::MAX_BYTES`] | lists are cut, and say so |
//! | VLAN tags told apart | [`model::scope::MAX_VLANS`] of a stack | deeper tags are ignored |

pub mod account;
pub mod cli;
pub mod compare;
pub mod decode;
pub mod diagnose;
pub mod evidence;
pub mod host;
pub mod model;
pub mod pipeline;
pub mod reassemble;
pub mod receiver;
pub mod report;
pub mod source;
pub mod watch;
pub mod witness;
