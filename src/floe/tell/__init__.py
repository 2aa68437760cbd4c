"""What is said, and to whom."""
