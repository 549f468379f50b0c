"""Type aliases that more than one layer uses."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Category: TypeAlias = str | int | bool
"""One value of a discrete variable, as the user wrote it."""

Codes: TypeAlias = npt.NDArray[np.unsignedinteger[Any]]
"""Categories as numbers from 0, in uint8 or uint16."""

PartialCodes: TypeAlias = npt.NDArray[np.signedinteger[Any]]
"""Codes of (variables x rows) as far as they are known, and -1 where nothing is."""

Arities: TypeAlias = npt.NDArray[np.int32]
"""How many categories each variable has."""
