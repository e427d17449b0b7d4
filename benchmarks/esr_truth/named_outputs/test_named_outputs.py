"""Each name switches its output, and no other."""

import pytest

from pytest_embedbench import Level


@pytest.mark.esr(module="relay")
def test_names_switch_their_outputs(circuit, bench):
    def state():
        lit = circuit.level("heat:A") is Level.HIGH
        return circuit["pump"].is_on, circuit["fan"].is_on, lit

    bench.expect("^ready$", within_ms=300)
    for line, due in (
        ("pump 1", (True, False, False)),
        ("heat 1", (True, False, True)),
        ("pump 0", (False, False, True)),
        ("fan 1", (False, True, True)),
        ("heat 0", (False, True, False)),
    ):
        bench.send(line)
        bench.run_for(120)
        assert state() == due
