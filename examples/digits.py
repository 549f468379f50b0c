"""Learn the joint distribution of handwritten digits and their labels, and ask what it says about some rows.

The data are the 8 x 8 images that come with scikit-learn, every pixel made on or off, and the label as one
more variable. Nothing tells the learner which variable is the label: the model is of all 65 together, and
P(label | pixels) is one of the questions it answers.
"""

import numpy as np
from numpy.typing import NDArray
from rich.columns import Columns
from rich.console import Console
from rich.panel import Panel
from rich.text import Text
from scipy.special import softmax
from sklearn.datasets import load_digits

from learnac import Dataset, LearnAC
from learnac.cli.progress import progress_line
from learnac.cli.summary import as_text, summarize

Rows = NDArray[np.int64]  # (rows x 65): the pixels, then the label

SIDE, N_LABELS, SEED = 8, 10, 0
NAMES = [f"pixel_{row}_{column}" for row in range(SIDE) for column in range(SIDE)] + ["label"]
# Stated, because some pixels at the border are never on, and the model should still allow it.
ARITIES = [2] * SIDE * SIDE + [N_LABELS]


def main() -> None:
    console = Console(highlight=False)
    rng = np.random.default_rng(SEED)
    train, valid, test = np.split(rng.permutation(binary_digits()), [1100, 1400])
    tables = {
        name: Dataset.from_array(rows, NAMES, ARITIES)
        for name, rows in {"train": train, "validation": valid, "test": test}.items()
    }

    console.rule("The model")
    with progress_line() as on_step:
        model = LearnAC(callback=on_step).fit(tables["train"], validation=tables["validation"])
    console.print(as_text(summarize(model, tables)), "")

    console.rule("How likely is an image?  log P(pixels, label)")
    console.print(likelihood_panels(model, test[0], rng), "")

    console.rule("Which digit is it?  P(label | pixels)")
    probabilities = label_probabilities(model, test)
    is_right = probabilities.argmax(axis=1) == test[:, -1]
    right, wrong = np.flatnonzero(is_right), np.flatnonzero(~is_right)
    least_certain = right[probabilities[right].max(axis=1).argmin()]
    shown = [*right[:2], least_certain, *wrong[:1]]
    console.print(Columns(label_panel(test[row], probabilities[row]) for row in shown))
    console.print(f"The most probable label is the right one for {is_right.mean():.1%} of the {len(test)} test images.")


def binary_digits() -> Rows:
    images, labels = load_digits(return_X_y=True)
    return np.column_stack([images > 7, labels])  # Pixels are from 0 to 16.


def label_probabilities(model: LearnAC, rows: Rows) -> NDArray[np.float64]:
    """P(label | pixels), exactly: the joint probability with each of the labels, divided by their sum."""
    completed = np.repeat(rows, N_LABELS, axis=0)
    completed[:, -1] = np.tile(np.arange(N_LABELS), len(rows))
    log_joint = model.score_samples(completed).reshape(len(rows), N_LABELS)
    return np.asarray(softmax(log_joint, axis=1))


def likelihood_panels(model: LearnAC, row: Rows, rng: np.random.Generator) -> Columns:
    mislabelled = row.copy()
    mislabelled[-1] = (row[-1] + 1) % N_LABELS
    damaged = row.copy()
    damaged[rng.choice(SIDE * SIDE, size=8, replace=False)] ^= 1
    noise = np.append(rng.integers(2, size=SIDE * SIDE), row[-1])
    variants = {"a test image": row, "wrong label": mislabelled, "8 flipped": damaged, "noise": noise}
    log_likelihoods = model.score_samples(np.stack(list(variants.values())))
    return Columns(
        panel(title, variant, [f"label {variant[-1]}", f"log P {value:7.1f}"])
        for (title, variant), value in zip(variants.items(), log_likelihoods, strict=True)
    )


def label_panel(row: Rows, probabilities: NDArray[np.float64]) -> Panel:
    best = np.argsort(-probabilities)[:3]
    verdict = "right" if best[0] == row[-1] else "wrong"
    return panel(f"a {row[-1]}: {verdict}", row, [f"P({label}) = {probabilities[label]:.4f}" for label in best])


def panel(title: str, row: Rows, lines: list[str]) -> Panel:
    image = row[:-1].reshape(SIDE, SIDE)
    picture = "\n".join("".join("██" if pixel else "· " for pixel in line) for line in image)
    content = Text.assemble((picture, "cyan"), "\n\n", "\n".join(lines))
    return Panel(content, title=title, width=19, padding=(0, 0, 0, 1))


if __name__ == "__main__":
    main()
