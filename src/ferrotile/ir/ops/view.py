"""Views of arrays in memory, and what can be asked of them."""

from ferrotile.ir.spec import op

ROWS = (
    op("get_index_space_shape", 45, "src", "results*"),
    op("get_tensor_shape", 47, "src", "results*"),
    op("make_gather_scatter_view", 115, "tensor_view", "result", since="13.3"),
    op("make_partition_view", 66, "tensor_view", "result"),
    op("make_strided_view", 116, "tensor_view", "result", since="13.3"),
    op("make_tensor_view", 67, "base dynamicShape* dynamicStrides*", "result"),
    op("offset", 81, "ptr offset", "result"),
)  # fmt: skip
