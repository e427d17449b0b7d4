"""Line by line: what the parser takes each for, and what is written."""

from pytest_embedbench.grading.checks import line_checks

test_levels_are_read = line_checks.readings("L1")
test_malformed_levels_are_told_apart = line_checks.malformed("L2")
test_a_fault_is_read = line_checks.faults("L3")
test_any_other_line_is_ignored = line_checks.ignored("L4")
test_space_does_not_count = line_checks.spaced("L1", "L2", "L4")
test_case_counts = line_checks.miscased("L4")
test_an_odd_byte_is_part_of_its_word = line_checks.odd("L1", "L2", "L4")
test_the_pump_line_is_written_if_it_fits = line_checks.written("L5", pump=("ON", "OFF"))
