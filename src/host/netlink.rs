//! Questions to the kernel, and its answers.

use super::Unavailable;
use netlink_packet_core::{
    NLM_F_ACK, NLM_F_DUMP, NLM_F_DUMP_INTR, NLM_F_REQUEST, NLMSG_ALIGNTO, NetlinkDeserializable,
    NetlinkHeader, NetlinkMessage, NetlinkPayload, NetlinkSerializable,
};
use netlink_sys::{Socket, SocketAddr};
use std::io;

/// How often a list is asked for, if it changes while it is told.
const ATTEMPTS: usize = 5;

/// The kernel, as one of its netlink families.
pub(super) struct Netlink {
    socket: Socket,
    /// Number of the last question.
    sequence: u32,
}

/// What the kernel answered.
struct Answer<M> {
    messages: Vec<M>,
    /// It changed while it was told, so that something may be missing.
    is_torn: bool,
}

impl Netlink {
    pub(super) fn open(protocol: isize) -> Result<Self, Unavailable> {
        let mut socket = Socket::new(protocol)?;
        socket.bind_auto()?;
        let kernel = SocketAddr::new(0, 0);
        socket.connect(&kernel)?;
        Ok(Self {
            socket,
            sequence: 0,
        })
    }

    /// All there are of what is asked for.
    pub(super) fn list<M>(&mut self, question: &M) -> Result<Vec<M>, Unavailable>
    where
        M: NetlinkSerializable + NetlinkDeserializable + Clone,
    {
        for _ in 0..ATTEMPTS {
            let answer = self.ask(question.clone(), NLM_F_DUMP)?;
            if !answer.is_torn {
                return Ok(answer.messages);
            }
        }
        Err(Unavailable::Changing)
    }

    /// What is asked for.
    pub(super) fn get<M>(&mut self, question: M) -> Result<Vec<M>, Unavailable>
    where
        M: NetlinkSerializable + NetlinkDeserializable,
    {
        // Its acknowledgement is the end of the answer.
        Ok(self.ask(question, NLM_F_ACK)?.messages)
    }

    fn ask<M>(&mut self, question: M, flags: u16) -> Result<Answer<M>, Unavailable>
    where
        M: NetlinkSerializable + NetlinkDeserializable,
    {
        self.sequence = self.sequence.wrapping_add(1);
        let mut header = NetlinkHeader::default();
        header.flags = NLM_F_REQUEST | flags;
        header.sequence_number = self.sequence;
        let mut message = NetlinkMessage::new(header, NetlinkPayload::InnerMessage(question));
        message.finalize();
        let mut bytes = vec![0; message.buffer_len()];
        message.serialize(&mut bytes);
        self.socket.send(&bytes, 0)?;
        self.answer()
    }

    fn answer<M: NetlinkDeserializable>(&self) -> Result<Answer<M>, Unavailable> {
        let mut answer = Answer {
            messages: Vec::new(),
            is_torn: false,
        };
        loop {
            let (bytes, _) = self.socket.recv_from_full()?;
            if answer.take(&bytes, self.sequence)? {
                return Ok(answer);
            }
        }
    }
}

impl<M: NetlinkDeserializable> Answer<M> {
    /// Takes the messages of one read; true if the last one was among them.
    fn take(&mut self, mut bytes: &[u8], sequence: u32) -> Result<bool, Unavailable> {
        while !bytes.is_empty() {
            let message = NetlinkMessage::<M>::deserialize(bytes)?;
            bytes = behind(bytes, &message.header);
            if message.header.sequence_number != sequence {
                continue;
            }
            self.is_torn |= message.header.flags & NLM_F_DUMP_INTR != 0;
            match message.payload {
                NetlinkPayload::InnerMessage(message) => self.messages.push(message),
                NetlinkPayload::Done(done) if done.code < 0 => return Err(refused(done.code)),
                NetlinkPayload::Done(_) => return Ok(true),
                NetlinkPayload::Error(error) if error.code.is_some() => {
                    return Err(error.to_io().into());
                }
                NetlinkPayload::Error(_) => return Ok(true),
                _ => {}
            }
        }
        Ok(false)
    }
}

/// What follows a message, which begins at a multiple of [`NLMSG_ALIGNTO`].
fn behind<'a>(bytes: &'a [u8], header: &NetlinkHeader) -> &'a [u8] {
    let length = usize::try_from(header.length).unwrap_or(usize::MAX);
    let next = length.checked_next_multiple_of(usize::from(NLMSG_ALIGNTO));
    next.and_then(|next| bytes.get(next..)).unwrap_or_default()
}

fn refused(code: i32) -> Unavailable {
    io::Error::from_raw_os_error(code.saturating_neg()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use netlink_packet_route::RouteNetlinkMessage;

    /// A message without content: length, type, flags, sequence number.
    fn message(kind: u16, flags: u16, sequence: u32, body: &[u8]) -> Vec<u8> {
        let length = u32::try_from(16 + body.len()).unwrap();
        let mut bytes = length.to_ne_bytes().to_vec();
        bytes.extend(kind.to_ne_bytes());
        bytes.extend(flags.to_ne_bytes());
        bytes.extend(sequence.to_ne_bytes());
        bytes.extend([0; 4]);
        bytes.extend(body);
        bytes
    }

    fn taken(bytes: &[u8]) -> Result<(bool, Answer<RouteNetlinkMessage>), Unavailable> {
        let mut answer = Answer {
            messages: Vec::new(),
            is_torn: false,
        };
        let is_last = answer.take(bytes, 7)?;
        Ok((is_last, answer))
    }

    const NEW_LINK: u16 = 16;
    const DONE: u16 = 3;
    const ERROR: u16 = 2;

    #[test]
    fn an_answer_ends_where_the_kernel_says_so() {
        let link = message(NEW_LINK, 0, 7, &[0; 16]);
        let (is_last, answer) = taken(&[&link[..], &link].concat()).unwrap();
        assert!(!is_last && !answer.is_torn);
        assert_eq!(answer.messages.len(), 2);
        let done = message(DONE, 0, 7, &[0; 4]);
        let (is_last, answer) = taken(&[link, done].concat()).unwrap();
        assert!(is_last);
        assert_eq!(answer.messages.len(), 1);
    }

    #[test]
    fn a_list_that_changed_is_torn_and_older_answers_are_passed_over() {
        let older = message(NEW_LINK, 0, 6, &[0; 16]);
        let torn = message(NEW_LINK, NLM_F_DUMP_INTR, 7, &[0; 16]);
        let (_, answer) = taken(&[older, torn].concat()).unwrap();
        assert!(answer.is_torn);
        assert_eq!(answer.messages.len(), 1);
    }

    #[test]
    fn refusals_and_garbage_are_errors() {
        let denied = message(
            ERROR,
            0,
            7,
            &[&(-1_i32).to_ne_bytes()[..], &[0; 16]].concat(),
        );
        assert!(matches!(taken(&denied), Err(Unavailable::Refused(_))));
        let failed = message(DONE, 0, 7, &(-12_i32).to_ne_bytes());
        assert!(matches!(taken(&failed), Err(Unavailable::Refused(_))));
        for bytes in [&[0; 16][..], &[1; 7], &message(NEW_LINK, 0, 7, &[])] {
            assert!(matches!(taken(bytes), Err(Unavailable::Garbled(_))));
        }
    }
}
