"""Tables as they come, beside what people use: densities, predictions, imputed values, synthetic rows.

Rows are dealt out by lot, with a fixed seed: 70 % to learn from, 10 % to choose by, 20 % to judge by. Whatever a method
leaves open is chosen on the second part. Rows with gaps are dropped: `gaps.py` is about these.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

import numpy as np
import pandas as pd
from frames import frame
from numpy.typing import NDArray
from others import DENSITIES
from sklearn import datasets
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import roc_auc_score
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neighbors import KernelDensity
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from study import Result, Results, Task, main
from verdicts import standard_error

from learnac import Dataset, LearnAC, Schema
from learnac.data import Bins
from learnac.data.spread import snapped
from learnac.errors import LeftOutWarning

OURS = ("circuit", "mixture")
OTHERS = {
    "density": ("gaussian mixture", "kernel density", *DENSITIES),
    "prediction": ("gradient boosting", "linear", "frequencies"),
    "imputation": ("gradient boosting", "iterative", "nearest neighbours", "most frequent"),
}
DELETED = 0.2  # of the values, for imputation
FEW_CLASSES = 50  # A whole number with more values than that is to be predicted as a number.
MOST_FITTED = 20_000  # rows that others impute by
MOST_JUDGED = 2000  # rows of which values are imputed, and that kernels are laid over
RESAMPLED = 200  # times that rows are drawn with replacement, for standard errors


def tasks(settings: Mapping[str, Any], results: Results) -> Iterator[Task]:
    for name, target in settings["tables"].items():
        common = {"table": name, "target": target, "seed": settings["seed"]}
        for method in OURS:
            yield {**common, "method": method, **settings[method]}
        for question, methods in OTHERS.items():
            for method in methods:
                yield {**common, "method": method, "question": question, **settings["limits"]}


def measure(task: Task) -> Result:
    """What one model of ours does with all questions; or what another method does with one."""
    parts = Parts(read(task["table"]), task["seed"], task["target"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if task["method"] not in OURS:
            started = time.process_time()
            found: Result = {task["question"]: QUESTIONS[task["question"]](parts, task["method"])}
            return {**found, "rows": len(parts.train), "seconds": round(time.process_time() - started, 2)}
        model, seconds = learned(task, parts)
        answers = {question: ask(parts, model) for question, ask in QUESTIONS.items()}
    found = {"rows": len(parts.train), "edges": model.circuit_.n_edges, "learning_seconds": round(seconds, 2)}
    return {**answers, **found}


def timed(task: Task) -> Result:
    """The times of a model of ours alone."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, seconds = learned(task, Parts(read(task["table"]), task["seed"], task["target"]))
    return {"learning_seconds": seconds}


def learned(task: Task, parts: Parts) -> tuple[LearnAC, float]:
    """The model of ours of a task, and the CPU time of learning it."""
    started = time.process_time()
    model = LearnAC(
        n_components=task["n_components"], max_edges=task["max_edges"], kinds=parts.kinds, unknown="missing"
    ).fit(parts.train, validation=parts.valid)
    return model, time.process_time() - started


class Parts:
    """A table dealt out by lot, and what its columns are."""

    def __init__(self, frame: pd.DataFrame, seed: int, target: str) -> None:
        lot = np.random.default_rng(seed).permutation(len(frame))
        a, b = int(0.7 * len(frame)), int(0.8 * len(frame))
        self.train, self.valid, self.test = (frame.iloc[rows] for rows in (lot[:a], lot[a:b], lot[b:]))
        self.seed, self.target = seed, target
        column = frame[target]
        self.target_is_number = pd.api.types.is_float_dtype(column) or column.nunique() > FEW_CLASSES
        self.kinds = {target: "number" if self.target_is_number else "categorical"}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LeftOutWarning)
            schema = Dataset.from_frame(self.train, kinds=self.kinds, leave_out=True).schema
        self.columns = list(schema.names)
        self.numbers = [schema.names[variable] for variable in schema.numbers]


def read(name: str) -> pd.DataFrame:
    """A table of the data folder, or one that comes with scikit-learn."""
    if hasattr(datasets, f"load_{name}"):
        return getattr(datasets, f"load_{name}")(as_frame=True).frame
    return frame(name).dropna().reset_index(drop=True)


# --- Densities


def density(parts: Parts, method: LearnAC | str) -> Result:
    """The mean log-density of the columns of numbers, in their own units, whatever the other columns are."""
    numbers, test = parts.numbers, parts.test
    if isinstance(method, LearnAC):
        others = {name: None for name in parts.columns if name not in numbers}
        logs = method.score_samples(test[parts.columns].assign(**others))
        return {**scored(logs), "single": share_of_single(method.schema_, test)}
    if method in DENSITIES:
        logs, integral = DENSITIES[method](*(part[numbers] for part in (parts.train, parts.valid, test)))
        return {**scored(logs), "largest_integral": integral}
    scaler = StandardScaler().fit(parts.train[numbers])
    a, b, c = (scaler.transform(part[numbers]) for part in (parts.train, parts.valid, test))
    candidates: list[Any]
    if method == "gaussian mixture":
        candidates = [GaussianMixture(k, random_state=0) for k in (1, 2, 5, 10, 20, 50) if 2 * k <= len(a)]
    else:
        b, c = b[:MOST_JUDGED], c[:MOST_JUDGED]
        candidates = [KernelDensity(bandwidth=width) for width in (0.05, 0.1, 0.2, 0.4)]
    best = max((each.fit(a) for each in candidates), key=lambda each: each.score_samples(b).mean())
    return scored(best.score_samples(c) - np.log(scaler.scale_).sum())


def share_of_single(schema: Schema, rows: pd.DataFrame) -> float:
    """How many numbers lie in a piece of one number alone: as narrow as that, ours has what others cannot have."""
    is_single = []
    for variable in schema.numbers:
        spread = cast(Bins, schema.bins[variable]).spread
        assert spread is not None
        widths = np.concatenate([[np.inf], np.diff(spread.starts), [np.inf]])
        numbers = snapped(rows[schema.names[variable]].to_numpy(float), spread.step)
        is_single.append((spread.is_point | (widths < 1.5 * spread.step))[spread.pieces(numbers)])
    return float(np.mean(is_single))


def scored(logs: NDArray[np.float64]) -> Result:
    return {"score": float(logs.mean()), "standard_error": standard_error(logs)}


# --- Predictions


def prediction(parts: Parts, method: LearnAC | str) -> Result:
    """Log loss of the target's class, or the root of the mean squared error of a number, over its deviation."""
    target = parts.target
    features, labels = parts.test.drop(columns=target), parts.test[target].to_numpy()
    if isinstance(method, LearnAC):
        features = features[[name for name in parts.columns if name != target]]
        if parts.target_is_number:
            return relative(method.predict(features, target), labels)
        classes = list(method.schema_.categories[method.schema_.index(target)])
        shares = method.predict_proba(features, target)
    else:
        estimator = baseline(method, parts.train.drop(columns=target), parts.target_is_number)
        estimator.fit(parts.train.drop(columns=target), parts.train[target])
        if parts.target_is_number:
            return relative(estimator.predict(features), labels)
        classes, shares = list(estimator.classes_), estimator.predict_proba(features)
    places = pd.Index(classes).get_indexer(labels)
    given = np.where(places < 0, 0.0, shares[np.arange(len(labels)), places])  # None to classes that are not in train.
    losses = -np.log(np.clip(given, np.finfo(float).eps, 1))
    return {"log_loss": float(losses.mean()), "standard_error": standard_error(losses)}


def baseline(method: str, features: pd.DataFrame, is_number: bool, **settings: object) -> Any:
    if method == "frequencies":  # The shares of classes, or the mean, whatever the other columns are.
        return DummyRegressor() if is_number else DummyClassifier(strategy="prior")
    texts = [name for name in features if not pd.api.types.is_numeric_dtype(features[name])]
    if method == "linear":
        encoder = make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), texts), remainder=StandardScaler(), sparse_threshold=0
        )
        return make_pipeline(encoder, Ridge() if is_number else LogisticRegression(max_iter=1000))
    encoder = make_column_transformer((codes_of_texts(), texts), remainder="passthrough")
    kinds = [True] * len(texts) + [False] * (features.shape[1] - len(texts))
    boosting = HistGradientBoostingRegressor if is_number else HistGradientBoostingClassifier
    return make_pipeline(encoder, boosting(categorical_features=kinds, random_state=0, **settings))


def codes_of_texts() -> OrdinalEncoder:
    return OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)


def relative(found: Any, wanted: NDArray[np.float64]) -> Result:
    """The root of the mean squared error over the deviation, and its standard error, to first order."""
    squares = ((np.asarray(found) - wanted) / wanted.std()) ** 2
    error = float(np.sqrt(squares.mean()))
    return {"error": error, "standard_error": standard_error(squares) / (2 * error)}


# --- Imputation


def imputation(parts: Parts, method: LearnAC | str) -> Result:
    """Of values deleted at random: how many categories are wrong, and the error of numbers over their deviation.

    Means over columns, with their errors over rows. What is a category is what learnac takes for one.
    """
    train, numbers, columns = parts.train, parts.numbers, parts.columns
    test = parts.test[:MOST_JUDGED].reset_index(drop=True)
    deleted = np.random.default_rng(parts.seed).random(test[columns].shape) < DELETED
    gaps = test[columns].astype(object).mask(deleted)
    if isinstance(method, LearnAC):
        filled = method.impute(gaps, "marginal")
    else:
        filled = IMPUTERS[method](train[columns], gaps, numbers)
    is_number = np.array([name in numbers for name in columns])
    losses = np.zeros(deleted.shape)
    for column, (name, rows) in enumerate(zip(columns, deleted.T, strict=True)):
        if is_number[column]:
            apart = filled[name][rows].astype(float) - test[name][rows]
            losses[rows, column] = (apart / train[name].std()) ** 2
        else:
            losses[rows, column] = filled[name][rows].astype(str) != test[name][rows].astype(str)
    return {
        **resampled("wrong", losses[:, ~is_number], deleted[:, ~is_number], lambda shares: shares),
        **resampled("error", losses[:, is_number], deleted[:, is_number], np.sqrt),
    }


def resampled(
    name: str,
    losses: NDArray[np.float64],
    counted: NDArray[np.bool_],
    of_mean: Callable[[NDArray[np.float64]], NDArray[np.float64]],
) -> Result:
    """The mean over columns of what their mean losses come to, of the values that are counted; and its standard error,
    by drawing rows with replacement. Columns without any are left out.
    """
    losses, counted = losses[:, counted.any(axis=0)], counted[:, counted.any(axis=0)]
    if not counted.size:
        return {name: None}

    def means(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        totals = weights @ counted
        shares = np.divide(weights @ (losses * counted), totals, out=np.full(totals.shape, np.nan), where=totals > 0)
        return np.asarray(np.nanmean(of_mean(shares), axis=1))

    n_rows = len(losses)
    drawn = np.random.default_rng(0).multinomial(n_rows, np.full(n_rows, 1 / n_rows), size=RESAMPLED).astype(float)
    return {
        name: float(means(np.ones((1, n_rows)))[0]),
        f"{name}_error": float(np.nanstd(means(drawn), ddof=1)),
        f"{name}_values": int(counted.sum()),
    }


def most_frequent(train: pd.DataFrame, gaps: pd.DataFrame, numbers: list[str]) -> pd.DataFrame:
    """Of numbers, their mean."""
    return gaps.fillna({name: train[name].mean() if name in numbers else train[name].mode()[0] for name in train})


def boosted(train: pd.DataFrame, gaps: pd.DataFrame, numbers: list[str]) -> pd.DataFrame:
    """A model for each column, learned from rows with as many gaps in the others."""
    known = train[:MOST_FITTED]
    with_gaps = known.mask(np.random.default_rng(0).random(known.shape) < DELETED)
    asked = gaps.astype({name: float for name in train if pd.api.types.is_numeric_dtype(train[name])})
    filled = {}
    for name in train:
        features = with_gaps.drop(columns=name)
        # Stopping early would need several rows of each category.
        model = baseline("gradient boosting", features, name in numbers, early_stopping=False)
        model.fit(features, known[name])
        filled[name] = model.predict(asked.drop(columns=name))
    return pd.DataFrame(filled, index=gaps.index)


def nearest_neighbours(train: pd.DataFrame, gaps: pd.DataFrame, numbers: list[str]) -> pd.DataFrame:
    """Ten rows; a column for each category, of which all are unknown where the value is."""
    others = [name for name in train if name not in numbers]
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False).fit(train[others].astype(str))

    def encoded(rows: pd.DataFrame) -> NDArray[np.float64]:
        categories = encoder.transform(rows[others].astype(str))
        n_columns = [len(found) for found in encoder.categories_]
        categories[np.repeat(rows[others].isna().to_numpy(), n_columns, axis=1)] = np.nan
        return np.hstack([rows[numbers].astype(float), categories])

    found = scaled_imputer(KNNImputer(n_neighbors=10), encoded(train), encoded(gaps))
    filled = dict(zip(numbers, found.T, strict=False))
    ends = np.cumsum([len(numbers), *(len(categories) for categories in encoder.categories_)])
    for name, categories, first, last in zip(others, encoder.categories_, ends, ends[1:], strict=False):
        filled[name] = categories[found[:, first:last].argmax(axis=1)]
    return pd.DataFrame(filled, index=gaps.index)


def iterative(train: pd.DataFrame, gaps: pd.DataFrame, numbers: list[str]) -> pd.DataFrame:
    """Categories are numbers, in order of their names: columns for each of them would only explain each other."""
    texts = [name for name in train if not pd.api.types.is_numeric_dtype(train[name])]
    known, asked = train.copy(), gaps.copy()
    encoder = codes_of_texts().fit(train[texts]) if texts else None
    if encoder is not None:
        known[texts], asked[texts] = encoder.transform(train[texts]), encoder.transform(gaps[texts])
    known, asked = known.astype(float), asked.astype(float)
    found = pd.DataFrame(
        scaled_imputer(IterativeImputer(random_state=0), known.to_numpy(), asked.to_numpy()),
        columns=train.columns,
        index=gaps.index,
    )
    for name in train:
        if name not in numbers:  # To the nearest code.
            codes = np.sort(known[name].unique())
            nearest = np.abs(found[name].to_numpy()[:, None] - codes).argmin(axis=1)
            found[name] = codes[nearest]
    if encoder is not None:
        found[texts] = encoder.inverse_transform(found[texts])
    return found.astype({name: train[name].dtype for name in train if name not in numbers and name not in texts})


def scaled_imputer(imputer: Any, known: NDArray[np.float64], asked: NDArray[np.float64]) -> NDArray[np.float64]:
    """What is unknown of `asked`, filled in by way of numbers of one scale."""
    scaler = StandardScaler().fit(known)
    imputer.fit(scaler.transform(known)[:MOST_FITTED])
    return scaler.inverse_transform(imputer.transform(scaler.transform(asked)))


IMPUTERS: dict[str, Callable[[pd.DataFrame, pd.DataFrame, list[str]], pd.DataFrame]] = {
    "gradient boosting": boosted,
    "iterative": iterative,
    "nearest neighbours": nearest_neighbours,
    "most frequent": most_frequent,
}


# --- Synthetic rows


def synthetic(parts: Parts, model: LearnAC) -> Result:
    """1 - (2 max(AUC, 0.5) - 1) of a classifier that tells test rows from as many that are drawn."""
    test, columns = parts.test, parts.columns
    drawn = model.sample(len(test), random_state=parts.seed)[columns]
    both = pd.concat([test[columns], drawn], ignore_index=True)
    texts = [name for name in columns if not pd.api.types.is_numeric_dtype(both[name])]
    both[texts] = OrdinalEncoder().fit_transform(both[texts].astype(str))
    real = np.repeat([1, 0], len(test))
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    shares = cross_val_predict(
        HistGradientBoostingClassifier(random_state=0), both, real, cv=folds, method="predict_proba"
    )
    return detected(real, shares[:, 1])


def detected(is_real: NDArray[np.int64], scores: NDArray[np.float64]) -> Result:
    """The standard error is that of the AUC of so many rows drawn with replacement, twice."""
    auc = float(roc_auc_score(is_real, scores))
    rng = np.random.default_rng(0)
    again = [rng.integers(len(scores), size=len(scores)) for _ in range(RESAMPLED)]
    error = float(np.std([roc_auc_score(is_real[rows], scores[rows]) for rows in again], ddof=1))
    return {"auc": auc, "detection": 1 - (2 * max(auc, 0.5) - 1), "detection_error": 2 * error}


QUESTIONS: dict[str, Callable[[Parts, Any], Result]] = {
    "density": density,
    "prediction": prediction,
    "imputation": imputation,
    "synthetic": synthetic,
}

if __name__ == "__main__":
    main("tabular", tasks, measure)
