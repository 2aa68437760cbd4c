package floe;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.Row;

/**
 * Looks up the rows that have one of some codes, in the partitions where these were seen.
 *
 * <p>Where a partition has other rows than it had then, rows may be missed: the caller counts what was found.
 */
final class RowLookup implements Serializable {
  private static final long serialVersionUID = 1;

  private final HashSet<Long> codes = new HashSet<>();
  private final HashMap<Integer, Long> lastRows = new HashMap<>();

  RowLookup(byte[] codes, byte[] lastRows) {
    for (LongBuffer each = ByteBuffer.wrap(codes).asLongBuffer(); each.hasRemaining(); ) {
      this.codes.add(each.get());
    }
    for (LongBuffer each = ByteBuffer.wrap(lastRows).asLongBuffer(); each.hasRemaining(); ) {
      this.lastRows.put((int) each.get(), each.get());
    }
  }

  LongPredicate filter() {
    return new LookupFilter(codes, lastRows);
  }

  /** The rows of a partition that have one of the codes; nothing of a partition that is not named is read. */
  Iterator<Row> wanted(Iterator<Row> rows, int codeColumn) {
    if (!lastRows.containsKey(TaskContext.getPartitionId())) {
      return Collections.emptyIterator();
    }
    return new TakeWhile(rows, row -> codes.contains(row.getLong(codeColumn)));
  }

  /** Lets rows with a wanted code pass, and the last row of interest of a partition, at which reading ends. */
  private static final class LookupFilter implements LongPredicate, Serializable {
    private static final long serialVersionUID = 1;

    private final HashSet<Long> codes;
    private final HashMap<Integer, Long> lastRows;
    private final long[] bloom = new long[64]; // one bit for some bits of each code: most others stop there
    private transient long lastRow;
    private transient long rows;

    LookupFilter(HashSet<Long> codes, HashMap<Integer, Long> lastRows) {
      this.codes = codes;
      this.lastRows = lastRows;
      codes.forEach(code -> bloom[(int) (code >>> 6) & 63] |= 1L << code);
    }

    @Override
    public boolean test(long code) {
      if (rows++ == 0) {
        lastRow = lastRows.getOrDefault(TaskContext.getPartitionId(), 0L);
      }
      return rows == lastRow || (bloom[(int) (code >>> 6) & 63] >>> code & 1) != 0 && codes.contains(code);
    }
  }

  /** Lets no row pass. */
  static final class NoRow implements LongPredicate, Serializable {
    private static final long serialVersionUID = 1;

    @Override
    public boolean test(long ignored) {
      return false;
    }
  }

  /** Rows up to the first for which a test is false. */
  private static final class TakeWhile implements Iterator<Row> {
    private final Iterator<Row> rows;
    private final Predicate<Row> test;
    private Row next;
    private boolean ended;

    TakeWhile(Iterator<Row> rows, Predicate<Row> test) {
      this.rows = rows;
      this.test = test;
    }

    @Override
    public boolean hasNext() {
      if (next == null && !ended) {
        next = rows.hasNext() ? rows.next() : null;
        ended = next == null || !test.test(next);
      }
      return !ended;
    }

    @Override
    public Row next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      Row found = next;
      next = null;
      return found;
    }
  }
}
