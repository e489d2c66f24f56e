"""The same jobs on a dask cluster: workers are labelled by resources, `cpu` and `gpu`, and share the batch's folder.

A job of a worker that was killed is given to another one; the operator's journal makes it go on where it was.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

from ferrotile.core import EnvironmentFault
from ferrotile.workflow.operators.drive import Death, Scheduler
from ferrotile.workflow.operators.records import Result
from ferrotile.workflow.operators.work import Job

LOCAL = "local"
CONNECT_S = 30


def on_cluster(address: str, jobs: int, label: str = "cpu") -> Scheduler:
    """Workers of a cluster: `address` is that of its scheduler, or `local` for `jobs` workers of this machine.

    Raises: FT845 when dask.distributed is not installed.
    """
    try:
        distributed = importlib.import_module("distributed")
    except ImportError:
        hint = "pip install 'ferrotile[cluster]'"
        raise EnvironmentFault("FT845", "`--scheduler` needs dask.distributed", hint=hint) from None

    def run(work: Callable[[Job], Result], items: list[Job], on_death: Death) -> Iterator[tuple[int, Result]]:
        with ExitStack() as stack:
            where: Any = address
            if address == LOCAL:
                options = {"n_workers": jobs, "threads_per_worker": 1, "dashboard_address": None}
                where = stack.enter_context(distributed.LocalCluster(resources={label: 1}, **options))
            client = stack.enter_context(_client(distributed, where))
            _require_label(client, label)
            futures = {client.submit(work, one, pure=False, resources={label: 1}): k for k, one in enumerate(items)}
            for future in distributed.as_completed(futures):
                k = futures[future]
                yield k, future.result() if future.status == "finished" else on_death(items[k], None)

    return run


def _client(distributed: Any, where: Any) -> Any:
    try:
        return distributed.Client(where, timeout=CONNECT_S)
    except (OSError, ValueError) as error:
        text = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise EnvironmentFault("FT846", f"no scheduler answers at `{where}`: {text}") from None


def _require_label(client: Any, label: str) -> None:
    """Some worker has the label: else jobs would wait for ever. Raises: FT846."""
    workers = client.run(lambda dask_worker: dict(dask_worker.state.total_resources))
    if not any(label in resources for resources in workers.values()):
        hint = f"start workers with `--resources {label}=1`"
        raise EnvironmentFault("FT846", f"no worker of the cluster is labelled `{label}`", hint=hint)
