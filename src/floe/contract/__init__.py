"""From text to one judged contract; never touches data."""
