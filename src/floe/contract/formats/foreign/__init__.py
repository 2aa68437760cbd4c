"""Schema documents of other tools: read into contracts, and contracts written as them."""
