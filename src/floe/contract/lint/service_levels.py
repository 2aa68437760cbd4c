"""Service levels: values, units, elements, promises that disagree."""

from floe.contract.lint.views import fold

# property -> what kind of value it has, with the two letters the standard gives it
KINDS = {
    "duration": "latency ly freshness retention re timeToDetect td timeToNotify tn timeToRepair tr latencyP99 latency_p99"
    " recoveryTime recovery_time responseTime",
    "percent": "availability av errorRate er completeness",
    "date": "generalAvailability ga endOfSupport es endOfLife el",
    "time": "timeOfAvailability ta",
    "rate": "frequency fy throughput th",
}


KIND = {fold(word): kind for kind, words in KINDS.items() for word in words.split()}
