//! Facts that a proof assumes of a launch, as linear claims on what the host knows of it.

use crate::launch::Call;

/// A claim, and the sentence in which proof.json states it.
pub struct Relation {
    pub text: &'static str,
    /// Summands: a number times what the atom stands for.
    pub terms: &'static [(i64, Atom)],
    pub claim: Claim,
}

/// What the sum of the terms must be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    Zero,
    NotZero,
    Positive,
    DivisibleBy(i64),
}

/// A number that the host knows before the launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Atom {
    One,
    Extent(u8, u8),
    Stride(u8, u8),
    Scalar(u8),
    Grid(u8),
}

impl Relation {
    pub fn holds(&self, call: &Call) -> bool {
        let value = |atom: Atom| -> i128 {
            match atom {
                Atom::One => 1,
                Atom::Extent(argument, axis) => {
                    part(call, argument, |t| t.extents().get(axis as usize))
                }
                Atom::Stride(argument, axis) => {
                    part(call, argument, |t| t.strides().get(axis as usize))
                }
                Atom::Scalar(argument) => i128::from(call.words[argument as usize] as i64),
                Atom::Grid(axis) => i128::from(call.grid.0[axis as usize]),
            }
        };
        let sum: i128 = self
            .terms
            .iter()
            .map(|&(times, atom)| i128::from(times) * value(atom))
            .sum();
        match self.claim {
            Claim::Zero => sum == 0,
            Claim::NotZero => sum != 0,
            Claim::Positive => sum > 0,
            Claim::DivisibleBy(divisor) => sum % i128::from(divisor) == 0,
        }
    }
}

fn part(call: &Call, argument: u8, of: impl Fn(&crate::Tensor) -> Option<&i64>) -> i128 {
    call.tensor(argument)
        .and_then(of)
        .copied()
        .unwrap_or(0)
        .into()
}
