//! Ordinary frames as they are made for tests: Ethernet, one IP header, UDP or TCP.

use crate::decode::checksum::{add, fold, length, pseudo_of, sum, wide};
use crate::model::facts::LARGEST_MTU;
use crate::model::{Addresses, Protocol, Sum};
use proptest::prelude::*;

/// Bytes of its header.
pub(super) const ETHERNET: usize = 14;
/// Some that tunnels run on, and more that nothing does.
const PORTS: [u16; 8] = [4789, 6081, 4500, 51820, 53, 5001, 12865, 40_000];

/// What the frames of these tests are made of.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub is_v6: bool,
    pub protocol: Protocol,
    pub ports: (u16, u16),
    pub payload: Vec<u8>,
    pub padding: usize,
}

impl Made {
    fn ip_header(&self) -> usize {
        if self.is_v6 { 40 } else { 20 }
    }

    /// The frame, its checksums right.
    pub fn frame(&self) -> Vec<u8> {
        let upper = self.upper();
        let mut frame = vec![0x02; ETHERNET - 2];
        if self.is_v6 {
            frame.extend([0x86, 0xdd, 0x60, 0, 0, 0]);
            frame.extend((upper.len() as u16).to_be_bytes());
            frame.extend([self.protocol.0, 64]);
            frame.extend((0..32).map(|at| at * 7));
        } else {
            frame.extend([0x08, 0, 0x45, 0]);
            frame.extend((upper.len() as u16 + 20).to_be_bytes());
            frame.extend([0x12, 0x34, 0x40, 0, 64, self.protocol.0, 0, 0]);
            frame.extend([10, 0, 0, 1, 10, 0, 0, 2]);
        }
        frame.extend(upper);
        self.repair(&mut frame);
        frame.extend(vec![0x55; self.padding]);
        frame
    }

    fn upper(&self) -> Vec<u8> {
        let ports = [self.ports.0.to_be_bytes(), self.ports.1.to_be_bytes()];
        let mut upper = ports.concat();
        if self.protocol == Protocol::UDP {
            upper.extend((self.payload.len() as u16 + 8).to_be_bytes());
            upper.extend([0, 0]);
        } else {
            upper.extend([0, 0, 0, 1, 0, 0, 0, 2, 0x50, 0x10, 1, 1, 0, 0, 0, 0]);
        }
        upper.extend(&self.payload);
        upper
    }

    /// Writes the checksums that are right for the bytes as they are, where this was.
    pub fn repair(&self, frame: &mut [u8]) {
        let header = ETHERNET..ETHERNET + self.ip_header();
        let end = header.end + self.upper().len();
        if frame.len() < end {
            return;
        }
        if !self.is_v6 {
            write(&mut frame[header.start + 10..], Sum(0));
            let right = !sum(&frame[header.clone()]).0;
            write(&mut frame[header.start + 10..], Sum(right));
        }
        let bytes = |from: usize, to: usize| frame[header.start + from..header.start + to].to_vec();
        let addresses = match self.is_v6 {
            true => Addresses::v6(
                bytes(8, 24).try_into().unwrap(),
                bytes(24, 40).try_into().unwrap(),
            ),
            false => Addresses::v4(
                bytes(12, 16).try_into().unwrap(),
                bytes(16, 20).try_into().unwrap(),
            ),
        };
        let field = header.end
            + if self.protocol == Protocol::UDP {
                6
            } else {
                16
            };
        write(&mut frame[field..], Sum(0));
        let pseudo = pseudo_of(&addresses, None, None, self.protocol);
        let pseudo = add(pseudo, length((end - header.end) as u32));
        let total = fold(add(pseudo, wide(&frame[header.end..end])));
        write(&mut frame[field..], Sum(!total.0));
    }
}

fn write(to: &mut [u8], sum: Sum) {
    to[..2].copy_from_slice(&sum.0.to_be_bytes());
}

pub(crate) fn made() -> impl Strategy<Value = Made> {
    let port = || prop_oneof![Just(53), prop::sample::select(&PORTS[..]), any::<u16>()];
    let bytes = prop_oneof![
        0..40usize,
        0..300usize,
        Just(1472),
        Just(LARGEST_MTU as usize)
    ];
    let payload = bytes.prop_flat_map(|bytes| prop::collection::vec(any::<u8>(), bytes));
    (
        any::<bool>(),
        any::<bool>(),
        (port(), port()),
        payload,
        0..9usize,
    )
        .prop_map(|(is_v6, is_tcp, ports, payload, padding)| Made {
            is_v6,
            protocol: if is_tcp { Protocol::TCP } else { Protocol::UDP },
            ports,
            payload,
            padding,
        })
}
