//! The blocks of a pcapng file in big-endian order, with the texts in them.

/// Block types.
pub const SECTION: u32 = 0x0a0d_0d0a;
pub const INTERFACE: u32 = 1;
pub const PACKET: u32 = 6;
pub const STATISTICS: u32 = 5;
/// For local use: room for comments.
pub const ROOM: u32 = 0x8000_0000;

/// Option codes.
pub const COMMENT: u16 = 1;
pub const NAME: u16 = 2;

/// One block.
pub struct Block {
    pub kind: u32,
    /// Code and content of each option.
    options: Vec<(u16, Vec<u8>)>,
}

impl Block {
    /// The texts of its options of this code.
    pub fn texts(&self, code: u16) -> Vec<String> {
        let options = self.options.iter().filter(|(known, _)| *known == code);
        options
            .map(|(_, text)| String::from_utf8(text.clone()).unwrap())
            .collect()
    }
}

/// The blocks of a file; anything else than whole ones fails.
pub fn blocks(mut file: &[u8]) -> Vec<Block> {
    let mut blocks = Vec::new();
    while !file.is_empty() {
        let (kind, length) = (u32_at(file, 0), u32_at(file, 4) as usize);
        assert_eq!(u32_at(file, length - 4) as usize, length, "both lengths");
        let body = &file[8..length - 4];
        let options = match kind {
            SECTION => 16,
            INTERFACE => 8,
            PACKET => 20 + (u32_at(body, 12) as usize).next_multiple_of(4),
            STATISTICS => 12,
            _ => body.len(),
        };
        blocks.push(Block {
            kind,
            options: options_of(&body[options..]),
        });
        file = &file[length..];
    }
    blocks
}

/// The texts of options of this code in all blocks of this kind.
pub fn texts(file: &[u8], kind: u32, code: u16) -> Vec<String> {
    let blocks = blocks(file).into_iter().filter(|block| block.kind == kind);
    blocks.flat_map(|block| block.texts(code)).collect()
}

fn options_of(mut bytes: &[u8]) -> Vec<(u16, Vec<u8>)> {
    let mut options = Vec::new();
    while bytes.len() >= 4 {
        let word = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
        let (code, length) = (word(0), usize::from(word(2)));
        if code == 0 {
            break;
        }
        options.push((code, bytes[4..4 + length].to_vec()));
        bytes = &bytes[4 + length.next_multiple_of(4)..];
    }
    options
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap())
}
