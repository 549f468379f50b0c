"""The pictures of the documentation, drawn anew: python docs/pictures.py. Needs the program `dot` of Graphviz."""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from learnac import Dataset, LearnAC

IMAGES = Path(__file__).parent / "images"


def weather() -> Dataset:
    """The table of the page on how it works."""
    rng = np.random.default_rng(0)
    rain = rng.random(1000) < 0.3
    wet = rng.random(1000) < np.where(rain, 0.9, 0.1)
    frame = pd.DataFrame({"rain": np.where(rain, "yes", "no"), "grass": np.where(wet, "wet", "dry")})
    return Dataset.from_frame(frame, {"rain": ["no", "yes"], "grass": ["dry", "wet"]})


def cells() -> pd.DataFrame:
    """The table of the tutorial."""
    found = load_breast_cancer(as_frame=True)
    frame = found.data.filter(like="mean").rename(columns=lambda name: name.removeprefix("mean "))
    frame = frame.apply(pd.qcut, q=3, labels=["low", "middle", "high"])
    frame["diagnosis"] = found.target.map({0: "malignant", 1: "benign"})
    return train_test_split(frame, random_state=0)[0]


def main() -> None:
    for n_splits in (0, 1):
        model = LearnAC(max_splits=n_splits).fit(weather())
        model.circuit_.draw().save(IMAGES / f"circuit-{n_splits}.svg")
    model.network_.draw_tree(next(name for name in ("grass", "rain") if _is_split(model, name))).save(
        IMAGES / "tree.svg"
    )
    LearnAC().fit(cells()).network_.draw(["diagnosis"]).save(IMAGES / "network.svg")


def _is_split(model: LearnAC, name: str) -> bool:
    return model.network_.trees[model.schema_.index(name)].n_leaves > 1


if __name__ == "__main__":
    main()
