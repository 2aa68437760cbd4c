package floe;

import java.io.Serializable;
import java.util.function.LongBinaryOperator;

/**
 * Adds one key part to a code, within the loop that Spark generates.
 *
 * <p>The bounds are fields, not SQL literals, so that bounds of classified columns stand in no query's text. A frame may
 * have values beyond the bounds that were known of it: all of these share one code of their own, `outside`, and are
 * compared as equal until their rows are looked at.
 */
final class PackKeyPart implements LongBinaryOperator, Serializable {
  static final Class<LongBinaryOperator> INTERFACE = LongBinaryOperator.class; // what generated code may call
  private static final long serialVersionUID = 1;

  private final long least;
  private final long most;
  private final int shift;
  private final long outside;

  PackKeyPart(long least, long most, int shift, long outside) {
    this.least = least;
    this.most = most;
    this.shift = shift;
    this.outside = outside;
  }

  @Override
  public long applyAsLong(long code, long part) {
    return code == outside || part < least || part > most ? outside : code | part - least << shift;
  }
}
