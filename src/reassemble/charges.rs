//! The memory that datagrams are charged with.

use super::datagram::Datagram;

/// Memory of all datagrams that are not whole.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Charges {
    /// All of it, in bytes.
    pub(super) bytes: usize,
    /// The part that is bytes kept without a first fragment.
    pub(super) headless_bytes: usize,
}

impl Charges {
    /// Brings what a datagram is charged with up to date.
    #[inline]
    pub(super) fn charge(&mut self, datagram: &mut Datagram) {
        let now = Self {
            bytes: datagram.memory_bytes(),
            headless_bytes: datagram.headless_bytes(),
        };
        self.release(datagram);
        self.bytes += now.bytes;
        self.headless_bytes += now.headless_bytes;
        datagram.charged = now;
    }

    /// Takes back what a datagram is charged with.
    #[inline]
    pub(super) fn release(&mut self, datagram: &Datagram) {
        self.bytes -= datagram.charged.bytes;
        self.headless_bytes -= datagram.charged.headless_bytes;
    }
}
