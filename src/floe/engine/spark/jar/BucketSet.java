package floe;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * The codes of one bucket, compared with a bitmap where they have few bits, else with a hash table.
 *
 * <p>All chunks wait and are compared at once, while the table is in a core's cache. Where they are more than
 * `MOST_WAITING` bytes they are compared before that, so that memory is bounded by the distinct codes of the bucket and
 * not by its rows.
 */
final class BucketSet {
  private static final int MOST_WAITING = 1 << 23; // bytes

  private final long bucketBits;
  private final int storedBytes;
  private final long storedMask;
  private final int limit;
  private final List<Chunk> waiting = new ArrayList<>();
  private int waitingBytes;
  private final int bitmapWords; // 0 where a hash table is used instead
  private long[] bitmap; // a bit for each possible code
  private long[] table = new long[0]; // open addressing, at most half full; 0 marks a free slot
  private int used;
  private boolean hasZero;

  BucketSet(int bucket, BucketLayout layout, int limit) {
    bucketBits = (long) bucket << layout.storedBits;
    storedBytes = layout.storedBytes;
    storedMask = -1L >>> (64 - layout.storedBits);
    bitmapWords = layout.fitsBitmap() ? Math.max(1 << layout.storedBits >> 6, 1) : 0;
    this.limit = limit;
  }

  void add(Chunk chunk, Map<Long, DuplicateCode> duplicates) {
    waiting.add(chunk);
    waitingBytes += chunk.codes().length;
    if (waitingBytes > MOST_WAITING) {
      compare(duplicates);
    }
  }

  /** Put the codes that wait into the set; those that were there become duplicates, and are looked for in the chunks. */
  void compare(Map<Long, DuplicateCode> duplicates) {
    if (bitmapWords == 0) {
      ensureRoomFor(used + waitingBytes / storedBytes);
    } else if (bitmap == null) {
      bitmap = new long[bitmapWords];
    }
    boolean any = false;
    for (Chunk chunk : waiting) {
      byte[] codes = padded(chunk.codes());
      for (int at = 0; at < chunk.codes().length; at += storedBytes) {
        long code = TaskBuckets.codeAt(codes, at) & storedMask;
        if (!isNew(code)) {
          duplicates.computeIfAbsent(bucketBits | code, first -> new DuplicateCode()).countAgain();
          any = true;
          if (duplicates.size() > limit) {
            return; // too many to name: the reducer stops
          }
        }
      }
    }
    if (any) {
      waiting.forEach(chunk -> place(chunk, duplicates));
    }
    waiting.clear();
    waitingBytes = 0;
  }

  private void place(Chunk chunk, Map<Long, DuplicateCode> duplicates) {
    byte[] codes = padded(chunk.codes());
    for (int at = 0; at < chunk.codes().length; at += storedBytes) {
      DuplicateCode duplicate = duplicates.get(bucketBits | TaskBuckets.codeAt(codes, at) & storedMask);
      if (duplicate != null) {
        duplicate.place(chunk.partition(), chunk.lastRow());
      }
    }
  }

  /** Codes are read eight bytes at a time, also the last one. */
  private static byte[] padded(byte[] codes) {
    return Arrays.copyOf(codes, codes.length + Long.BYTES);
  }

  private boolean isNew(long code) {
    if (bitmap != null) {
      long before = bitmap[(int) (code >>> 6)];
      bitmap[(int) (code >>> 6)] = before | 1L << code;
      return (before >>> code & 1) == 0;
    }
    if (code == 0) {
      boolean first = !hasZero;
      hasZero = true;
      return first;
    }
    int slot = slotOf(code);
    if (table[slot] == code) {
      return false;
    }
    table[slot] = code;
    used++;
    return true;
  }

  private int slotOf(long code) {
    int last = table.length - 1;
    int slot = (int) code & last;
    while (table[slot] != 0 && table[slot] != code) {
      slot = (slot + 1) & last;
    }
    return slot;
  }

  private void ensureRoomFor(int codes) {
    int size = Math.multiplyExact(Integer.highestOneBit(Math.max(codes, 1)), 4);
    if (table.length >= size) {
      return;
    }
    long[] before = table;
    table = new long[size];
    for (long code : before) {
      if (code != 0) {
        table[slotOf(code)] = code;
      }
    }
  }
}
