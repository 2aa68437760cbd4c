package floe;

import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.sql.Row;

/**
 * The chunks of a task, while its rows are read.
 *
 * <p>To ask for the next row is what makes Spark read, filter and so collect; the rows themselves are of no interest.
 */
final class CollectedChunks implements Iterator<Row> {
  private final Iterator<Long> rows;
  private TaskBuckets buckets;
  private boolean ended;

  CollectedChunks(Iterator<Long> rows) {
    this.rows = rows;
  }

  @Override
  public boolean hasNext() {
    while (!ended && (buckets == null || !buckets.hasChunks())) {
      if (rows.hasNext()) {
        rows.next();
        buckets = TaskBuckets.ofThisTask();
      } else {
        ended = true;
        buckets = TaskBuckets.ofThisTask();
        if (buckets != null) {
          buckets.finish();
        }
      }
    }
    return buckets != null && buckets.hasChunks();
  }

  @Override
  public Row next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    return buckets.nextChunk().row();
  }
}
