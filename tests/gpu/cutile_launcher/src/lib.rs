//! Host time of cutile's own launcher, for `host_time.py`: the two kernels of that table, as ferrotile translates them, launched
//! from a loop in Rust and one by one through a C function.

// The macro writes launchers with as many arguments as the kernels have.
#![allow(clippy::too_many_arguments)]

use std::ffi::c_void;
use std::sync::Arc;
use std::time::Instant;

use cuda_async::device_operation::DeviceOp;
use cuda_core::{Context, Stream};
use cutile::prelude::*;

#[cutile::module]
pub mod kernels {
    use cutile::core::*;
    use ferrotile_prelude::prelude::*;

    #[cutile::entry()]
    pub unsafe fn vector_add(
        a: &Tensor<f32, { [-1] }>,
        b: &Tensor<f32, { [-1] }>,
        total: &Tensor<f32, { [-1] }>,
    ) {
        let block = get_tile_block_id().0;
        let left = load(a, [block], shape![1024]);
        let right = load(b, [block], shape![1024]);
        let total_tile = left + right;
        unsafe { store(total, [block], total_tile) };
    }

    #[cutile::entry()]
    pub unsafe fn add_nine(
        a: &Tensor<f32, { [-1] }>,
        b: &Tensor<f32, { [-1] }>,
        c: &Tensor<f32, { [-1] }>,
        d: &Tensor<f32, { [-1] }>,
        e: &Tensor<f32, { [-1] }>,
        f: &Tensor<f32, { [-1] }>,
        g: &Tensor<f32, { [-1] }>,
        h: &Tensor<f32, { [-1] }>,
        i: &Tensor<f32, { [-1] }>,
        total: &Tensor<f32, { [-1] }>,
    ) {
        let block = get_tile_block_id().0;
        let a_tile = load(a, [block], shape![1024]);
        let b_tile = load(b, [block], shape![1024]);
        let c_tile = load(c, [block], shape![1024]);
        let d_tile = load(d, [block], shape![1024]);
        let low = a_tile + b_tile + c_tile + d_tile;
        let e_tile = load(e, [block], shape![1024]);
        let f_tile = load(f, [block], shape![1024]);
        let g_tile = load(g, [block], shape![1024]);
        let h_tile = load(h, [block], shape![1024]);
        let high = e_tile + f_tile + g_tile + h_tile;
        let i_tile = load(i, [block], shape![1024]);
        let total_tile = low + high + i_tile;
        unsafe { store(total, [block], total_tile) };
    }
}

type Vector = Arc<Tensor<f32>>;

/// Two sets of vectors on a borrowed stream.
pub struct Bench {
    stream: Arc<Stream>,
    sets: [Vec<Vector>; 2],
}

impl Bench {
    fn launch(&self, set: usize) -> Result<(), String> {
        let v = |index: usize| self.sets[set][index].clone();
        let grid = (1, 1, 1);
        // SAFETY: the caller keeps the vectors and the stream, and orders all work on that one stream.
        let launched = unsafe {
            match self.sets[set].len() {
                3 => kernels::vector_add(v(0), v(1), v(2))
                    .grid(grid)
                    .async_on(&self.stream)
                    .map(drop),
                10 => kernels::add_nine(v(0), v(1), v(2), v(3), v(4), v(5), v(6), v(7), v(8), v(9))
                    .grid(grid)
                    .async_on(&self.stream)
                    .map(drop),
                count => return Err(format!("no kernel of {count} arrays")),
            }
        };
        launched.map_err(|error| error.to_string())
    }
}

/// The bench of two sets of `arrays` vectors of `count` f32 elements, whose addresses are `addresses`, in turn.
///
/// # Safety
/// The context, the stream and the memory live until the bench is no longer used; `addresses` has 2 * `arrays` entries.
#[no_mangle]
pub unsafe extern "C" fn cutile_bench(
    context: *mut c_void,
    stream: *mut c_void,
    addresses: *const u64,
    arrays: usize,
    count: i32,
) -> *mut Bench {
    let context = unsafe { Context::borrow_raw(context, 0, 0) };
    let stream = unsafe { Stream::borrow_raw(stream, &context) };
    let vector = |address: u64| unsafe {
        Arc::new(Tensor::<f32>::borrow_raw_parts(
            address,
            context.clone(),
            vec![count],
            vec![1],
        ))
    };
    let addresses = unsafe { std::slice::from_raw_parts(addresses, 2 * arrays) };
    let set = |one: &[u64]| one.iter().map(|address| vector(*address)).collect();
    let sets = [set(&addresses[..arrays]), set(&addresses[arrays..])];
    Box::into_raw(Box::new(Bench { stream, sets }))
}

/// One launch with a set of vectors; 0, or 1 after a message on stderr.
///
/// # Safety
/// `bench` is what `cutile_bench` gave.
#[no_mangle]
pub unsafe extern "C" fn cutile_launch(bench: *const Bench, set: usize) -> i32 {
    match unsafe { &*bench }.launch(set) {
        Ok(()) => 0,
        Err(message) => {
            eprintln!("{message}");
            1
        }
    }
}

/// Nanoseconds a launch of a loop in Rust, the sets in turn; negative where a launch fails.
///
/// # Safety
/// `bench` is what `cutile_bench` gave.
#[no_mangle]
pub unsafe extern "C" fn cutile_ns(bench: *const Bench, times: usize) -> f64 {
    let began = Instant::now();
    for round in 0..times {
        if unsafe { cutile_launch(bench, round % 2) } != 0 {
            return -1.0;
        }
    }
    began.elapsed().as_nanos() as f64 / times as f64
}
