//! Facts that a proof assumes of a launch, as claims on sums and products of what the host knows of it.

use crate::launch::Call;

/// A claim, and the sentence in which proof.json states it.
pub struct Relation {
    pub text: &'static str,
    /// Summands: a number times the product of the factors.
    pub terms: &'static [(i64, &'static [Factor])],
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

/// What an atom stands for, or how many tiles of `per` that has, rounded up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Factor {
    pub atom: Atom,
    pub per: i64,
}

/// A number that the host knows before the launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Atom {
    Extent(u8, u8),
    Stride(u8, u8),
    Scalar(u8),
    Grid(u8),
}

impl Relation {
    /// Whether it holds; not where the numbers are too large to say.
    pub fn holds(&self, call: &Call) -> bool {
        let sum = self.terms.iter().try_fold(0i128, |sum, &(times, factors)| {
            let start = Some(i128::from(times));
            let term = factors.iter().fold(start, |product, factor| {
                product?.checked_mul(factor.value(call))
            });
            sum.checked_add(term?)
        });
        let Some(sum) = sum else { return false };
        match self.claim {
            Claim::Zero => sum == 0,
            Claim::NotZero => sum != 0,
            Claim::Positive => sum > 0,
            Claim::DivisibleBy(divisor) => sum % i128::from(divisor) == 0,
        }
    }
}

impl Factor {
    fn value(&self, call: &Call) -> i128 {
        let per = i128::from(self.per);
        let whole = match self.atom {
            Atom::Extent(argument, axis) => {
                part(call, argument, |t| t.extents().get(axis as usize))
            }
            Atom::Stride(argument, axis) => {
                part(call, argument, |t| t.strides().get(axis as usize))
            }
            Atom::Scalar(argument) => i128::from(call.words[argument as usize] as i64),
            Atom::Grid(axis) => i128::from(call.grid.0[axis as usize]),
        };
        (whole + per - 1).div_euclid(per)
    }
}

fn part(call: &Call, argument: u8, of: impl Fn(&crate::Tensor) -> Option<&i64>) -> i128 {
    call.tensor(argument)
        .and_then(of)
        .copied()
        .unwrap_or(0)
        .into()
}
