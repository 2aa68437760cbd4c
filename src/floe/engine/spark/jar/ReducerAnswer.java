package floe;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Encoder;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.StructType;

/** What one reducer finds in the chunks it receives: how many codes it compared, and those that occur more than once. */
final class ReducerAnswer {
  static final Encoder<Row> ENCODER =
      Encoders.row(
          StructType.fromDDL(
              "compared bigint, null_keys bigint, code bigint, times bigint, partition int, last_row bigint"));
  private static final int MOST_PLACES = 4_000; // rows of an answer, about, that say where codes are

  private final BucketLayout layout;
  private final int limit;
  private final Map<Integer, BucketSet> buckets = new HashMap<>();
  private final Map<Long, DuplicateCode> duplicates = new HashMap<>();
  private long compared;
  private long nullKeys;

  ReducerAnswer(BucketLayout layout, int limit) {
    this.layout = layout;
    this.limit = limit;
  }

  /** Receive all chunks, then compare one bucket after the other, so that one table stands in memory at a time. */
  void compare(Iterator<Row> chunks) {
    while (chunks.hasNext() && !tooMany()) {
      receive(Chunk.of(chunks.next()));
    }
    Iterator<BucketSet> each = buckets.values().iterator();
    while (each.hasNext() && !tooMany()) {
      each.next().compare(duplicates);
      each.remove();
    }
  }

  private void receive(Chunk chunk) {
    if (chunk.countsNullKeys(layout)) {
      nullKeys += chunk.nullKeys();
      return;
    }
    compared += chunk.codes().length / layout.storedBytes;
    buckets.computeIfAbsent(chunk.bucket(), bucket -> new BucketSet(bucket, layout, limit)).add(chunk, duplicates);
  }

  private boolean tooMany() {
    return duplicates.size() > limit;
  }

  Iterator<Row> rows() {
    List<Row> rows = new ArrayList<>();
    boolean many = tooMany();
    if (!many) {
      rows.add(RowFactory.create(compared, nullKeys, null, null, null, null));
    }
    duplicates.forEach(
        (scrambled, duplicate) -> {
          long code = layout.unscramble(scrambled);
          if (many || rows.size() > MOST_PLACES || !duplicate.placesKnown()) {
            rows.add(RowFactory.create(null, null, code, duplicate.times(), -1, 0L));
          } else {
            duplicate
                .lastRows()
                .forEach(
                    (partition, lastRow) ->
                        rows.add(RowFactory.create(null, null, code, duplicate.times(), partition, lastRow)));
          }
        });
    return (many ? rows.subList(0, limit + 1) : rows).iterator();
  }
}
