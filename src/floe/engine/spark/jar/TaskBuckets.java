package floe;

import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.TaskContext;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.util.TaskCompletionListener;

/**
 * The codes that a task has collected and not yet handed on, by bucket.
 *
 * <p>The filter that collects and the iterator that hands on run in the same task, one inside the other: the task is
 * where they meet. Memory is bounded: the open buckets take about a megabyte, and full chunks are handed on as soon as
 * the filter lets a row pass, which it does after at most `BUFFER` further codes.
 */
final class TaskBuckets {
  private static final Map<TaskContext, TaskBuckets> OF_TASK = new ConcurrentHashMap<>();
  private static final boolean BIG_ENDIAN = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN;
  private static final int BUFFER = 4096; // codes that wait to be put into buckets
  private static final int OPEN_BYTES = 1 << 20; // of all open buckets, about
  private static final int LEAST_CODES = 16; // of a chunk

  private final BucketLayout layout;
  private final int partition = TaskContext.getPartitionId();
  private final long[] buffer = new long[BUFFER];
  private int buffered;
  private long stored;
  private long nullKeys;
  private final int chunkBytes;
  private final byte[][] open;
  private final int[] ends;
  private final ArrayDeque<Chunk> chunks = new ArrayDeque<>();

  private TaskBuckets(BucketLayout layout) {
    this.layout = layout;
    chunkBytes = Math.max(OPEN_BYTES / layout.buckets / layout.storedBytes, LEAST_CODES) * layout.storedBytes;
    open = new byte[layout.buckets][chunkBytes + Long.BYTES];
    ends = new int[layout.buckets];
  }

  static TaskBuckets ofThisTask(BucketLayout layout) {
    TaskContext task = TaskContext.get();
    if (task == null) {
      throw new IllegalStateException("keys are collected in tasks alone, not while a query is planned");
    }
    TaskBuckets found = OF_TASK.get(task);
    if (found == null) {
      found = new TaskBuckets(layout);
      OF_TASK.put(task, found);
      TaskCompletionListener forget = OF_TASK::remove;
      task.addTaskCompletionListener(forget);
    }
    if (!found.layout.query.equals(layout.query)) {
      throw new IllegalStateException("a task collects keys of one query, not of two");
    }
    return found;
  }

  /** What this task has collected; null where it has collected nothing. */
  static TaskBuckets ofThisTask() {
    return OF_TASK.get(TaskContext.get());
  }

  void addNullKey() {
    nullKeys++;
  }

  /** Store a code; whether chunks wait to be handed on. */
  boolean add(long code) {
    buffer[buffered++] = code;
    return buffered == BUFFER && store();
  }

  private boolean store() {
    store(buffer, buffered, open, ends);
    stored += buffered;
    buffered = 0;
    return !chunks.isEmpty();
  }

  /** Put codes into their buckets: a loop of its own over local variables, which Java compiles well. */
  private void store(long[] buffer, int buffered, byte[][] open, int[] ends) {
    int storedBits = layout.storedBits;
    int storedBytes = layout.storedBytes;
    int chunkBytes = this.chunkBytes;
    int half = layout.half();
    long mask = layout.mask();
    for (int at = 0; at < buffered; at++) {
      long code = BucketLayout.scramble(buffer[at], half, mask);
      int bucket = (int) (code >>> storedBits);
      int end = ends[bucket];
      // all eight bytes, the least first; the next code overwrites those that are not stored
      Platform.putLong(open[bucket], Platform.BYTE_ARRAY_OFFSET + end, BIG_ENDIAN ? Long.reverseBytes(code) : code);
      ends[bucket] = end + storedBytes;
      if (end + storedBytes == chunkBytes) {
        close(bucket);
      }
    }
  }

  private void close(int bucket) {
    byte[] codes = Arrays.copyOf(open[bucket], ends[bucket]);
    chunks.add(new Chunk(bucket, partition, stored + buffered, codes));
    ends[bucket] = 0;
  }

  /** Close all buckets when the task has read its last row. */
  void finish() {
    store();
    for (int bucket = 0; bucket < open.length; bucket++) {
      if (ends[bucket] > 0) {
        close(bucket);
      }
    }
    chunks.add(Chunk.ofNullKeys(layout, partition, nullKeys));
  }

  boolean hasChunks() {
    return !chunks.isEmpty();
  }

  Chunk nextChunk() {
    return chunks.remove();
  }

  /** One code of a chunk, which must have `Long.BYTES` more bytes than are read. */
  static long codeAt(byte[] chunk, int at) {
    long code = Platform.getLong(chunk, Platform.BYTE_ARRAY_OFFSET + at);
    return BIG_ENDIAN ? Long.reverseBytes(code) : code;
  }
}
