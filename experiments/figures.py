"""The report's figures, each drawn of points that are made from results. A picture names the points it was drawn of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from compared import best_circuits
from dominance import cell
from mixed import averaged_of, curve
from table5 import LEFT, RIGHT
from tables import NAMES, Studies
from verdicts import ENOUGH_QUERIES, SAFE_QUERIES, half_width

Points: TypeAlias = dict[str, Any]  # in JSON's types

QUICK = "#3182bd"
TUNED = "one circuit, tuned"
AVERAGED = "four mixtures averaged"
FREE = "free network (any number of edges)"
CROSS: dict[str, Any] = {"marker": "x", "markersize": 5, "linestyle": "none"}
STAR: dict[str, Any] = {"marker": "*", "markersize": 7, "linestyle": "none"}
HOLLOW: dict[str, Any] = {
    "marker": "o",
    "markersize": 3.5,
    "linestyle": "none",
    "color": "grey",
    "markerfacecolor": "white",
}
STYLES: dict[str, dict[str, Any]] = {
    "AC-Greedy": {"color": "#08519c", "marker": "s"},
    "Gibbs-Fast": {"color": "#fdae6b", "marker": "v"},
    "Gibbs-Medium": {"color": "#f16913", "marker": "^"},
    "Gibbs-Slow": {"color": "#a63603", "marker": "o"},
    "Gibbs-VerySlow": {"color": "#4a1486", "marker": "D"},
}
SIDES = {
    "known, % of the variables (30 % asked)": (LEFT, 1),
    "asked, % of the variables (30 % known)": (RIGHT, 0),
}


def draw(studies: Studies, folder: Path) -> None:
    """Writes what there are results for."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    mpl.use("Agg")
    mpl.rcParams.update({"font.size": 8, "axes.spines.top": False, "axes.spines.right": False, "savefig.dpi": 130})
    for name, (points_of, draw_points) in FIGURES.items():
        if points := points_of(studies):
            figure = draw_points(points)
            figure.savefig(folder / f"{name}.png", metadata={"Software": None, "Comment": digest(points)})
            plt.close(figure)


def digest(points: Points) -> str:
    """What a picture says it was drawn of."""
    return hashlib.blake2b(json.dumps(points).encode(), digest_size=16).hexdigest()


def figure1(studies: Studies) -> Points:
    """By set, side and method: the level in %, how much more than AC-Quick, half of the interval, and the queries."""
    return {
        name: {
            side: {
                method: [
                    [100 * level[varied], -found["less_than_quick"], half_width(found), found["rows"]]
                    for level in levels
                    if (found := cell(studies, name, method, *level)) and found["rows"] >= ENOUGH_QUERIES
                ]
                for method in STYLES
            }
            for side, (levels, varied) in SIDES.items()
        }
        for name in studies.values("table5", "set")
    }


def _draw_figure1(points: Points) -> Any:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(len(points), 2, figsize=(8, 2.8 * len(points)), squeeze=False, layout="constrained")
    for row, (name, sides) in zip(axes, points.items(), strict=True):
        for axis, (side, methods) in zip(row, sides.items(), strict=True):
            axis.axhline(0, color=QUICK, linewidth=1, label="AC-Quick")
            for place, (method, shown) in enumerate(methods.items()):
                _draw_method(axis, method, 1.2 * (place - (len(methods) - 1) / 2), shown)
            axis.set_xlabel(side)
            axis.set_title(NAMES[name], loc="left", fontsize=8)
        row[0].set_ylabel("log P for each query variable:\ndifference to AC-Quick, nats")
    (hollow,) = axes[0, 0].plot([], [], **HOLLOW)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    labels.append(f"hollow: fewer than {SAFE_QUERIES} queries")
    figure.legend([*handles, hollow], labels, loc="outside upper center", ncols=4, frameon=False)
    return figure


def _draw_method(axis: Any, method: str, aside: float, shown: list[list[float]]) -> None:
    """Side by side with other methods; hollow where few queries were answered."""
    for hollow in (False, True):
        some = [point for point in shown if (point[-1] < SAFE_QUERIES) is hollow]
        axis.errorbar(
            [x + aside for x, *_ in some],
            [more for _, more, *_ in some],
            yerr=[half for _, _, half, _ in some],
            label=None if hollow else method,
            linestyle="none",
            markersize=3.5,
            elinewidth=0.8,
            **STYLES[method],
            **({"markerfacecolor": "white"} if hollow else {}),
        )


def tradeoff(studies: Studies) -> Points:
    """By set and parameter penalty: edge penalty, edges, milliseconds of a query, log-likelihood; and that of the free
    network of Table 4, if there is one.
    """
    return {
        name: {
            f"k_p {penalty:g}": [
                [record["task"]["edge_penalty"], *(record["result"][key] for key in ("edges", "query_ms", "test"))]
                for record in studies.records("tradeoff", set=name, parameter_penalty=penalty)
            ]
            for penalty in studies.values("tradeoff", "parameter_penalty", set=name)
        }
        | _free_network(studies, name)
        for name in studies.values("tradeoff", "set")
    }


def _free_network(studies: Studies, name: str) -> Points:
    found = studies.result("table4", stage="final", set=name, schedule="network")
    return {FREE: [found["test"]]} if found else {}


def _draw_tradeoff(points: Points) -> Any:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(len(points), 2, figsize=(8, 2.4 * len(points)), squeeze=False, layout="constrained")
    for row, (name, shown) in zip(axes, points.items(), strict=True):
        penalties = {label: found for label, found in shown.items() if label != FREE}
        for axis in row if FREE in shown else []:
            axis.axhline(shown[FREE][0], color="grey", linewidth=0.8, linestyle="--", label=FREE)
        for (label, found), color in zip(penalties.items(), (QUICK, "#e6550d", "#31a354"), strict=False):
            edge_penalties, edges, milliseconds, scores = zip(*found, strict=True)
            for axis, values in zip(row, (edges, milliseconds), strict=True):
                axis.plot(values, scores, marker="o", markersize=3, linestyle="none", color=color, label=label)
            few = slice(None, None, max(1, len(found) // 4))
            for penalty, *at in zip(edge_penalties[few], edges[few], scores[few], strict=True):
                # Below, on the right: points rise to the right.
                row[0].annotate(
                    f"k_e {penalty:g}", at, fontsize=6, color=color, xytext=(3, -8), textcoords="offset points"
                )
        for axis, label in zip(row, ("edges", "ms for a query"), strict=True):
            axis.set_xscale("log")
            axis.margins(y=0.15)
            axis.set_xlabel(label)
            axis.set_title(NAMES[name], loc="left", fontsize=8)
        row[0].set_ylabel("test log-likelihood, nats a row")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=3, frameon=False)
    return figure


def mixtures(studies: Studies) -> Points:
    """By set and kind of model: edges x components, log-likelihood."""
    sets = dict.fromkeys(record["task"]["set"] for record in studies.records("mixtures", kind="mixture curve"))
    alone = {
        TUNED: {name: record["result"] for name, record in best_circuits(studies).items()},
        AVERAGED: averaged_of(studies),
    }
    return {
        name: {f"one {kind}": curve(studies, name, kind) for kind in ("circuit", "mixture")}
        | {label: [[found[name][key] for key in ("edges", "test")]] for label, found in alone.items() if name in found}
        for name in sets
    }


def _draw_mixtures(points: Points) -> Any:
    import matplotlib.pyplot as plt

    n_rows = -(-len(points) // 3)
    figure, axes = plt.subplots(n_rows, 3, figsize=(8, 2.5 * n_rows), squeeze=False, layout="constrained")
    for axis, (name, kinds) in zip(axes.flat, points.items(), strict=False):
        for label, found in kinds.items():
            style = {TUNED: CROSS, AVERAGED: STAR}.get(label, {"marker": "o", "markersize": 3, "linewidth": 1.2})
            axis.plot(*zip(*found, strict=True), **style, color="#e6550d" if "circuit" in label else QUICK, label=label)
        axis.set_xscale("log")
        axis.set_title(name, loc="left", fontsize=8)
        axis.set_xlabel("edges x components")
    for axis in axes.flat[len(points) :]:
        axis.set_axis_off()
    for row in axes:
        row[0].set_ylabel("test log-likelihood, nats a row")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=4, frameon=False)
    return figure


FIGURES: dict[str, tuple[Callable[[Studies], Points], Callable[[Points], Any]]] = {
    "figure1": (figure1, _draw_figure1),
    "tradeoff": (tradeoff, _draw_tradeoff),
    "mixtures": (mixtures, _draw_mixtures),
}
