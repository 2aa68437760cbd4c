"""SQL in contracts: whether a query only reads, other dialects as Spark SQL, and the only functions that quote names
and literals.
"""
