"""It smiles, and frowns while the key is down."""

import pytest

SMILE = (0x3C, 0x42, 0xA5, 0x81, 0xA5, 0x99, 0x42, 0x3D)
FROWN = (0x3C, 0x42, 0xA5, 0x81, 0x99, 0xA5, 0x42, 0x3D)


@pytest.mark.esr(module="MAX7219")
def test_it_frowns_while_the_key_is_down(circuit, bench):
    def shown():
        bench.run_for(60)
        return tuple(
            sum(bool(lit) << n for n, lit in enumerate(row))
            for row in circuit["face"].pixels
        )

    assert shown() == SMILE
    circuit["mood"].hold()
    assert shown() == FROWN
    circuit["mood"].release()
    assert shown() == SMILE
