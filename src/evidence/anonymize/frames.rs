//! Frames with nothing of the original in them.

use super::Anonymizer;
use super::datagrams::Datagrams;
use super::pieces::Pieces;
use super::rewrite::{Known, Rewrite};
use crate::decode::{DecodeOptions, Decoder};
use crate::evidence::pcapng::InterfaceFacts;
use crate::evidence::{Kept, KeptFrame};
use crate::model::facts::Packet;

impl Anonymizer {
    /// The same frames with nothing of the original in them: lengths, times, fragments and
    /// the class of every checksum are as they were. Comments and names are dropped.
    pub fn frames(&self, kept: &Kept, decode: &DecodeOptions) -> Kept {
        let mut decoder = Decoder::new(decode);
        let datagrams = Datagrams::of(kept, &mut decoder, decode, self.reassembly);
        let pieces = Pieces::of(self, &datagrams, &mut decoder);
        let mut packet = Packet::default();
        let frames = kept.frames.iter().map(|frame| {
            decoder.frame(&frame.as_frame(), &mut packet);
            let known = Known {
                map: self,
                scopes: decoder.scopes(),
                pieces: &pieces,
            };
            KeptFrame {
                data: Rewrite::frame(known, frame.link_type, &frame.data, &packet),
                comment: None,
                ..frame.clone()
            }
        });
        let frames = frames.collect();
        let interfaces = (1..).zip(&kept.interfaces);
        Kept {
            interfaces: interfaces
                .map(|(number, interface)| InterfaceFacts {
                    name: format!("interface-{number}"),
                    description: String::new(),
                    link_type: interface.link_type,
                    snaplen: interface.snaplen,
                })
                .collect(),
            statistics: kept.statistics.clone(),
            frames,
        }
    }
}
