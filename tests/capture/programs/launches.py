"""Host code for the recorder: every launch here is asked for in test_record.py."""

import multiprocessing
import sys

import cuda.tile as ct
import kernels
from arrays import DeviceArray
from cuda.tile.tune import exhaustive_search


def main():
    """Launch everything once or twice."""
    x, y = DeviceArray((4096,)), DeviceArray((4096,))
    for _ in range(3):
        ct.launch(None, (4,), kernels.double, (x, y, 1024))
    ct.launch(None, (2,), kernels.double, (DeviceArray((2048,)), DeviceArray((2048,)), 1024))
    ct.launch(None, (4,), kernels.double, (DeviceArray((4096,), address=(1 << 30) + 4), y, 1024))
    ct.launch(None, (1,), kernels.double, (DeviceArray((1,)), DeviceArray((1,)), 1))
    ct.launch(None, (4, 1, 1), kernels.scale, (x, y, 0.5, 1024))
    ct.launch(None, (4,), kernels.scale.replace_hints(occupancy=8), (x, y, float("inf"), 1024))
    ct.launch(None, (1,), kernels.gather_list, ([DeviceArray((1024,)), DeviceArray((1024,))], y, 1024))
    ct.launch(None, (4,), kernels.add_pair, ((x, y), y, 1024))
    for exponent in (3.0, 5.0):
        ct.launch(None, (4,), kernels.power_of(exponent), (x, y, 1024))
    ct.launch(None, (1,), kernels.wrong, (x, y, 1024))
    best = exhaustive_search(
        [3, 512, 256],  # a tile of 3 elements is refused
        None,
        lambda tile: (4096 // tile,),
        kernels.double,
        lambda tile: (x, y, tile),
        lambda tile: {"num_ctas": 2},
        quiet=True,
    ).best.config
    print("best", best)
    print("arguments", sys.argv[1:])
    child = multiprocessing.get_context("fork").Process(
        target=lambda: ct.launch(None, (8,), kernels.double, (x, y, 512))
    )
    child.start()
    child.join()


if __name__ == "__main__":
    main()
