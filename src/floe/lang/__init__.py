"""Parsers of small languages in contracts: regular expressions, SQL, types, durations, dates; nothing here touches a
file or the clock.
"""
