"""From contract to verdict on real tables."""
