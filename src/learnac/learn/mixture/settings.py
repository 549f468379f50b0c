"""What a user controls about mixtures, checked once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from learnac.defaults import MAX_MIXTURE_EDGES
from learnac.errors import SettingError
from learnac.learn.settings import check_whole

AUTO = "auto"
MOST_COMPONENTS = 256
"""With "auto": more gain little, and take longer to learn."""

LEAST_COMPONENTS = 8
"""With "auto", of all but the smallest structure: with fewer, a smaller one with more of them does better."""

# Structures to choose from, by how many times the edges they have of the initial circuit.
_GROWTHS = (2.3, 8.6, 43.0)


@dataclass(frozen=True, slots=True)
class MixtureSettings:
    """How many components there are, and where chance begins. Raises SettingError for what makes no sense."""

    n_components: int | str = 1
    n_averages: int = 1
    random_state: int = 0

    def __post_init__(self) -> None:
        if self.n_components != AUTO:
            check_whole("n_components", self.n_components, least=1, otherwise=' or "auto"')
        check_whole("n_averages", self.n_averages, least=1)
        check_whole("random_state", self.random_state, least=0)
        if self.n_components == 1 and self.n_averages != 1:
            raise SettingError(
                "n_averages", "1, as a single circuit has no seed, or {n_components} too", self.n_averages
            )

    @property
    def is_mixture(self) -> bool:
        """Whether more than the search for one circuit is wanted."""
        return self.n_components != 1

    @property
    def is_auto(self) -> bool:
        return self.n_components == AUTO

    @property
    def least_components(self) -> int:
        """Of each seed, for all but the smallest structure."""
        return LEAST_COMPONENTS if self.is_auto else int(self.n_components)

    def budget(self, max_edges: int | None, n_initial_edges: int) -> int:
        """Edges x components of the whole model."""
        least = n_initial_edges * self.n_averages * (1 if self.is_auto else int(self.n_components))
        if max_edges is None:
            return max(MAX_MIXTURE_EDGES * self.n_averages, 4 * least)
        if max_edges < least:
            what = "the edges of the initial circuit" + ("" if self.is_auto else ", times all components")
            raise SettingError("max_edges", f"at least {least}, {what}", max_edges)
        return int(max_edges)

    def n_components_for(self, n_edges: int, budget: int) -> int:
        """How many components a structure of so many edges can have, of each seed."""
        if not self.is_auto:
            return int(self.n_components)
        return min(MOST_COMPONENTS, budget // (n_edges * self.n_averages))

    def structure_sizes(self, n_initial_edges: int, budget: int) -> Iterator[int]:
        """Numbers of edges, ascending, that structures may have; with "auto", they may be for a single circuit too."""
        largest = budget if self.is_auto else budget // (int(self.n_components) * self.n_averages)
        for growth in _GROWTHS:
            size = int(growth * n_initial_edges)
            yield min(size, largest)
            if size >= largest:
                return
