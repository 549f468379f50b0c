"""Learn the joint distribution of handwritten digits and their labels, and ask it questions.

The data are the 8 x 8 images that come with scikit-learn, every pixel made on or off, and the label as one
more variable. Nothing tells the learner which variable is the label, or which pixels will be hidden: the model is of
all 65 variables together. Writes digits.png: test images of which one half was shown, completed; and digits.html: the
explorer of the model, a page to ask it everything else.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from rich.columns import Columns
from rich.console import Console
from rich.panel import Panel
from rich.text import Text
from sklearn.datasets import load_digits

from learnac import Dataset, LearnAC
from learnac.cli.progress import progress_line
from learnac.cli.summary import print_summary, summarize, table_score
from learnac.explore import explorer_page
from learnac.learn import LearnSettings
from learnac.model import Model

Rows = NDArray[np.int64]  # (rows x 65): the pixels, then the label

SIDE, N_LABELS, SEED = 8, 10, 0
UNKNOWN, HIDDEN = -1, -1.0
HALVES = ("lower half", "right half")
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
    scores = {name: table_score(model.learned_.model, table) for name, table in tables.items()}
    print_summary(summarize(model.learned_, LearnSettings(), scores))
    print()

    console.rule("How likely is an image?  log P(pixels, label)")
    console.print(likelihood_panels(model, test[0], rng), "")

    console.rule("Which digit is it?  P(label | pixels)")
    with timed(console, f"P(label | pixels) of {len(test)} images"):
        probabilities = model.predict_proba(without_label(test), target="label")
    is_right = probabilities.argmax(axis=1) == test[:, -1]
    right, wrong = np.flatnonzero(is_right), np.flatnonzero(~is_right)
    least_certain = right[probabilities[right].max(axis=1).argmin()]
    shown = [*right[:2], least_certain, *wrong[:1]]
    console.print(Columns(label_panel(test[row], probabilities[row]) for row in shown))
    console.print(
        f"The most probable label is the right one for {is_right.mean():.1%} of the {len(test)} test images.\n"
    )

    console.rule("Two questions")
    two_questions(model, console)

    console.rule("Half of the image is hidden")
    write_completions(model, first_of_each(test), console)

    console.rule("Ask it yourself")
    write_explorer(model, console)


def write_explorer(model: LearnAC, console: Console) -> None:
    path = Path("digits.html").resolve()
    path.write_text(explorer_page(Model(model.circuit_, model.network_, {}, model.provenance_), "digits"))
    console.print(
        f"Open [bold]{path.as_uri()}[/bold] in a browser: click pixels, and watch the label.\n", soft_wrap=True
    )


@contextmanager
def timed(console: Console, what: str) -> Iterator[None]:
    started = time.perf_counter()
    yield
    console.print(f"[dim]{what}: {1000 * (time.perf_counter() - started):.2f} ms[/dim]")


def binary_digits() -> Rows:
    images, labels = load_digits(return_X_y=True)
    return np.column_stack([images > 7, labels])  # Pixels are from 0 to 16.


def without_label(rows: Rows) -> Rows:
    hidden = rows.copy()
    hidden[:, -1] = UNKNOWN
    return hidden


def first_of_each(rows: Rows) -> Rows:
    return np.stack([rows[rows[:, -1] == label][0] for label in range(N_LABELS)])


def two_questions(model: LearnAC, console: Console) -> None:
    query, given = {"pixel_3_3": 1}, {"label": 0}
    with timed(console, "one conditional query"):
        probability = np.exp(model.log_probability(query, given))
    console.print(f"P(the middle is black | label 0) = {probability:.3f}", "")
    with timed(console, "one most probable explanation"):
        image, log_probability = model.mpe({"label": 3})
    row = np.array(list(image.values()))
    console.print(panel("a likely 3", row, [f"log P {log_probability:.1f}"]), "")


def write_completions(model: LearnAC, rows: Rows, console: Console) -> None:
    """Shows one half of each image to the model, and writes down what it makes of the other."""
    pictures = {"given": [], "expected": [], "most probable": [], "true": []}  # type: dict[str, list[NDArray[np.float64]]]
    for number, hidden in enumerate(halves()):
        given = without_label(rows)
        given[:, :-1][:, hidden] = UNKNOWN
        with timed(console, f"posteriors of all pixels of {len(rows)} images"):
            posteriors = model.marginals(given)
        with timed(console, f"most probable completions of {len(rows)} images"):
            completed, _ = model.mpe(given)
        expected = np.stack([posteriors[name][:, 1] for name in NAMES[:-1]], axis=1)
        labels = posteriors["label"].argmax(axis=1)
        console.print(f"{HALVES[number]} hidden: {(labels == rows[:, -1]).sum()} of {len(rows)} labels are right")
        pictures["given"].append(np.where(hidden, HIDDEN, rows[:, :-1]))
        pictures["expected"].append(expected)
        pictures["most probable"].append(completed[:, :-1].astype(float))
        pictures["true"].append(rows[:, :-1].astype(float))
    path = Path("digits.png")
    contact_sheet({title: np.concatenate(images) for title, images in pictures.items()}).save(path)
    console.print(f"written: {path}")


def halves() -> list[NDArray[np.bool_]]:
    """Which pixels are hidden: the lower half, then the right one."""
    row, column = np.divmod(np.arange(SIDE * SIDE), SIDE)
    return [row >= SIDE // 2, column >= SIDE // 2]


def contact_sheet(pictures: dict[str, NDArray[np.float64]]) -> Image.Image:
    """A line of images for each title: black where a pixel is on for certain, grey between, blue where it is hidden."""
    scale, gap, margin = 6, 8, 110
    step = SIDE * scale + gap
    n_images = len(next(iter(pictures.values())))
    sheet = Image.new("RGB", (margin + n_images * step, gap + len(pictures) * step), "white")
    draw = ImageDraw.Draw(sheet)
    for line, (title, images) in enumerate(pictures.items()):
        top = gap + line * step
        draw.text((gap, top + SIDE * scale // 2 - 6), title, fill="black")
        for position, image in enumerate(images):
            shades = (255 * (1 - image.reshape(SIDE, SIDE, 1))).repeat(3, axis=2)
            shades[image.reshape(SIDE, SIDE) == HIDDEN] = (150, 190, 230)
            tile = Image.fromarray(shades.astype(np.uint8)).resize(
                (SIDE * scale, SIDE * scale), Image.Resampling.NEAREST
            )
            left = margin + position * step
            sheet.paste(tile, (left, top))
            draw.rectangle((left - 1, top - 1, left + SIDE * scale, top + SIDE * scale), outline=(200, 200, 200))
    return sheet


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
