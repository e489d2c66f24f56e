//! A compiler beside the library: the proved program of a specialization becomes machine code for the GPU at hand.
//!
//! It runs when a specialization is first called on an architecture that nothing is embedded for, once for each program
//! and architecture in a process; whoever asks meanwhile waits. What came of it stays: a failure is not tried again.

mod cache;
mod compiler;
mod place;
mod process;
mod scratch;

use std::sync::{Mutex, OnceLock, PoisonError};

use crate::codes::Code;
use crate::declared::{Aligned, Program};
use crate::fault::{Fault, CALL};

/// Why there is no machine code.
#[derive(Clone, Debug)]
struct Failure {
    code: Code,
    text: String,
}

impl Failure {
    fn new(code: Code, text: String) -> Failure {
        Failure { code, text }
    }
}

/// A program that was asked for on an architecture, and what came of it.
struct Asked {
    sha256: &'static str,
    target: u32,
    answer: OnceLock<Result<&'static [u8], Failure>>,
}

/// The record of a program on an architecture. Few are ever asked for, and each of them once in a context.
fn asked(program: &Program, target: u32) -> &'static Asked {
    static ALL: Mutex<Vec<&'static Asked>> = Mutex::new(Vec::new());
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let is_same = |one: &&&Asked| one.sha256 == program.sha256 && one.target == target;
    if let Some(known) = all.iter().find(is_same) {
        return known;
    }
    let new: &'static Asked = Box::leak(Box::new(Asked {
        sha256: program.sha256,
        target,
        answer: OnceLock::new(),
    }));
    all.push(new);
    new
}

/// The machine code of a program for an architecture, from the cache or from the compiler.
pub fn compiled(program: &Program, target: u32) -> Result<&'static [u8], Fault> {
    let answer = &asked(program, target).answer;
    match answer.get_or_init(|| made(program, target)) {
        Ok(cubin) => Ok(cubin),
        Err(failure) => Err(Fault::of(failure.code, CALL).found(target.into(), 0)),
    }
}

/// What a refusal says of a program that was not compiled.
pub fn why_not(program: &Program, target: u32) -> &'static str {
    match asked(program, target).answer.get() {
        Some(Err(failure)) => &failure.text,
        _ => "there is no machine code for this device",
    }
}

fn made(program: &Program, target: u32) -> Result<&'static [u8], Failure> {
    let compiler = compiler::compiler()?;
    let cached = cache::Cached::new(program.sha256, &compiler.version, target);
    if let Some(cubin) = cached.as_ref().and_then(cache::Cached::read) {
        return Ok(kept(&cubin));
    }
    let cubin = compiler.compile(program.bytecode, target)?;
    if let Some(cached) = cached {
        cached.write(&cubin);
    }
    Ok(kept(&cubin))
}

/// Machine code as long as the process lives, aligned as the driver wants it: later contexts load it again.
fn kept(cubin: &[u8]) -> &'static [u8] {
    let mut lines: Vec<Aligned<[u8; 64]>> = Vec::new();
    for part in cubin.chunks(64) {
        let mut line = Aligned([0; 64]);
        line.0[..part.len()].copy_from_slice(part);
        lines.push(line);
    }
    let lines = lines.leak();
    // SAFETY: an `Aligned` of 64 bytes has no others, so the lines are one run of bytes, at least as long as the code.
    unsafe { core::slice::from_raw_parts(lines.as_ptr().cast(), cubin.len()) }
}

/// Whether this is machine code, and all of it: a 64-bit ELF file for CUDA whose last part, the table of sections, is there.
fn is_whole(cubin: &[u8]) -> bool {
    const CUDA: u64 = 190;
    let number = |at: usize, bytes: usize| {
        let mut word = [0; 8];
        word[..bytes].copy_from_slice(&cubin[at..at + bytes]);
        u64::from_le_bytes(word)
    };
    if cubin.len() < 64 || !cubin.starts_with(b"\x7fELF\x02") || number(18, 2) != CUDA {
        return false;
    }
    let sections = number(58, 2) * number(60, 2);
    let end = number(40, 8).checked_add(sections);
    end.is_some_and(|end| end <= cubin.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    pub fn elf(sections: u16, rest: &[u8]) -> Vec<u8> {
        let mut file = vec![0; 64];
        file[..5].copy_from_slice(b"\x7fELF\x02");
        file[18] = 190;
        file[40] = 64;
        file[58] = 64;
        file[60..62].copy_from_slice(&sections.to_le_bytes());
        file.extend_from_slice(rest);
        file
    }

    #[test]
    fn machine_code_is_whole_or_none() {
        let whole = elf(2, &[7; 128]);
        assert!(is_whole(&whole) && is_whole(&elf(0, b"")));
        assert!(!is_whole(&whole[..191]) && !is_whole(b"") && !is_whole(&[0; 64]));
        let mut other = whole.clone();
        other[18] = 62;
        assert!(!is_whole(&other));
        let mut far = whole;
        far[40..48].fill(0xff);
        assert!(!is_whole(&far));
    }

    #[test]
    fn kept_code_is_aligned_and_the_same() {
        let code: Vec<u8> = (0..1000).map(|byte| byte as u8).collect();
        let kept = kept(&code);
        assert_eq!(kept, code);
        assert_eq!(kept.as_ptr() as usize % 64, 0);
    }
}
