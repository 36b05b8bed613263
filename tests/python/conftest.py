"""A small plant: a and b drive y and z. Learned once, without a network, which takes seconds."""

import pathlib

import numpy as np
import pandas as pd
import pytest
from cmr import CouplingDetector

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def rows(count: int, seed: int, faulty: bool = False) -> np.ndarray:
    rng = np.random.default_rng(seed)
    a = np.zeros(count)
    for i in range(1, count):
        a[i] = 0.9 * a[i - 1] + 0.4 * rng.normal()
    b = np.sin(0.2 * np.arange(count)) + 0.1 * rng.normal(size=count)
    y = 0.8 * a + 0.4 * b + 0.1 * rng.normal(size=count) + (np.sin(np.arange(count)) if faulty else 0)
    return np.column_stack([a, b, y, a * b + 0.1 * rng.normal(size=count)])


def frame(values: np.ndarray, start: str = "2026-03-02") -> pd.DataFrame:
    return pd.DataFrame(values, columns=list("abyz"), index=pd.date_range(start, periods=len(values), freq="s"))


@pytest.fixture(scope="session")
def healthy() -> pd.DataFrame:
    return frame(rows(2000, seed=1))


@pytest.fixture(scope="session")
def faulty() -> pd.DataFrame:
    """Healthy for 300 seconds, then y no longer follows."""
    return frame(np.vstack([rows(300, seed=2), rows(300, seed=3, faulty=True)]), "2026-03-03")


@pytest.fixture(scope="session")
def detector(healthy: pd.DataFrame) -> CouplingDetector:
    return CouplingDetector(causes=["a", "b"], window=32, stride=8, method="untrained").fit(healthy)
