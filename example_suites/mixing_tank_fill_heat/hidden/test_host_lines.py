"""Line by line: what the parser takes each for, and what is written."""

from pytest_embedbench.grading.checks import line_checks

test_readings_are_read = line_checks.readings("L1", "L3")
test_malformed_readings_are_told_apart = line_checks.malformed("L2", "L4")
test_a_fault_is_read = line_checks.faults("L5")
test_any_other_line_is_ignored = line_checks.ignored("L6")
test_space_does_not_count = line_checks.spaced("L7")
test_case_counts = line_checks.miscased("L6", "L7")
test_an_odd_byte_is_part_of_its_word = line_checks.odd("L2", "L4", "L6", "L7")
test_an_actuator_line_is_written_if_it_fits = line_checks.written(
    "L8", inlet=("OPEN", "CLOSED"), heater=("ON", "OFF")
)
test_nothing_is_written_of_a_line_that_does_not_fit = line_checks.refused(
    "L10", inlet=("OPEN", "CLOSED"), heater=("ON", "OFF")
)
