package floe;

import java.io.Serializable;
import java.util.function.LongPredicate;

/** A filter that stores the codes it is asked about; it lets a row pass where full chunks wait to be handed on. */
final class CollectKeys implements LongPredicate, Serializable {
  private static final long serialVersionUID = 1;

  private final BucketLayout layout;
  private transient TaskBuckets buckets;

  CollectKeys(BucketLayout layout) {
    this.layout = layout;
  }

  @Override
  public boolean test(long code) {
    if (buckets == null) {
      buckets = TaskBuckets.ofThisTask(layout);
    }
    return buckets.add(code);
  }

  /** Counts the rows whose key has a null part; it lets none pass. */
  static final class CountNullKeys implements LongPredicate, Serializable {
    private static final long serialVersionUID = 1;

    private final BucketLayout layout;
    private transient TaskBuckets buckets;

    CountNullKeys(BucketLayout layout) {
      this.layout = layout;
    }

    @Override
    public boolean test(long ignored) {
      if (buckets == null) {
        buckets = TaskBuckets.ofThisTask(layout);
      }
      buckets.addNullKey();
      return false;
    }
  }
}
