"""As much of torch as the recorder touches: tensors with shapes, and modes that are asked about every call."""

import contextlib
import threading
import types

_active = threading.local()


def ask(function, call, args, kwargs):
    """Let the innermost mode answer a call, with that mode asleep, or call."""
    modes = getattr(_active, "modes", [])
    if not modes:
        return call(*args, **kwargs)
    _active.modes = modes[:-1]
    try:
        return modes[-1].__torch_function__(function, (), args, kwargs)
    finally:
        _active.modes = modes


def asked(call):
    """A function that modes are asked about."""

    def function(*args, **kwargs):
        return ask(function, call, args, kwargs)

    return function


class Getter:
    """A property that modes are asked about, by its `__get__`."""

    def __init__(self, read):
        self.read = read

    def __get__(self, one, owner=None):
        return self if one is None else ask(self.__get__, self.read, (one,), {})


class Mode:
    """TorchFunctionMode."""

    def __enter__(self):
        _active.modes = [*getattr(_active, "modes", []), self]

    def __exit__(self, *error):
        _active.modes = _active.modes[:-1]


class device:
    """A device."""

    def __init__(self, kind, index=0):
        self.kind, self.index = kind.split(":")[0], index

    def __str__(self):
        return f"{self.kind}:{self.index}"


class Storage:
    """What tensors that are views share."""

    @property
    def _cdata(self):
        return id(self)


class Tensor:
    """A tensor of f32 without values on `cpu` or `meta`; `cuda` is not there."""

    is_meta = Getter(lambda one: one.place == "meta")
    is_cpu = Getter(lambda one: one.place == "cpu")
    is_cuda = Getter(lambda one: False)
    device = Getter(lambda one: device(one.place))
    get_device = asked(lambda one: -1)
    item = asked(lambda one: 3.0)
    tolist = asked(lambda one: [3.0])
    cuda = asked(lambda one: one.to("cuda"))
    cpu = asked(lambda one: one.to("cpu"))
    __bool__, __int__, __float__, __index__ = (asked(lambda one: 3) for _ in range(4))

    def __init__(self, shape, place, start=0, storage=None):
        if str(place).split(":")[0] not in ("cpu", "meta"):
            raise RuntimeError("there is no GPU")
        self.shape, self.place, self.start = shape, str(place), start
        self.storage = storage or Storage()
        self.dtype = Single()

    def __getitem__(self, part):
        start = part.start
        return Tensor((self.shape[0] - start, *self.shape[1:]), self.place, start * self.stride()[0], self.storage)

    def stride(self):
        return (*self.shape[1:], 1)

    def storage_offset(self):
        return self.start

    def element_size(self):
        return 4

    def data_ptr(self):
        return 0

    def untyped_storage(self):
        return self.storage

    @asked
    def to(self, place):
        return Tensor(self.shape, place)


class Single:
    """torch.float32."""

    is_floating_point = True

    def __str__(self):
        return "torch.float32"


class Generator:
    """A generator of random numbers."""

    def __new__(cls, place="cpu"):
        if place != "cpu":
            raise RuntimeError("there is no GPU")
        return super().__new__(cls)

    def __init__(self, place="cpu"):
        self.place = place


class BackwardCFunction:
    """What calls the backward function of a program."""

    def apply(self, *args):
        return self.backward(*args)


@asked
def empty(*shape, device="cpu", pin_memory=False):
    """A tensor."""
    return Tensor(shape, device)


@asked
def run_backward(function, *args):
    """Stands for `Tensor.backward`: modes are asked about it, and it calls functions of the program."""
    return function.apply(*args)


def _compared(*tensors, **options):
    raise AssertionError("compared what no kernel computed")


zeros = asked(lambda shape, dtype=None: Tensor(shape, "cpu"))
allclose, equal = asked(_compared), asked(_compared)
testing = types.SimpleNamespace(assert_close=_compared)
overrides = types.SimpleNamespace(TorchFunctionMode=Mode)
autograd = types.SimpleNamespace(function=types.SimpleNamespace(BackwardCFunction=BackwardCFunction))
version = types.SimpleNamespace(cuda=None)
cuda = types.SimpleNamespace(is_available=lambda: False)


@contextlib.contextmanager
def _asleep():
    modes, _active.modes = getattr(_active, "modes", []), []
    try:
        yield
    finally:
        _active.modes = modes


_C = types.SimpleNamespace(DisableTorchFunction=_asleep)
