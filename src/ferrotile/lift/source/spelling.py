"""Spell Python names so that Rust and the cuTile DSL accept them: the same name wherever that is possible."""

from __future__ import annotations

import re
import unicodedata

KEYWORDS = frozenset(
    """
    abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen if
    impl in let loop macro match mod move mut override priv pub ref return self Self static struct super trait true
    try type typeof union unsafe unsized use virtual where while yield
    """.split()
)
"""Words that Rust keeps for itself, in any edition."""

DSL_FUNCTIONS = frozenset(
    """
    absf absi addf addi addptr addptr_tile alloca andi assume_bounds assume_bounds_lower assume_bounds_raw
    assume_bounds_upper assume_div_by assume_div_by_every_along assume_div_by_raw assume_same_elements_1d
    assume_same_elements_2d assume_same_elements_3d assume_same_elements_4d assume_same_elements_raw atan2
    atomic_cas_tko atomic_red_view_raw atomic_red_view_tko atomic_red_view_tko_with_inbounds atomic_rmw_tko bitcast
    broadcast broadcast_ptr broadcast_scalar cast_const cast_mut cast_tile_const cast_tile_mut cat ceil ceil_div
    check_bounded_partition_access check_bounded_partition_access3 check_bounded_partition_access_mut
    check_bounded_partition_access_mut3 check_partition_access check_partition_access_mut cmpf cmpi constant
    convert_scalar convert_tile coord coord2_as_array coord3_as_array cos cosh dim_from_i32 dim_new dim_value divf divi
    eq_tile exp exp2 exp_with_rounding exti extract floor fma fpowf fpowi ftof ftoi ftoi_saturating
    gdc_launch_dependents_tko gdc_wait_tko ge_tile get_global get_index_space_shape get_num_tile_blocks
    get_partition_token get_partition_token_mut get_shape_dim get_tensor_base get_tensor_shape get_tensor_shape_meta
    get_tensor_token get_tile_block_id gt_tile insert int_to_ptr iota itof join_tokens le_tile
    load_gather_scatter_view_tko load_ptr_tko load_strided_view_tko load_tensor load_tile load_tile_like load_tile_mut
    load_view_raw load_view_tko load_view_tko_bounded load_view_tko_mut load_view_tko_valid_check log log2 lt_tile
    make_gather_scatter_view make_mapped_partition_view make_nested_partition_view_mut make_partition_view
    make_partition_view_mut make_strided_view make_tensor_view max max_tile maxf maxi memory_fence_alias_tko min
    min_tile minf mini mma mmaf mmaf_scaled mmaf_with_fast_acc mmai mulf mulhii muli multimem_load_reduce_view_tko
    multimem_reduce_view_tko multimem_store_view_tko ne_tile negf negi new new_token_unordered noti
    num_tiles ori pack partition_index_coords partition_with_bounds partition_with_bounds3 partition_with_bounds_mut
    partition_with_bounds_mut3 permute permute_array pointer_to_tile pow print_tko ptr_to_int ptr_to_ptr
    ptr_with_attr_multicast ptr_with_attr_none ptr_with_attr_unicast reduce reduce_max reduce_min reduce_prod
    reduce_sum remf remi reshape reshape_ptr rsqrt scalar_to_tile scan scan_sum select set_tensor_token shli shri sin
    sinh sqrt store_ptr_tko store_tile store_view_raw store_view_tko_bounded store_view_tko_mapped_mut
    store_view_tko_mut subf subi swizzle_partition_index_2d tan tanh tanh_with_rounding tile_to_pointer tile_to_scalar
    true_div trunci unpack validate_partition_store xori
    """.split()
)
"""Free functions of `cutile::core` 0.5.0: a local variable of that name would hide the function.

`program_id` and `num_programs` are left out: kernels use them as variables, and lifted text calls neither.
"""

PRELUDE_FUNCTIONS = frozenset(
    """
    add_at_masked element element_addresses element_in_bounds gather_elements gather_elements_masked
    gather_elements_masked_padded gather_elements_padded gather_row gather_row_masked gather_row_masked_padded
    gather_row_padded row_addresses row_in_bounds scatter_elements scatter_elements_after scatter_elements_masked
    scatter_elements_masked_after scatter_row scatter_row_after scatter_row_masked scatter_row_masked_after
    store_without_tma write_element write_element_after exp_fast put_after put_ahead put_ahead_after
    put_ahead_without_tma put_without_tma
    tanh_fast
    load_ahead load_from mul_add divide_fast read_at read_at_latency_1 read_at_masked read_at_masked_latency_1 write_at
    write_at_after write_at_after_latency_1 write_at_latency_1 write_at_masked write_at_masked_after
    write_at_masked_after_latency_1 write_at_masked_latency_1
    add_wrapping addresses_1d addresses_2d addresses_3d addresses_4d addresses_5d below constant_from differing
    divide_full extents floor_div floor_mod floor_mod_tile gather_1d gather_2d gather_3d gather_4d gather_5d
    gather_masked_1d gather_masked_2d gather_masked_3d gather_masked_4d gather_masked_5d gather_masked_padded_1d
    gather_masked_padded_2d gather_masked_padded_3d gather_masked_padded_4d gather_masked_padded_5d gather_padded_1d
    gather_padded_2d gather_padded_3d gather_padded_4d gather_padded_5d gather_within_1d gather_within_2d
    gather_within_3d gather_within_4d gather_within_5d gather_within_masked_1d gather_within_masked_2d
    gather_within_masked_3d gather_within_masked_4d gather_within_masked_5d gather_within_masked_padded_1d
    gather_within_masked_padded_2d gather_within_masked_padded_3d gather_within_masked_padded_4d
    gather_within_masked_padded_5d gather_within_padded_1d gather_within_padded_2d gather_within_padded_3d
    gather_within_padded_4d gather_within_padded_5d high_of in_bounds_1d in_bounds_2d in_bounds_3d in_bounds_4d
    in_bounds_5d less_unsigned load load_nan load_neg_inf load_neg_zero load_permuted load_permuted_nan
    load_permuted_neg_inf load_permuted_neg_zero load_permuted_pos_inf load_permuted_zero load_pos_inf load_ptr_padded
    load_zero low_of mask_of max_along_0 max_along_1 max_along_2 max_along_3 max_along_4 min_along_0 min_along_1
    min_along_2 min_along_3 min_along_4 mul_wrapping narrow negate non_negative number pair scatter_1d scatter_2d
    scatter_3d scatter_4d scatter_5d scatter_after_1d scatter_after_2d scatter_after_3d scatter_after_4d
    scatter_after_5d scatter_masked_1d scatter_masked_2d scatter_masked_3d scatter_masked_4d scatter_masked_5d
    scatter_masked_after_1d scatter_masked_after_2d scatter_masked_after_3d scatter_masked_after_4d
    scatter_masked_after_5d scatter_within_1d scatter_within_2d scatter_within_3d scatter_within_4d scatter_within_5d
    scatter_within_after_1d scatter_within_after_2d scatter_within_after_3d scatter_within_after_4d
    scatter_within_after_5d scatter_within_masked_1d scatter_within_masked_2d scatter_within_masked_3d
    scatter_within_masked_4d scatter_within_masked_5d scatter_within_masked_after_1d scatter_within_masked_after_2d
    scatter_within_masked_after_3d scatter_within_masked_after_4d scatter_within_masked_after_5d shift_left store
    add_to_elements arange arange_from as_column as_row cast_for constant_bf16 constant_f16 constant_f32
    constant_for constant_i32 constant_i64 prod_along_0 prod_along_1 prod_along_2 prod_along_3 prod_along_4 spread
    store_ahead sum_along_0 sum_along_1 sum_along_2 sum_along_3 sum_along_4 to_bf16 to_f16 to_f32 to_i32 to_i64
    to_tf32
    store_after strides sub_wrapping tile_of tiles tiles_permuted wide widen
    """.split()
)
"""Functions that a lifted kernel's `use` of our own prelude brings into scope."""

RUST_FUNCTIONS = frozenset({"drop", "main"})
"""Functions that Rust itself brings into scope, or gives a meaning."""

PRIMITIVES = frozenset(
    """
    bool char str i4 i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f16 bf16 f32 f64 tf32 Some None Ok Err
    """.split()
)

TAKEN = KEYWORDS | DSL_FUNCTIONS | PRELUDE_FUNCTIONS | RUST_FUNCTIONS | PRIMITIVES


def rust_name(name: str, otherwise: str = "value") -> str:
    """The Rust variable for a Python variable: the same text unless Rust or the DSL forbids it.

    `otherwise` stands in for names that hold no usable letter, such as `_`. Small letters stay as they are,
    names in capitals stay capitals, mixed case becomes snake case.

    Example:
        >>> [rust_name(n) for n in ("row_max", "in", "exp", "_", "__x", "TILE_M", "dO", "xNorm", "α")]
        ['row_max', 'in_', 'exp_', 'value', 'x', 'TILE_M', 'd_o', 'x_norm', 'alpha']
    """
    text = _ascii(name).lstrip("_")
    if not text or not re.search("[A-Za-z]", text):
        text = f"{otherwise}{text}"
    if text[0].isdigit():
        text = f"{otherwise}_{text}"
    if not _is_constant_case(text):
        text = _snake(text)
    return f"{text}_" if text in TAKEN else text


def variable_name(name: str, otherwise: str = "value") -> str:
    """As `rust_name`, for a run-time variable: capitals become small letters, as rustc's lint wants it.

    Example:
        >>> [variable_name(n) for n in ("K", "Tc", "LSE", "row")]
        ['k', 'tc', 'lse', 'row']
    """
    return _escape(rust_name(name, otherwise).lower())


def constant_name(name: str, otherwise: str = "VALUE") -> str:
    """As `rust_name`, for a const generic or a module constant: all capitals.

    Example:
        >>> [constant_name(n) for n in ("BLOCK_SIZE", "block_m", "N")]
        ['BLOCK_SIZE', 'BLOCK_M', 'N']
    """
    return rust_name(name, otherwise).upper()


def function_name(name: str) -> str:
    """The Rust function for a kernel: snake case, no leading underscore.

    Example:
        >>> function_name("_softmaxKernel")
        'softmax_kernel'
    """
    return _escape(_snake(rust_name(name, "kernel")).lower())


def suffixed(name: str, suffix: str) -> str:
    """A name for a part or relative of a named thing: `x` and `shape0` give `x_shape0`, `in_` gives `in_shape0`."""
    return f"{name.rstrip('_')}_{suffix}"


def _escape(text: str) -> str:
    return f"{text}_" if text in TAKEN else text


def _is_constant_case(text: str) -> bool:
    return text.upper() == text


def _snake(text: str) -> str:
    parted = re.sub("([a-z0-9])([A-Z])", r"\1_\2", text)
    parted = re.sub("([A-Z]+)([A-Z][a-z])", r"\1_\2", parted)
    return parted.lower()


def _ascii(name: str) -> str:
    """Letters outside ASCII by their plain form or their Unicode name: `é` is `e`, `α` is `alpha`."""
    if name.isascii():
        return re.sub(r"\W", "_", name)
    parts: list[str] = []
    for character in unicodedata.normalize("NFKD", name):
        if character.isascii():
            parts.append(character if character.isalnum() or character == "_" else "_")
        elif not unicodedata.combining(character):
            parts.append(_by_unicode_name(character))
    return "".join(parts)


def _by_unicode_name(character: str) -> str:
    words = unicodedata.name(character, "").split()
    if "LETTER" in words[:-1]:
        word = words[words.index("LETTER") + 1].lower().replace("lamda", "lambda").replace("-", "_")
        return word.capitalize() if "CAPITAL" in words else word
    return f"u{ord(character):x}"
