"""Every Python block of docs/python.md runs."""

import re

from conftest import SOURCE, frame, rows


def test_the_guide(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    named = {"a": "speed", "b": "valve"}
    healthy, today = (frame(rows(count, seed)).rename(columns=named) for count, seed in ((2000, 1), (600, 2)))
    names = {"healthy": healthy, "today": today, "time_s": 0.0, "row": today.iloc[0].to_numpy()}
    blocks = re.findall(r"```python\n(.*?)```", (SOURCE / "docs/python.md").read_text(), flags=re.S)
    assert len(blocks) >= 2
    for block in blocks:
        exec(block.replace("window=256", 'window=32, method="untrained"'), names)  # as quick as a test must be
    assert capsys.readouterr().out.strip()
