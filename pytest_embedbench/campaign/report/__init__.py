"""What campaigns came to: runs read back, tables of them, and how those are written."""
