"""Facts and now, made a status; nothing here reads a clock."""
