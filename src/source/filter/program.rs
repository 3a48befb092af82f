//! Classic BPF run by hand, for the one case libpcap is not given what it needs.
//!
//! The crate's call into libpcap names the captured length as the length on the
//! wire. For programs that load the length (`greater`, `less`, `len`) and frames
//! that were cut, the program is run here with both. McCanne and Jacobson, "The BSD
//! Packet Filter", and libpcap's bpf_filter.c are what it follows.

/// Most steps of one run: programs for `protochain` jump backwards.
const MAX_STEPS: usize = 100_000;

/// `ld len` and `ldx len`.
const LOAD_LENGTH: [u16; 2] = [0x80, 0x81];
/// `jset`, of a constant.
const JUMP_IF_SET: u16 = 0x45;
/// The offset in the fragment field of an IPv4 header.
const FRAGMENT_OFFSET: u32 = 0x1fff;

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Instruction {
    code: u16,
    if_true: u8,
    if_false: u8,
    constant: u32,
}

impl Instruction {
    /// From the four numbers `tcpdump -ddd` prints, which is all the crate shows of it.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let mut numbers = line.split_whitespace();
        Some(Self {
            code: numbers.next()?.parse().ok()?,
            if_true: numbers.next()?.parse().ok()?,
            if_false: numbers.next()?.parse().ok()?,
            constant: numbers.next()?.parse().ok()?,
        })
    }
}

/// A compiled expression.
#[derive(Clone, Debug)]
pub(super) struct Program(Vec<Instruction>);

impl FromIterator<Instruction> for Program {
    fn from_iter<I: IntoIterator<Item = Instruction>>(instructions: I) -> Self {
        Self(instructions.into_iter().collect())
    }
}

/// Registers of a run.
#[derive(Default)]
struct Machine {
    accumulator: u32,
    index: u32,
    memory: [u32; 16],
}

impl Program {
    /// Whether it depends on the length of the packet on the wire.
    pub(super) fn loads_length(&self) -> bool {
        let mut codes = self.0.iter().map(|instruction| instruction.code);
        codes.any(|code| LOAD_LENGTH.contains(&code))
    }

    /// Whether it tells fragments other than the first apart.
    pub(super) fn tests_fragment_offset(&self) -> bool {
        let mut tests = self.0.iter();
        tests.any(|test| test.code == JUMP_IF_SET && test.constant == FRAGMENT_OFFSET)
    }

    /// Whether a packet matches. Loads beyond what was captured make it not match.
    pub(super) fn matches(&self, data: &[u8], wire_bytes: u32) -> bool {
        let mut machine = Machine::default();
        self.run(&mut machine, data, wire_bytes).unwrap_or(0) != 0
    }

    fn run(&self, machine: &mut Machine, data: &[u8], wire_bytes: u32) -> Option<u32> {
        let mut at = 0_usize;
        for _ in 0..MAX_STEPS {
            let instruction = *self.0.get(at)?;
            at = at.wrapping_add(1);
            let constant = instruction.constant;
            match instruction.code & 0x07 {
                0 => machine.accumulator = machine.load(instruction, data, wire_bytes)?,
                1 => machine.index = machine.load_index(instruction, data, wire_bytes)?,
                2 => *machine.memory.get_mut(constant as usize)? = machine.accumulator,
                3 => *machine.memory.get_mut(constant as usize)? = machine.index,
                4 => machine.accumulator = machine.compute(instruction)?,
                // Sign-extended, since `ja` may go backwards.
                5 => at = at.wrapping_add_signed(machine.jump(instruction)? as isize),
                6 if instruction.code & 0x18 == 0x10 => return Some(machine.accumulator),
                6 => return Some(constant),
                _ if instruction.code & 0xf8 == 0x80 => machine.accumulator = machine.index,
                _ => machine.index = machine.accumulator,
            }
        }
        None
    }
}

impl Machine {
    fn load(&self, instruction: Instruction, data: &[u8], wire_bytes: u32) -> Option<u32> {
        let constant = instruction.constant;
        let at = match instruction.code & 0xe0 {
            0x00 => return Some(constant),
            0x20 => constant,
            0x40 => constant.checked_add(self.index)?,
            0x60 => return self.memory.get(constant as usize).copied(),
            0x80 => return Some(wire_bytes),
            _ => return None,
        };
        let rest = data.get(at as usize..)?;
        match instruction.code & 0x18 {
            0x00 => rest.first_chunk().map(|bytes| u32::from_be_bytes(*bytes)),
            0x08 => rest
                .first_chunk()
                .map(|bytes| u32::from(u16::from_be_bytes(*bytes))),
            _ => rest.first().map(|byte| u32::from(*byte)),
        }
    }

    fn load_index(&self, instruction: Instruction, data: &[u8], wire_bytes: u32) -> Option<u32> {
        let constant = instruction.constant;
        match instruction.code & 0xe0 {
            0x00 => Some(constant),
            0x60 => self.memory.get(constant as usize).copied(),
            0x80 => Some(wire_bytes),
            // Length of an IPv4 header.
            0xa0 => data
                .get(constant as usize)
                .map(|byte| u32::from(byte & 0xf) * 4),
            _ => None,
        }
    }

    fn operand(&self, instruction: Instruction) -> u32 {
        match instruction.code & 0x08 {
            0 => instruction.constant,
            _ => self.index,
        }
    }

    fn compute(&self, instruction: Instruction) -> Option<u32> {
        let (a, b) = (self.accumulator, self.operand(instruction));
        Some(match instruction.code & 0xf0 {
            0x00 => a.wrapping_add(b),
            0x10 => a.wrapping_sub(b),
            0x20 => a.wrapping_mul(b),
            0x30 => a.checked_div(b)?,
            0x40 => a | b,
            0x50 => a & b,
            0x60 => a.checked_shl(b).unwrap_or(0),
            0x70 => a.checked_shr(b).unwrap_or(0),
            0x80 => a.wrapping_neg(),
            0x90 => a.checked_rem(b)?,
            0xa0 => a ^ b,
            _ => return None,
        })
    }

    fn jump(&self, instruction: Instruction) -> Option<i32> {
        let (a, b) = (self.accumulator, self.operand(instruction));
        let holds = match instruction.code & 0xf0 {
            0x00 => return Some(instruction.constant as i32),
            0x10 => a == b,
            0x20 => a > b,
            0x30 => a >= b,
            0x40 => a & b != 0,
            _ => return None,
        };
        Some(i32::from(match holds {
            true => instruction.if_true,
            false => instruction.if_false,
        }))
    }
}
