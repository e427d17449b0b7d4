"""Line by line: what the parser takes each for, and what is written."""

from pytest_embedbench.grading.checks import line_checks

test_temperatures_are_read = line_checks.readings("L1")
test_malformed_temperatures_are_told_apart = line_checks.malformed("L2")
test_a_fault_is_read = line_checks.faults("L3")
test_any_other_line_is_ignored = line_checks.ignored("L4")
test_space_does_not_count = line_checks.spaced("L5")
test_case_counts = line_checks.miscased("L4", "L5")
test_an_odd_byte_is_part_of_its_word = line_checks.odd("L2", "L4", "L5")
test_the_heater_line_is_written_if_it_fits = line_checks.written(
    "L6", heater=("ON", "OFF")
)
test_nothing_is_written_of_a_line_that_does_not_fit = line_checks.refused(
    "L8", heater=("ON", "OFF")
)
