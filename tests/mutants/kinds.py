"""Mutations: each changes one operation so that the program means something else."""

from __future__ import annotations

import kinds_control  # noqa: F401
import kinds_memory  # noqa: F401
import kinds_values  # noqa: F401
from mutation import MUTATIONS, Mutation, attribute, is_a

__all__ = ["MUTATIONS", "Mutation", "attribute", "is_a"]
