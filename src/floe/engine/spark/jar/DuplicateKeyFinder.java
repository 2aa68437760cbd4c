package floe;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;

import java.util.Iterator;
import java.util.List;
import java.util.function.LongPredicate;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.If;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.UnscaledValue;
import org.apache.spark.sql.catalyst.expressions.objects.Invoke;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.ExpressionUtils;
import org.apache.spark.sql.types.AbstractDataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.ObjectType;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Finds keys that occur more than once, without one shuffle record or one hash map entry per row as `groupBy` needs.
 *
 * <p>Each key is encoded as one number of at most 64 bits, its code. Codes leave the loop that Spark generates for the
 * scan through a filter that stores them in byte arrays, one per bucket of codes ({@link TaskBuckets}). Only these
 * arrays are shuffled, and a reducer looks for equal codes in one bucket at a time ({@link BucketSet}).
 *
 * <p>Why it is right, what bounds memory, and what happens on failure: docs/design/keys.md. Called by
 * floe/engine/spark/keys/jar.py.
 */
public final class DuplicateKeyFinder {
  private DuplicateKeyFinder() {}

  /**
   * The codes that occur more than once, and how many rows were compared.
   *
   * <p>Each reducer answers with one row of counts: `compared`, the codes it received, and `null_keys`, the rows that
   * were left out because a part of their key is null. Over all reducers the two add up to the rows of the frame, or
   * rows were lost on the way. It answers with further rows for codes that occur more than once: the code, how often it
   * occurs, a partition of the frame that has it, and a row of that partition beyond which it does not occur. The
   * partition is -1 where the code may be anywhere. A reducer that finds more than `limit` such codes stops, answers
   * with some of them, and has no row of counts.
   *
   * @param keys a frame whose last two columns are whether the key has no null part, and its code
   * @param bits how many bits a code has
   * @param reducers tasks that compare codes
   */
  public static Dataset<Row> find(Dataset<Row> keys, int bits, int reducers, int limit) {
    BucketLayout layout = BucketLayout.of(bits, reducers);
    Dataset<Row> collected = filter(keys, new CollectKeys(layout), new CollectKeys.CountNullKeys(layout));
    return collected
        .select(col(keys.columns()[keys.columns().length - 1]))
        .as(Encoders.LONG())
        .mapPartitions((MapPartitionsFunction<Long, Row>) CollectedChunks::new, Chunk.ENCODER)
        .repartitionById(reducers, col(Chunk.BUCKET).mod(lit(reducers)))
        .mapPartitions(
            (MapPartitionsFunction<Row, Row>) chunks -> duplicates(chunks, layout, limit), ReducerAnswer.ENCODER);
  }

  private static Iterator<Row> duplicates(Iterator<Row> chunks, BucketLayout layout, int limit) {
    ReducerAnswer answer = new ReducerAnswer(layout, limit);
    answer.compare(chunks);
    return answer.rows();
  }

  /**
   * The rows of a frame with one of the codes. Only the partitions that are named are read, each up to its last row.
   *
   * @param keys a frame whose last two columns are whether the key has no null part, and its code
   * @param codes longs, big-endian
   * @param lastRows pairs of longs: a partition, and the last row of it that may have one of the codes
   */
  public static Dataset<Row> rowsWithCodes(Dataset<Row> keys, byte[] codes, byte[] lastRows) {
    RowLookup lookup = new RowLookup(codes, lastRows);
    int codeColumn = keys.columns().length - 1;
    return filter(keys, lookup.filter(), new RowLookup.NoRow())
        .mapPartitions((MapPartitionsFunction<Row, Row>) rows -> lookup.wanted(rows, codeColumn), keys.encoder());
  }

  /**
   * A filter within the loop that Spark generates: by the code of rows whose key has no null part, and for the others.
   *
   * <p>Both tests are declared non-deterministic, because they have effects: Spark then neither moves nor repeats them.
   */
  private static Dataset<Row> filter(Dataset<Row> keys, LongPredicate ofCode, LongPredicate ofNullKey) {
    scala.collection.immutable.Seq<Attribute> columns = keys.queryExecution().analyzed().output();
    Expression whole = columns.apply(columns.size() - 2);
    Expression code = columns.apply(columns.size() - 1);
    Expression none = new Literal(0L, DataTypes.LongType);
    return keys.where(ExpressionUtils.column(new If(whole, test(ofCode, code), test(ofNullKey, none))));
  }

  private static Expression test(LongPredicate predicate, Expression argument) {
    return new Invoke(
        new Literal(predicate, new ObjectType(LongPredicate.class)),
        "test",
        DataTypes.BooleanType,
        seq(List.of(argument)),
        seq(List.<AbstractDataType>of(DataTypes.LongType)),
        true,
        false,
        false);
  }

  /** Whether rows of a frame stand in its plan itself: Spark filters such rows while it plans, not in tasks. */
  public static boolean hasLocalRelation(Dataset<Row> rows) {
    return rows.queryExecution().analyzed().collectLeaves().exists(leaf -> leaf instanceof LocalRelation);
  }

  /** A decimal of at most 18 digits as the whole number that it is without its point. */
  public static Column unscaled(Column decimal) {
    return ExpressionUtils.column(new UnscaledValue(ExpressionUtils.expression(decimal)));
  }

  /** A code with the bits of one more key part; `outside` where a part does not lie between its bounds. */
  public static Column packPart(Column code, Column part, long least, long most, int shift, long outside) {
    return ExpressionUtils.column(
        new Invoke(
            new Literal(new PackKeyPart(least, most, shift, outside), new ObjectType(PackKeyPart.INTERFACE)),
            "applyAsLong",
            DataTypes.LongType,
            seq(List.of(ExpressionUtils.expression(code), ExpressionUtils.expression(part))),
            seq(List.<AbstractDataType>of(DataTypes.LongType, DataTypes.LongType)),
            true,
            true,
            true));
  }

  private static <T> scala.collection.immutable.Seq<T> seq(List<T> list) {
    return CollectionConverters.asScala(list).toSeq();
  }
}
