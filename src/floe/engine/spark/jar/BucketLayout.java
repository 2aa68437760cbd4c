package floe;

import java.io.Serializable;
import java.util.UUID;

/**
 * How codes are laid out in buckets: the first bits of a scrambled code are its bucket, the others are stored.
 *
 * <p>Scrambling gives buckets of about one length, whatever the codes. It maps codes of so many bits one to one, so equal
 * scrambled codes are equal codes.
 */
final class BucketLayout implements Serializable {
  private static final long serialVersionUID = 1;
  private static final int BITMAP_BITS = 22; // up to so many stored bits, a bucket is compared with a bitmap of 512 KB
  private static final int LEAST_BUCKET_BITS = 8;
  private static final int LEAST_BUCKET_BITS_OF_BITMAPS = 6;
  private static final int MOST_BUCKET_BITS = 17;

  /** Tells the collected codes of one query from those of another. */
  final UUID query = UUID.randomUUID();

  final int buckets;
  final int storedBits;
  final int storedBytes;
  private final int half;
  private final long mask;

  private BucketLayout(int codeBits, int bucketBits) {
    buckets = 1 << bucketBits;
    storedBits = codeBits - bucketBits;
    storedBytes = (storedBits + 7) / 8;
    half = (codeBits + 1) / 2;
    mask = -1L >>> (64 - codeBits);
  }

  /** At least eight buckets for each reducer, so that they can be spread and compared one at a time. */
  static BucketLayout of(int bits, int reducers) {
    boolean small = bits <= BITMAP_BITS + LEAST_BUCKET_BITS_OF_BITMAPS;
    int least = small ? LEAST_BUCKET_BITS_OF_BITMAPS : LEAST_BUCKET_BITS;
    int eightOfEach = 3 + 32 - Integer.numberOfLeadingZeros(reducers);
    int bucketBits = Math.min(Math.max(least, eightOfEach), MOST_BUCKET_BITS);
    return new BucketLayout(Math.max(bits, bucketBits + 1), bucketBits);
  }

  boolean fitsBitmap() {
    return storedBits <= BITMAP_BITS;
  }

  int half() {
    return half;
  }

  long mask() {
    return mask;
  }

  /**
   * Another code of as many bits, each bit of which depends on all bits of the code (as MurmurHash3 ends).
   *
   * <p>One to one: a multiplication by an odd number is, and so is `code ^ code >>> half`, as `half` is at least half of
   * the bits.
   */
  static long scramble(long code, int half, long mask) {
    code = (code ^ code >>> half) * 0xff51afd7ed558ccdL & mask;
    code = (code ^ code >>> half) * 0xc4ceb9fe1a85ec53L & mask;
    return code ^ code >>> half;
  }

  /** The code that was scrambled; the factors are the inverse ones modulo two to the 64th. */
  long unscramble(long code) {
    code = (code ^ code >>> half) * 0x9cb4b2f8129337dbL & mask;
    code = (code ^ code >>> half) * 0x4f74430c22a54005L & mask;
    return code ^ code >>> half;
  }
}
