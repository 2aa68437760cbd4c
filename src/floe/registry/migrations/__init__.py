"""The store's history; a released migration is never edited."""
