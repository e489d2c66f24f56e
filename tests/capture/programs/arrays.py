"""Arrays of no library: all that they have is the DLPack protocol."""

import ctypes

new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Managed(ctypes.Structure):
    """DLManagedTensor, flat."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    )


class DeviceArray:
    """An f32 array at an address; `strides` in elements, None for a row-major one."""

    def __init__(self, shape, address=1 << 30, strides=None):
        numbers = ctypes.c_int64 * len(shape)
        self.numbers = (numbers(*shape), None if strides is None else numbers(*strides))
        places = [None if one is None else ctypes.addressof(one) for one in self.numbers]
        self.managed = Managed(address, 2, 0, len(shape), 2, 32, 1, *places, 0, None, None)

    def __dlpack__(self, stream=None):
        return new_capsule(ctypes.addressof(self.managed), b"dltensor", None)

    def __dlpack_device__(self):
        return 2, 0
