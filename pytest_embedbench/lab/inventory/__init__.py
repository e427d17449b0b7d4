"""What a lab has: its file, the options of its boards, and how they stand."""
