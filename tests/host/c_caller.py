"""Calls an exported library in a process of its own, as a C program would: commands come in as JSON lines.

python caller.py FOLDER     FOLDER is what `export c` wrote; libcuda.so.1 comes from LD_LIBRARY_PATH
"""

from __future__ import annotations

import json
import sys
import threading
import time
from pathlib import Path
from typing import Any

import cffi

FAKE = """
int fake_launches(void);
int fake_loads(void);
int fake_depth(void);
void fake_quiet(int on);
void fake_fail(int load, int launch);
void fake_reset_contexts(void);
typedef struct { char label[128]; char entry[128]; int parameters; } function_t;
typedef struct { const function_t *function; uint32_t grid[3]; uint64_t stream, context, words[256]; } launch_t;
const launch_t *fake_launch(int number);
"""


class Caller:
    """One loaded library and, if there is one, the fake driver under it."""

    def __init__(self, folder: Path) -> None:
        self.ffi = cffi.FFI()
        self.ffi.cdef((folder / "include" / "cutile_kernels.cdef").read_text())
        self.ffi.cdef("void cutile_switch_off(int32_t code);")
        self.library: Any = self.ffi.dlopen(str(folder / "target" / "release" / "libcutile_kernels.so"))
        self.ffi.cdef(FAKE)
        try:
            self.driver: Any = self.ffi.dlopen("libcuda.so.1")
        except OSError:
            self.driver = None

    def call(self, symbol: str, arguments: list[Any], launch: dict[str, Any]) -> dict[str, Any]:
        """One call of an exported function; the counters before and after come with the answer."""
        error = self.ffi.new("ft_error *") if launch.get("wants_error", True) else self.ffi.NULL
        kept = [self._value(value) for value in arguments]
        before = self._counts()
        code = getattr(self.library, symbol)(*kept, *launch["grid"], launch["context"], launch["stream"], error)
        message = self.ffi.string(error.message).decode() if error != self.ffi.NULL else None
        told = error.code if error != self.ffi.NULL else None
        return {"code": code, "told": told, "message": message, "counts": [before, self._counts()]}

    def threads(self, calls: list[list[Any]], times: int) -> dict[str, Any]:
        """Each call again and again from a thread of its own; all codes that came."""
        codes: set[int] = set()
        begin = threading.Barrier(len(calls))

        def work(call: list[Any]) -> None:
            begin.wait()
            for _ in range(times):
                codes.add(self.call(*call)["code"])

        workers = [threading.Thread(target=work, args=(call,)) for call in calls]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return {"codes": sorted(codes), "counts": self._counts()}

    def launches(self, first: int, count: int) -> list[dict[str, Any]]:
        """What the fake driver wrote down."""
        found = []
        for number in range(first, first + count):
            launch = self.driver.fake_launch(number)
            function = launch.function
            found.append({
                "label": self.ffi.string(function.label).decode(), "entry": self.ffi.string(function.entry).decode(),
                "grid": list(launch.grid), "stream": launch.stream, "context": launch.context,
                "words": list(launch.words[0 : function.parameters]),
            })  # fmt: skip
        return found

    def set(self, name: str, *values: int) -> None:
        """A switch of the fake driver, or `switch_off` of the library."""
        if name == "switch_off":
            self.library.cutile_switch_off(*values)
        else:
            getattr(self.driver, f"fake_{name}")(*values)

    def loads(self) -> list[int]:
        """Modules loaded, and contexts that this thread has left pushed."""
        return [self.driver.fake_loads(), self.driver.fake_depth()]

    def seconds(self, symbol: str, arguments: list[Any], launch: dict[str, Any], times: int) -> float:
        """Wall time of so many calls. Units: seconds."""
        function, kept = getattr(self.library, symbol), [self._value(value) for value in arguments]
        rest = (*launch["grid"], launch["context"], launch["stream"], self.ffi.NULL)
        began = time.perf_counter()
        for _ in range(times):
            function(*kept, *rest)
        return time.perf_counter() - began

    def _counts(self) -> list[int]:
        driver = self.driver.fake_launches() if self.driver is not None else 0
        return [self.library.cutile_launch_count(), driver]

    def _value(self, value: Any) -> Any:
        if isinstance(value, dict):
            return self.ffi.new("ft_tensor *", value)
        if isinstance(value, str):
            return self.ffi.new("char[]", value.encode())
        return self.ffi.NULL if value is None else value


def main() -> None:
    """Answer commands until the input ends."""
    caller = Caller(Path(sys.argv[1]))
    for line in sys.stdin:
        name, *values = json.loads(line)
        print(json.dumps(getattr(caller, name)(*values)), flush=True)


if __name__ == "__main__":
    main()
