//! Files whose SHA-256 is known: of what is written, while it is written.

use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

/// Bytes that are read of a file at once.
const PIECE_BYTES: usize = 256 * 1024;

/// What identifies the content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hashed {
    /// Its length.
    pub bytes: u64,
    /// Its SHA-256 in lower-case hex, as `sha256sum` prints it.
    pub sha256: String,
}

/// Hands on what is written, and knows its hash in the end.
pub struct HashingWriter<W> {
    output: W,
    hash: Sha256,
    bytes: u64,
}

impl<W: Write> HashingWriter<W> {
    /// Writes to this.
    pub fn new(output: W) -> Self {
        Self {
            output,
            hash: Sha256::new(),
            bytes: 0,
        }
    }

    /// Hands everything on to the output, and the output back.
    pub fn finish(mut self) -> io::Result<(W, Hashed)> {
        self.output.flush()?;
        let hashed = Hashed {
            bytes: self.bytes,
            sha256: hex(self.hash),
        };
        Ok((self.output, hashed))
    }
}

impl<W: Write> Write for HashingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.output.write(bytes)?;
        // Only what was taken is in the file.
        self.hash.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// Reads a file to its end, as it is stored.
pub fn sha256_of(path: &Path) -> io::Result<Hashed> {
    let mut file = File::open(path)?;
    let mut piece = vec![0; PIECE_BYTES];
    let mut sum = HashingWriter::new(io::sink());
    loop {
        match file.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => sum.write_all(&piece[..read])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(sum.finish()?.1)
}

fn hex(hash: Sha256) -> String {
    let digest = hash.finalize();
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use std::fs;
    use std::process::Command;

    #[test]
    fn the_hash_is_that_of_the_standard() {
        let of = |text: &[u8]| {
            let mut writer = HashingWriter::new(Vec::new());
            writer.write_all(text).unwrap();
            let (written, hashed) = writer.finish().unwrap();
            assert_eq!(
                (written.as_slice(), hashed.bytes),
                (text, text.len() as u64)
            );
            hashed.sha256
        };
        // FIPS 180-2, appendix B.
        assert_eq!(
            of(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(
            of(b""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
    }

    #[test]
    fn only_what_was_written_is_hashed() {
        struct Narrow(Vec<u8>);
        impl Write for Narrow {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                let taken = bytes.len().min(3);
                self.0.extend(&bytes[..taken]);
                Ok(taken)
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut whole = HashingWriter::new(Vec::new());
        let mut narrow = HashingWriter::new(Narrow(Vec::new()));
        whole.write_all(b"in pieces of three").unwrap();
        narrow.write_all(b"in pieces of three").unwrap();
        let (written, hashed) = narrow.finish().unwrap();
        assert_eq!(written.0, b"in pieces of three");
        assert_eq!(hashed, whole.finish().unwrap().1);
    }

    #[test]
    fn sha256sum_says_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.html");
        let content: Vec<u8> = (0..3 * PIECE_BYTES + 7)
            .map(|at| (at % 251) as u8)
            .collect();
        let mut writer = HashingWriter::new(File::create(&path).unwrap());
        writer.write_all(&content).unwrap();
        let hashed = writer.finish().unwrap().1;
        assert_eq!(sha256_of(&path).unwrap(), hashed);
        let list = folder.path().join("SHA256SUMS");
        fs::write(&list, format!("{}  report.html\n", hashed.sha256)).unwrap();
        let checked = Command::new("sha256sum")
            .args(["--check", "--strict", "SHA256SUMS"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert_eq!(
            String::from_utf8_lossy(&checked.stdout),
            "report.html: OK\n"
        );
    }

    #[test]
    fn a_missing_file_is_an_error() {
        let missing = sha256_of(Path::new("/nonexistent/capture.pcap"));
        assert!(missing.is_err_and(|error| error.kind() == io::ErrorKind::NotFound));
    }
}
