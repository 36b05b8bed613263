# %% [markdown]
# # A plant in a data frame
# A pump's speed and a valve drive flow and pressure. Cells as of a notebook: open this file with Jupyter or an editor that
# knows `# %%`, or run it: `python3 plant.py OUT_FOLDER` writes the figures.

# %% A healthy week at one sample per minute
import pathlib
import sys
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from cmr import CouplingDetector

out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")


def plant(start: str, rows: int, seed: int, leak_from: int | None = None) -> Any:
    """Flow follows speed and valve; pressure follows what is not let through. A leak takes from the flow alone."""
    rng = np.random.default_rng(seed)
    steps = rng.normal(size=(rows, 2))
    speed, valve = np.zeros(rows), np.zeros(rows)
    for i in range(1, rows):
        speed[i] = 0.97 * speed[i - 1] + 0.25 * steps[i, 0]
        valve[i] = 0.99 * valve[i - 1] + 0.14 * steps[i, 1]
    leak = np.zeros(rows)
    if leak_from is not None:
        leak[leak_from:] = 0.25 * (speed[leak_from:] + 1)
    flow = 0.8 * speed + 0.5 * valve - leak + 0.08 * rng.normal(size=rows)
    pressure = 0.7 * speed - 0.6 * valve + 0.08 * rng.normal(size=rows)
    index = pd.date_range(start, periods=rows, freq="min")
    return pd.DataFrame({"speed": speed, "valve": valve, "flow": flow, "pressure": pressure}, index=index)


healthy = plant("2026-03-02", 7 * 1440, seed=1)

# %% Learn what drives what
detector = CouplingDetector(causes=["speed", "valve"], window=64, stride=16, method="untrained").fit(healthy)

# %% The next day, with a leak from noon on: no sensor leaves its range
day = plant("2026-03-09", 1440, seed=2, leak_from=720)
level = detector.decision_function(day)
alarm = detector.predict(day)
why = detector.explain(day)
print(f"first alarm at {day.index[alarm.argmax()]:%H:%M}")
print(why.sentence)

# %% Look at it
figure, (signals, levels) = plt.subplots(2, 1, figsize=(9, 5), sharex=True, constrained_layout=True)
signals.plot(day.index, day["flow"], color="#1f6feb", linewidth=0.8, label="flow")
signals.plot(day.index, day["speed"], color="#8b949e", linewidth=0.8, label="speed")
for name in ("flow", "speed"):
    assert healthy[name].min() <= day[name].min() and day[name].max() <= healthy[name].max()
signals.set_ylabel("as measured")
signals.legend(loc="upper left", ncols=2, frameon=False)
signals.set_title("Each signal alone looks healthy …", loc="left")
levels.plot(day.index, level, color="#cf222e", drawstyle="steps-post")
levels.axhline(detector.threshold_, color="black", linewidth=0.8)
levels.axvspan(day.index[720], day.index[-1], color="#cf222e", alpha=0.08, linewidth=0, label="leak")
levels.set_ylabel("level")
levels.set_xlabel("9 March")
levels.xaxis.set_major_formatter(matplotlib.dates.DateFormatter("%H:%M"))
levels.set_title("… but flow no longer follows its causes: the alarm line is 1", loc="left")
levels.legend(loc="upper left", frameon=False)
figure.savefig(out / "plant-level.png", dpi=110)

# %% Which effect, and since when
windows = detector.windows(day)
residuals = pd.DataFrame([w.residuals for w in windows], index=[pd.Timestamp(w.end_s, unit="s") for w in windows])
hours = (residuals.index - day.index[0]).total_seconds() / 3600
figure, picture = plt.subplots(figsize=(9, 2.2), constrained_layout=True)
edges = (hours[0] - (hours[1] - hours[0]), hours[-1], len(residuals.columns) - 0.5, -0.5)
image = picture.imshow(residuals.T, aspect="auto", cmap="Reds", vmin=0, extent=edges, interpolation="nearest")
picture.set_yticks(range(len(residuals.columns)), residuals.columns)
picture.set_xticks(range(0, 25, 3))
picture.set_xlim(0, 24)
picture.set_xlabel("hour of the day at which a window ends")
picture.set_title(why.verdict, loc="left")
figure.colorbar(image, label="healthy deviations")
figure.savefig(out / "plant-effects.png", dpi=110)
