"""Model and Stream: the library in Python."""

import numpy as np
import pytest
from cmr import InputError, Model, Stream, library_version
from conftest import SOURCE

SEED = max(SOURCE.glob("tests/score/seeds/detector-schema*.safetensors"), key=lambda file: int(file.stem[-1]))


@pytest.fixture(scope="module")
def model():
    return Model(SEED)


def some_rows(model, count=200):
    return np.random.default_rng(1).normal(size=(count, len(model.channels))).astype(np.float32)


def test_a_model_tells_what_it_is(model):
    assert [c.name for c in model.channels if not c.effect] == ["speed", "load"]
    assert model.effects == tuple(c.name for c in model.channels if c.effect and c.used)
    assert model.scores[-1] == "both" and "combined" in model.scores
    assert model.window > 0 and model.threshold > 0 and "[window]" in model.recipe
    assert library_version().startswith("0.")


def all_at_once(stream, times, rows):
    stream.push(times, rows)


def row_by_row(stream, times, rows):
    for time, row in zip(times, rows):
        stream.push(time, row)


def value_by_value(stream, times, rows):
    for time, row in zip(times, rows):
        for channel, value in zip(stream.model.channels, row):
            stream.push_value(time, channel.name, value)


def test_chunks_rows_and_values_say_the_same(model):
    rows = some_rows(model, 600)
    said = []
    for push in (all_at_once, row_by_row, value_by_value):
        with Stream(model) as stream:
            push(stream, np.arange(len(rows)) / model.rate_hz, rows)
            stream.end()
            said.append(list(stream.results()))
            assert stream.count().rows == 600
            assert stream.count().windows == len(said[-1]) > 5
    assert said[0] == said[1] == said[2]


def test_a_state_is_taken_over(model):
    rows = some_rows(model)
    times = np.arange(len(rows)) / model.rate_hz
    whole, first, second = Stream(model), Stream(model), Stream(model)
    whole.push(times, rows)
    first.push(times[:77], rows[:77])
    second.restore(first.save())
    second.push(times[77:], rows[77:])
    assert second.save() == whole.save()
    assert list(second.results()) == list(whole.results())
    with pytest.raises(InputError):
        Stream(model).restore(b"nonsense")


def test_mistakes_are_told(model, tmp_path):
    with pytest.raises(InputError, match="no-such.cmr"):
        Model(tmp_path / "no-such.cmr")
    stream = Stream(model)
    with pytest.raises(InputError, match="channels"):
        stream.push(0, [1, 2])
    with pytest.raises(InputError, match="2 times for 1 rows"):
        stream.push([0, 1], some_rows(model, 1))
    with pytest.raises(InputError, match="no channel 'x'"):
        stream.push_value(0, "x", 1)
    with pytest.raises(InputError):
        stream.explain()
    stream.close()
    with pytest.raises(InputError, match="closed"):
        stream.end()
