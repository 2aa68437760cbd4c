package floe;

import java.util.HashMap;
import java.util.Map;

/** A code that occurs more than once: how often, and up to which rows of which partitions. */
final class DuplicateCode {
  private static final int MOST_PARTITIONS = 64;

  private long times = 1;
  private long placed;
  private final Map<Integer, Long> lastRows = new HashMap<>();

  void countAgain() {
    times++;
  }

  void place(int partition, long lastRow) {
    placed++;
    if (lastRows.size() <= MOST_PARTITIONS) {
      lastRows.merge(partition, lastRow, Math::max);
    }
  }

  long times() {
    return times;
  }

  /** Whether all rows with the code were placed, in not too many partitions. */
  boolean placesKnown() {
    return placed >= times && lastRows.size() <= MOST_PARTITIONS;
  }

  Map<Integer, Long> lastRows() {
    return lastRows;
  }
}
