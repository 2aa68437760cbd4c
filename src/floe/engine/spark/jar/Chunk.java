package floe;

import org.apache.spark.sql.Encoder;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.StructType;

/**
 * What a task hands to a reducer: some codes of one bucket, of which the bits of the bucket itself are left out; and the
 * partition they come from, with how many of its rows were read by then.
 *
 * <p>The last chunk of a task has the bucket beyond all others, no codes, and instead of rows the number of null keys.
 */
record Chunk(int bucket, int partition, long lastRow, byte[] codes) {
  static final Encoder<Row> ENCODER =
      Encoders.row(StructType.fromDDL("bucket int, partition int, last_row bigint, codes binary"));
  static final String BUCKET = "bucket";

  static Chunk ofNullKeys(BucketLayout layout, int partition, long nullKeys) {
    return new Chunk(layout.buckets, partition, nullKeys, new byte[0]);
  }

  static Chunk of(Row row) {
    return new Chunk(row.getInt(0), row.getInt(1), row.getLong(2), row.getAs(3));
  }

  Row row() {
    return RowFactory.create(bucket, partition, lastRow, codes);
  }

  boolean countsNullKeys(BucketLayout layout) {
    return bucket == layout.buckets;
  }

  long nullKeys() {
    return lastRow;
  }
}
