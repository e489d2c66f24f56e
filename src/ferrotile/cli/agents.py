"""The options of commands that hand stages to commands: which, within what limits, and how they are confined."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from ferrotile.cli.console import err
from ferrotile.core import InputError
from ferrotile.core.confined import Confinement, strongest

AGENT = Annotated[
    list[str],
    typer.Option(
        "--agent",
        metavar="STAGE=COMMAND",
        help="A command that takes a stage; in a batch also OPERATOR:STAGE=COMMAND, for one operator.",
    ),
]
TIME = Annotated[float, typer.Option("--agent-time", min=0.1, help="Seconds that such a command has for a try.")]
TRIES = Annotated[int, typer.Option("--agent-tries", min=1, max=5, help="Tries that such a command has.")]
NETWORK = Annotated[bool, typer.Option("--agent-network", help="Let such commands use the network.")]
WRITES = Annotated[
    list[Path], typer.Option("--agent-writes", help="A further folder that they may write, as for logs.")
]
CONFINEMENT = Annotated[
    Confinement | None,
    typer.Option("--agent-confinement", help="What keeps them in their folder.", show_default="the strongest here"),
]
IMAGE = Annotated[
    str | None, typer.Option("--agent-image", metavar="IMAGE", help="Of the container, where that confines them.")
]
PARAMETER = "agents"


@dataclass(frozen=True, slots=True)
class Agents:
    """What these options say; `limits` are the fields of `AgentLimits`."""

    entries: tuple[str, ...]
    limits: dict[str, object]
    confinement: Confinement | None

    def commands(self) -> dict[str, str]:
        """Commands by stage. Raises: FT902."""
        found: dict[str, str] = {}
        for entry in self.entries:
            stage, separator, command = entry.partition("=")
            if not (stage and separator and command):
                raise InputError("FT902", f"`--agent {entry}` is not of the form STAGE=COMMAND")
            found[stage] = command
        return found

    @property
    def are_unconfined(self) -> bool:
        """Whether nothing keeps what is run in its folder."""
        return (self.confinement or strongest()) is Confinement.NONE

    def warn(self) -> None:
        """Say so where nothing keeps a command in its folder."""
        if self.entries and self.are_unconfined:
            err.print("warning: commands run unconfined here; what they write elsewhere is only found afterwards")


def given(
    agent: AGENT = [],  # noqa: B006 - typer wants a plain default
    agent_time: TIME = 600.0,
    agent_tries: TRIES = 2,
    agent_network: NETWORK = False,
    agent_writes: WRITES = [],  # noqa: B006
    agent_confinement: CONFINEMENT = None,
    agent_image: IMAGE = None,
) -> Agents:
    """The values of the options as one record; the parameters are the options."""
    limits = {
        "time_s": agent_time,
        "tries": agent_tries,
        "network": agent_network,
        "writable": [str(path.resolve()) for path in agent_writes],
        "confinement": agent_confinement,
        "image": agent_image,
    }
    return Agents(tuple(agent), limits, agent_confinement)


def with_agents(command: Callable[..., None]) -> Callable[..., None]:
    """A command of typer whose last parameter, `agents: Agents`, is read from these options."""
    options = inspect.signature(given, eval_str=True).parameters
    signature = inspect.signature(command, eval_str=True)
    parameters = [one for one in signature.parameters.values() if one.name != PARAMETER] + [*options.values()]

    @functools.wraps(command)
    def called(**values: Any) -> None:
        own = {name: values.pop(name) for name in options}
        command(**values, **{PARAMETER: given(**own)})

    called.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {one.name: one.annotation for one in parameters}
    return called
