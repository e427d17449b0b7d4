"""Where the plugin keeps things on pytest's own objects."""

CASE_ID = "embedbench_unit_test_case"
"""An attribute of a worker's report: the node id that it is to have."""
STAND_IN = "embedbench_test_framework"
"""A user property of this name says what stood in for a test framework."""
