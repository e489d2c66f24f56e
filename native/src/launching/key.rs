//! What the program of a launch can depend on, as words that can be compared.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString, PyTuple, PyType};

use super::exchange::{Readers, View};
use super::number::{float, integer};
use super::source::Number;

/// cuda.tile tells addresses apart by whether they are multiples of this. Unit: bytes.
const ALIGNMENT: u64 = 16;
const DEEPEST_TUPLE: usize = 8;

/// Stands for a kernel with its hints: two with the same are the same. `declared`: which parameters are constants.
#[pyclass(frozen, module = "ferrotile._native")]
pub struct Mark {
    number: u64,
    declared: Vec<bool>,
}

#[pymethods]
impl Mark {
    #[new]
    fn new(number: u64, declared: Vec<bool>) -> Mark {
        Mark { number, declared }
    }
}

#[repr(u64)]
#[derive(Clone, Copy)]
enum Tag {
    Array = 1,
    Integer,
    Float,
    Bool,
    Absent,
    Text,
    Same,
    Tuple,
}

/// An array of a launch; its extents and strides stand in the key, from `first` on.
pub struct Array {
    pub address: u64,
    first: usize,
    rank: usize,
}

/// The arguments of one launch, taken apart. Kept from one launch to the next for its memory.
#[derive(Default)]
pub struct Taken {
    pub key: Vec<u64>,
    pub arrays: Vec<Array>,
    /// All that is no array, constants included, in the order of the arguments.
    pub numbers: Vec<Number>,
    /// Objects that are known by their address: who keeps the key keeps them.
    pub kept: Vec<usize>,
}

impl Taken {
    pub fn extent(&self, array: usize, axis: usize) -> Option<i64> {
        let array = self.arrays.get(array)?;
        (axis < array.rank).then(|| self.key[array.first + axis] as i64)
    }

    pub fn stride(&self, array: usize, axis: usize) -> Option<i64> {
        let array = self.arrays.get(array)?;
        (axis < array.rank).then(|| self.key[array.first + array.rank + axis] as i64)
    }
}

/// What is asked of all arguments.
pub struct Taking<'a> {
    pub readers: &'a mut Readers,
    /// Types whose objects never change: constants of them are known by their address.
    pub unchanging: &'a [Py<PyType>],
    pub taken: &'a mut Taken,
}

impl Taking<'_> {
    /// Takes a launch apart; None if some argument is of no kind that is known here.
    pub fn all(&mut self, context: u64, mark: &Mark, arguments: &Bound<'_, PyTuple>) -> Option<()> {
        let taken = &mut *self.taken;
        taken.key.clear();
        taken.arrays.clear();
        taken.numbers.clear();
        taken.kept.clear();
        if arguments.len() != mark.declared.len() {
            return None;
        }
        taken.key.extend([context, mark.number]);
        for (argument, is_constant) in arguments.iter_borrowed().zip(&mark.declared) {
            self.one(&argument, *is_constant, 0)?;
        }
        Some(())
    }

    fn one(&mut self, value: &Bound<'_, PyAny>, is_constant: bool, depth: usize) -> Option<()> {
        if let Some(number) = integer(value) {
            return self.number(
                Tag::Integer,
                number as u64,
                Number::Integer(number),
                is_constant,
            );
        }
        if let Some(view) = self.readers.read(value) {
            return self.array(&view);
        }
        if let Ok(items) = value.cast_exact::<PyTuple>() {
            return self.tuple(items, depth);
        }
        let (tag, word, number) = self.scalar(value)?;
        self.number(tag, word, number, is_constant)?;
        match tag {
            Tag::Text => self.text(value),
            _ => Some(()),
        }
    }

    fn number(&mut self, tag: Tag, word: u64, number: Number, is_constant: bool) -> Option<()> {
        self.taken.numbers.push(number);
        self.taken.key.push(tag as u64);
        if is_constant || matches!(number, Number::Other) {
            self.taken.key.push(word);
        }
        Some(())
    }

    /// What an argument is, its bits as a constant, and as a number.
    fn scalar(&mut self, value: &Bound<'_, PyAny>) -> Option<(Tag, u64, Number)> {
        if let Some(number) = float(value) {
            return Some((Tag::Float, number.to_bits(), Number::Float(number)));
        }
        if value.is_exact_instance_of::<PyBool>() {
            let number = i64::from(value.is_truthy().ok()?);
            return Some((Tag::Bool, number as u64, Number::Integer(number)));
        }
        if value.is_none() {
            return Some((Tag::Absent, 0, Number::Other));
        }
        if value.is_exact_instance_of::<PyString>() {
            let length = value.len().ok()?;
            return Some((Tag::Text, length as u64, Number::Other));
        }
        let kind = value.get_type_ptr().cast();
        if self.unchanging.iter().any(|known| known.as_ptr() == kind) {
            let address = value.as_ptr() as usize;
            self.taken.kept.push(address);
            return Some((Tag::Same, address as u64, Number::Other));
        }
        None
    }

    /// A character is a word: the number of words is known from the length.
    fn text(&mut self, text: &Bound<'_, PyAny>) -> Option<()> {
        let text = text.cast::<PyString>().ok()?.to_str().ok()?;
        self.taken.key.extend(text.chars().map(u64::from));
        Some(())
    }

    /// Items of a tuple can be constants one by one.
    fn tuple(&mut self, items: &Bound<'_, PyTuple>, depth: usize) -> Option<()> {
        if depth == DEEPEST_TUPLE {
            return None;
        }
        self.taken
            .key
            .extend([Tag::Tuple as u64, items.len() as u64]);
        for item in items.iter_borrowed() {
            self.one(&item, true, depth + 1)?;
        }
        Some(())
    }

    fn array(&mut self, view: &View) -> Option<()> {
        // SAFETY: the arguments hold the tensor, and it was read just now.
        let (shape, strides) = unsafe { view.shape_and_strides() };
        let (dtype, rank) = (view.dtype, shape.len());
        let bytes = reach(shape, strides)?.saturating_mul(u64::from(dtype.bits).div_ceil(8));
        if bytes > 0 && (view.address == 0 || view.address.checked_add(bytes).is_none()) {
            return None;
        }
        let kind =
            u64::from(dtype.code) | u64::from(dtype.bits) << 8 | u64::from(dtype.lanes) << 16;
        let key = &mut self.taken.key;
        key.push(Tag::Array as u64 | (rank as u64) << 8 | u64::from(view.device as u32) << 32);
        key.push(kind | (view.address % ALIGNMENT) << 32);
        let (address, first) = (view.address, key.len());
        key.extend(shape.iter().map(|&extent| extent as u64));
        key.extend(strides.iter().map(|&stride| stride as u64));
        self.taken.arrays.push(Array {
            address,
            first,
            rank,
        });
        Some(())
    }
}

/// Elements from the first one in memory to behind the last; None for extents and strides that no tensor of torch has.
fn reach(shape: &[i64], strides: &[i64]) -> Option<u64> {
    let mut last = 0u64;
    for (&extent, &stride) in shape.iter().zip(strides) {
        let (extent, stride) = (u64::try_from(extent).ok()?, u64::try_from(stride).ok()?);
        let Some(steps) = extent.checked_sub(1) else {
            return Some(0);
        };
        last = last.saturating_add(steps.saturating_mul(stride));
    }
    Some(last.saturating_add(1))
}
