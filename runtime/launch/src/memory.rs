//! Which bytes a tensor may touch, and whether those of two tensors can meet.

use crate::abi::{Tensor, MAX_RANK};

/// The bytes from the first that a tensor touches to behind the last; empty where there are no elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub start: u64,
    pub end: u64,
}

impl Span {
    pub const EMPTY: Span = Span { start: 0, end: 0 };

    /// None where it does not fit 64 bits.
    pub fn of(tensor: &Tensor, size: i64) -> Option<Span> {
        if tensor.is_empty() {
            return Some(Span::EMPTY);
        }
        let (mut below, mut above) = (0_i64, size);
        for (&extent, &stride) in tensor.extents().iter().zip(tensor.strides()) {
            let reach = (extent - 1).checked_mul(stride)?.checked_mul(size)?;
            if reach < 0 {
                below = below.checked_add(reach)?;
            } else {
                above = above.checked_add(reach)?;
            }
        }
        Some(Span {
            start: tensor.ptr.checked_add_signed(below)?,
            end: tensor.ptr.checked_add_signed(above)?,
        })
    }

    fn meets(self, other: Span) -> bool {
        self.start < other.end && other.start < self.end
    }
}

/// Axes longer than 1, nearest elements first, as (extent, stride in bytes); strides taken without their sign.
struct Steps {
    steps: [(i64, i64); MAX_RANK],
    count: usize,
}

impl Steps {
    #[inline(always)]
    fn of(tensor: &Tensor, size: i64) -> Steps {
        let mut sorted = Steps {
            steps: [(0, 0); MAX_RANK],
            count: 0,
        };
        // From the last axis, which is nearly always the nearest: then nothing is moved.
        for (&extent, &stride) in tensor.extents().iter().zip(tensor.strides()).rev() {
            if extent > 1 {
                sorted.insert((extent, stride.saturating_abs().saturating_mul(size)));
            }
        }
        sorted
    }

    fn insert(&mut self, step: (i64, i64)) {
        let mut place = self.count;
        while place > 0 && self.steps[place - 1].1 > step.1 {
            self.steps[place] = self.steps[place - 1];
            place -= 1;
        }
        self.steps[place] = step;
        self.count += 1;
    }

    fn iter(&self) -> impl Iterator<Item = &(i64, i64)> {
        self.steps[..self.count].iter()
    }
}

/// Whether two indices may name one element. May say so of interleaved axes that do not, never the other way round.
pub fn may_repeat(tensor: &Tensor, size: i64) -> bool {
    let mut reach = size;
    for &(extent, stride) in Steps::of(tensor, size).iter() {
        if stride < reach {
            return true;
        }
        reach = reach.saturating_add((extent - 1).saturating_mul(stride));
    }
    false
}

/// Whether two tensors may share a byte: exact for dense ones, and for columns of a common matrix.
pub fn may_overlap(first: (&Tensor, i64, Span), second: (&Tensor, i64, Span)) -> bool {
    if !first.2.meets(second.2) {
        return false;
    }
    let (one, other) = (Runs::of(first.0, first.1), Runs::of(second.0, second.1));
    let gap = greatest_divisor(one.gap, other.gap);
    if gap == 0 {
        return true;
    }
    let apart = (i128::from(second.2.start) - i128::from(first.2.start)).rem_euclid(gap.into());
    let (run, other_run) = (i128::from(one.length), i128::from(other.length));
    !(run <= apart && apart + other_run <= gap.into())
}

/// A tensor seen as equal runs of bytes, each a multiple of `gap` behind the first; `gap` is 0 for a single run.
struct Runs {
    length: i64,
    gap: i64,
}

impl Runs {
    fn of(tensor: &Tensor, size: i64) -> Runs {
        let mut runs = Runs {
            length: size,
            gap: 0,
        };
        for &(extent, stride) in Steps::of(tensor, size).iter() {
            if runs.gap == 0 && stride <= runs.length {
                runs.length = runs
                    .length
                    .saturating_add((extent - 1).saturating_mul(stride));
            } else {
                runs.gap = greatest_divisor(runs.gap, stride);
            }
        }
        runs
    }
}

fn greatest_divisor(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensor(ptr: u64, axes: &[(i64, i64)]) -> Tensor {
        let mut tensor = Tensor {
            ptr,
            rank: axes.len() as i32,
            dtype: 0,
            device: 0,
            reserved: 0,
            shape: [0; 8],
            stride: [0; 8],
        };
        for (axis, &(extent, stride)) in axes.iter().enumerate() {
            (tensor.shape[axis], tensor.stride[axis]) = (extent, stride);
        }
        tensor
    }

    /// All bytes, one by one.
    fn bytes(tensor: &Tensor, size: i64) -> Vec<i64> {
        let mut starts = vec![tensor.ptr as i64];
        for (&extent, &stride) in tensor.extents().iter().zip(tensor.strides()) {
            starts = starts
                .iter()
                .flat_map(|start| (0..extent).map(move |i| start + i * stride * size))
                .collect();
        }
        starts
            .iter()
            .flat_map(|start| (0..size).map(move |byte| start + byte))
            .collect()
    }

    fn overlap(a: &Tensor, b: &Tensor, size: i64) -> bool {
        let span = |t: &Tensor| Span::of(t, size).unwrap();
        may_overlap((a, size, span(a)), (b, size, span(b)))
    }

    /// A fixed walk through small numbers: no dependency for randomness.
    fn numbers() -> impl FnMut(i64) -> i64 {
        let mut state = 12345_u64;
        move |limit| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) as i64 % limit
        }
    }

    #[test]
    fn what_is_called_apart_is_apart_and_what_is_called_single_is_single() {
        let mut next = numbers();
        let mut apart = 0;
        for _ in 0..20_000 {
            let size = [1, 2, 4][next(3) as usize];
            let mut any = || {
                let axes: Vec<_> = (0..next(4)).map(|_| (1 + next(4), next(13) - 2)).collect();
                tensor(1000 + next(40) as u64, &axes)
            };
            let (a, b) = (any(), any());
            let (of_a, of_b) = (bytes(&a, size), bytes(&b, size));
            if !overlap(&a, &b, size) {
                apart += 1;
                assert!(
                    of_a.iter().all(|byte| !of_b.contains(byte)),
                    "{a:?} {b:?} {size}"
                );
            }
            if !may_repeat(&a, size) {
                let mut sorted = of_a.clone();
                sorted.sort_unstable();
                sorted.dedup();
                assert_eq!(sorted.len(), of_a.len(), "{a:?} {size}");
            }
            let span = Span::of(&a, size).unwrap();
            assert_eq!(
                (span.start as i64, span.end as i64),
                (*of_a.iter().min().unwrap(), *of_a.iter().max().unwrap() + 1)
            );
        }
        assert!(apart > 2000, "{apart}");
    }

    #[test]
    fn columns_of_one_matrix_do_not_overlap() {
        let query = tensor(4096, &[(10, 192), (64, 1)]);
        let key = tensor(4096 + 64 * 4, &[(10, 192), (64, 1)]);
        let late = tensor(4096 + 63 * 4, &[(10, 192), (64, 1)]);
        assert!(!overlap(&query, &key, 4));
        assert!(overlap(&query, &late, 4));
    }

    #[test]
    fn a_span_beyond_64_bits_is_none() {
        assert_eq!(Span::of(&tensor(u64::MAX - 10, &[(4, 1)]), 4), None);
        assert_eq!(Span::of(&tensor(0, &[(2, i64::MAX)]), 4), None);
        assert_eq!(
            Span::of(&tensor(0, &[(2, i64::MAX), (0, 1)]), 4),
            Some(Span::EMPTY)
        );
    }
}
