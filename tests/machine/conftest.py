"""Bytecode of the kernels in slice_kernels.py."""

import importlib.util
import io
import sys
from pathlib import Path

import pytest


class Kernels:
    """Exports the slice kernels with fixed signatures."""

    def __init__(self, source: Path) -> None:
        self.ct = pytest.importorskip("cuda.tile")
        self.compilation = pytest.importorskip("cuda.tile.compilation")
        spec = importlib.util.spec_from_file_location(f"slice_kernels_{abs(hash(source))}", source)
        self.module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = self.module
        spec.loader.exec_module(self.module)

    def export(self, kernel: str, signature: str, target: str, symbols: tuple[str | None, ...] = (None,)) -> bytes:
        """`signature` has a letter per parameter: a array, i integer, f float."""
        make = {
            "a": self._array,
            "i": lambda: self.compilation.ScalarConstraint(self.ct.int32),
            "f": lambda: self.compilation.ScalarConstraint(self.ct.float32),
        }
        convention = self.compilation.CallingConvention.cutile_python_v1()
        parameters = [make[letter]() for letter in signature]
        signatures = [self.compilation.KernelSignature(parameters, convention, symbol=symbol) for symbol in symbols]
        file = io.BytesIO()
        self.compilation.export_kernel(
            getattr(self.module, kernel), signatures, file, output_format="tileir_bytecode", gpu_code=target
        )
        return file.getvalue()

    def _array(self):
        return self.compilation.ArrayConstraint(
            self.ct.float16,
            2,
            index_dtype=self.ct.int32,
            stride_lower_bound_incl=0,
            alias_groups=[],
            may_alias_internally=False,
            stride_constant=[None, 1],
            stride_divisible_by=[8, 1],
            shape_divisible_by=16,
            base_addr_divisible_by=16,
        )


SOURCE = Path(__file__).with_name("slice_kernels.py")


@pytest.fixture(scope="session")
def kernels() -> Kernels:
    return Kernels(SOURCE)


@pytest.fixture(scope="session")
def kernels_elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Kernels:
    """The same kernels from a file of another name, each some lines lower."""
    path = tmp_path_factory.mktemp("elsewhere") / "quite_another_name.py"
    path.write_text("#\n" * 7 + SOURCE.read_text())
    return Kernels(path)
