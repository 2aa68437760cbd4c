package floe;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.LongBinaryOperator;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Encoder;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.UnscaledValue;
import org.apache.spark.sql.catalyst.expressions.objects.Invoke;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.ExpressionUtils;
import org.apache.spark.sql.types.AbstractDataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.ObjectType;
import org.apache.spark.unsafe.Platform;
import scala.Tuple4;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Which numbers of a frame come more than once.
 *
 * <p>Numbers leave the loop that Spark generates for the scan by a filter that keeps them in lists, not as rows; the
 * lists are what is shuffled. So a number costs neither a record nor an entry of a map of rows. A list has the numbers
 * that begin with the same bits, and keeps the others alone.
 */
public final class Repeats {
  private static final int LISTS = 8; // bits that a list stands for, at least; fewer where bits mark all its numbers
  private static final int MARKED_LISTS = 6;
  private static final int MARKED = 22;
  private static final int HELD = 1 << 20; // bytes that a task holds back, about
  private static final int MOST_LISTS = 17;
  private static final int PLACES = 64; // of a number, that are told
  private static final int TOLD = 4_000; // places of all numbers of a part
  private static final boolean TURNED = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN;
  private static final Encoder<Tuple4<Integer, Integer, Long, byte[]>> LIST =
      Encoders.tuple(Encoders.INT(), Encoders.INT(), Encoders.LONG(), Encoders.BINARY());
  private static final Encoder<Tuple4<Long, Long, Integer, Long>> REPEAT =
      Encoders.tuple(Encoders.LONG(), Encoders.LONG(), Encoders.INT(), Encoders.LONG());

  private Repeats() {}

  /**
   * The numbers of a frame's only column that come more than once: all of them, or more than `most`.
   *
   * <p>Numbers have so many `bits`; so many `parts` of all numbers are looked through, each by a task. A row has a
   * number, how often it comes, a partition of the frame that has it, and up to which of its rows; partition -1 where
   * it may be anywhere.
   */
  public static Dataset<Row> of(Dataset<Row> numbers, int bits, int parts, int most) {
    Form form = new Form(bits, parts);
    return where(numbers, new Kept(form))
        .as(Encoders.LONG())
        .mapPartitions((MapPartitionsFunction<Long, Tuple4<Integer, Integer, Long, byte[]>>) Drained::new, LIST)
        .repartitionById(parts, col("_1").mod(lit(parts)))
        .mapPartitions(
            (MapPartitionsFunction<Tuple4<Integer, Integer, Long, byte[]>, Tuple4<Long, Long, Integer, Long>>)
                lists -> again(lists, form, most),
            REPEAT)
        .toDF("number", "times", "partition", "rows");
  }

  /**
   * The rows of a frame whose last column is one of the numbers. Only some partitions are read, each as far as told.
   *
   * @param numbers longs, the first byte first
   * @param ends pairs of longs: a partition, and how many of its rows
   */
  public static Dataset<Row> among(Dataset<Row> rows, byte[] numbers, byte[] ends) {
    Set<Long> wanted = new HashSet<>();
    for (LongBuffer each = ByteBuffer.wrap(numbers).asLongBuffer(); each.hasRemaining(); ) {
      wanted.add(each.get());
    }
    Map<Integer, Long> known = new HashMap<>();
    for (LongBuffer each = ByteBuffer.wrap(ends).asLongBuffer(); each.hasRemaining(); ) {
      known.put((int) each.get(), each.get());
    }
    int last = rows.columns().length - 1;
    return where(rows, new Sought(wanted, known))
        .mapPartitions(
            (MapPartitionsFunction<Row, Row>)
                found ->
                    known.containsKey(TaskContext.getPartitionId())
                        ? new Until(found, row -> wanted.contains(row.getLong(last)))
                        : Collections.emptyIterator(),
            rows.encoder());
  }

  /** The rows for whose last column a test is true; it is asked within the loop that Spark generates. */
  private static Dataset<Row> where(Dataset<Row> rows, LongPredicate test) {
    Expression asked =
        new Invoke(
            new Literal(test, new ObjectType(LongPredicate.class)),
            "test",
            DataTypes.BooleanType,
            seq(List.<Expression>of(rows.queryExecution().analyzed().output().last())),
            seq(List.<AbstractDataType>of(DataTypes.LongType)),
            true,
            false,
            false);
    return rows.where(ExpressionUtils.column(asked));
  }

  /** Whether rows stand in a frame's own plan: Spark filters those when it plans, not by tasks. */
  public static boolean planned(Dataset<Row> rows) {
    return rows.queryExecution().analyzed().collectLeaves().exists(leaf -> leaf instanceof LocalRelation);
  }

  /** A decimal of at most 18 digits as the whole number that it is without its point. */
  public static Column unscaled(Column decimal) {
    return ExpressionUtils.column(new UnscaledValue(ExpressionUtils.expression(decimal)));
  }

  /** A number with the bits of a part of its key added; `beyond` where the part does not lie between its bounds. */
  public static Column packed(Column number, Column part, long least, long most, int shift, long beyond) {
    LongBinaryOperator added = new Added(least, most, shift, beyond);
    return ExpressionUtils.column(
        new Invoke(
            new Literal(added, new ObjectType(LongBinaryOperator.class)),
            "applyAsLong",
            DataTypes.LongType,
            seq(List.of(ExpressionUtils.expression(number), ExpressionUtils.expression(part))),
            seq(List.<AbstractDataType>of(DataTypes.LongType, DataTypes.LongType)),
            true,
            true,
            true));
  }

  private static <T> scala.collection.immutable.Seq<T> seq(List<T> some) {
    return CollectionConverters.asScala(some).toSeq();
  }

  /** Bits of a part, within the loop that Spark generates; a part is looked at once, and its bounds are in no text. */
  private static final class Added implements LongBinaryOperator, Serializable {
    private static final long serialVersionUID = 1;

    private final long least;
    private final long most;
    private final int shift;
    private final long beyond;

    Added(long least, long most, int shift, long beyond) {
      this.least = least;
      this.most = most;
      this.shift = shift;
      this.beyond = beyond;
    }

    @Override
    public long applyAsLong(long number, long part) {
      return number == beyond || part < least || part > most ? beyond : number | part - least << shift;
    }
  }

  /** How numbers stand in lists: mixed, so that lists are of one length; the bits that a list stands for are left out. */
  private static final class Form implements Serializable {
    private static final long serialVersionUID = 1;

    final int lists;
    final int rest; // bits
    final int width; // bytes of the rest
    private final int half;
    private final long mask;

    Form(int bits, int parts) {
      int least = bits <= MARKED + MARKED_LISTS ? MARKED_LISTS : LISTS;
      int listed = Math.min(Math.max(least, 35 - Integer.numberOfLeadingZeros(parts)), MOST_LISTS);
      int all = Math.max(bits, listed + 1);
      lists = 1 << listed;
      rest = all - listed;
      width = (rest + 7) / 8;
      half = (all + 1) / 2;
      mask = -1L >>> (64 - all);
    }

    /** A number for each number, all bits of which depend on all of the other's (as MurmurHash3 ends). */
    static long mixed(long number, int half, long mask) {
      number = (number ^ number >>> half) * 0xff51afd7ed558ccdL & mask;
      number = (number ^ number >>> half) * 0xc4ceb9fe1a85ec53L & mask;
      return number ^ number >>> half;
    }

    long unmixed(long number) {
      number = (number ^ number >>> half) * 0x9cb4b2f8129337dbL & mask;
      number = (number ^ number >>> half) * 0x4f74430c22a54005L & mask;
      return number ^ number >>> half;
    }
  }

  /** A filter that keeps what it is asked; it lets a row pass where lists are ready to be fetched. */
  private static final class Kept implements LongPredicate, Serializable {
    private static final long serialVersionUID = 1;

    private final Form form;
    private transient Lists lists;

    Kept(Form form) {
      this.form = form;
    }

    @Override
    public boolean test(long number) {
      if (lists == null) {
        lists = Lists.begun(form);
      }
      return lists.add(number);
    }
  }

  /** A filter for numbers; it lets the last row of a partition that is of interest pass too. */
  private static final class Sought implements LongPredicate, Serializable {
    private static final long serialVersionUID = 1;

    private final Set<Long> wanted;
    private final Map<Integer, Long> ends;
    private final long[] marks = new long[64]; // a bit for some bits of each number: most others stop there
    private transient long end;
    private transient long seen;

    Sought(Set<Long> wanted, Map<Integer, Long> ends) {
      this.wanted = wanted;
      this.ends = ends;
      wanted.forEach(number -> marks[(int) (number >>> 6) & 63] |= 1L << number);
    }

    @Override
    public boolean test(long number) {
      if (seen++ == 0) {
        end = ends.getOrDefault(TaskContext.getPartitionId(), 0L);
      }
      return seen == end || (marks[(int) (number >>> 6) & 63] >>> number & 1) != 0 && wanted.contains(number);
    }
  }

  /** Elements up to the first for which a test is false. */
  private static final class Until implements Iterator<Row> {
    private final Iterator<Row> rows;
    private final Predicate<Row> test;
    private Row next;
    private boolean ended;

    Until(Iterator<Row> rows, Predicate<Row> test) {
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

  /** What a task has kept so far. */
  private static final class Lists {
    private static final Map<TaskContext, Lists> OF_TASKS = Collections.synchronizedMap(new WeakHashMap<>());

    private final Form form;
    private final long[] last = new long[4096];
    private int size;
    private long kept;
    private int turn = 1; // so many are put into lists at a time; the first at once, so that its row passes
    private final int length;
    private final byte[][] open;
    private final int[] ends;
    private final ArrayDeque<Tuple4<Integer, Integer, Long, byte[]>> full = new ArrayDeque<>();

    private Lists(Form form) {
      this.form = form;
      length = Math.max(HELD / form.lists / form.width, 16) * form.width;
      open = new byte[form.lists][length + Long.BYTES];
      ends = new int[form.lists];
    }

    static Lists begun(Form form) {
      if (TaskContext.get() == null) {
        throw new IllegalStateException("numbers can be kept by a task alone");
      }
      Lists found = OF_TASKS.computeIfAbsent(TaskContext.get(), task -> new Lists(form));
      if (found.form != form) {
        throw new IllegalStateException("a task keeps numbers for two queries");
      }
      return found;
    }

    static Lists known() {
      Lists found = OF_TASKS.get(TaskContext.get());
      if (found == null) {
        throw new IllegalStateException("numbers were kept by another task than the one that asks for them");
      }
      return found;
    }

    /** What was kept, if anything was. */
    static Lists any() {
      return OF_TASKS.get(TaskContext.get());
    }

    boolean add(long number) {
      last[size++] = number;
      return size == turn && sorted();
    }

    private boolean sorted() {
      sort(last, size, open, ends);
      kept += size;
      size = 0;
      boolean first = turn == 1;
      turn = last.length;
      return first || !full.isEmpty();
    }

    /** Numbers into their lists; a loop of its own, with nothing in it that Java would have to look up again. */
    private void sort(long[] last, int size, byte[][] open, int[] ends) {
      int rest = form.rest;
      int width = form.width;
      int length = this.length;
      int half = form.half;
      long mask = form.mask;
      for (int at = 0; at < size; at++) {
        long mixed = Form.mixed(last[at], half, mask);
        int list = (int) (mixed >>> rest);
        int end = ends[list];
        // the least byte first; the next number overwrites what is too much
        Platform.putLong(open[list], Platform.BYTE_ARRAY_OFFSET + end, TURNED ? Long.reverseBytes(mixed) : mixed);
        ends[list] = end + width;
        if (end + width == length) {
          close(list);
        }
      }
    }

    private void close(int list) {
      byte[] closed = Arrays.copyOf(open[list], ends[list]);
      full.add(new Tuple4<>(list, TaskContext.getPartitionId(), kept + size, closed));
      ends[list] = 0;
    }

    void end() {
      sorted();
      for (int list = 0; list < open.length; list++) {
        if (ends[list] > 0) {
          close(list);
        }
      }
    }
  }

  /** The lists that a task keeps while its rows are asked for. */
  private static final class Drained implements Iterator<Tuple4<Integer, Integer, Long, byte[]>> {
    private final Iterator<Long> rows;
    private Lists lists;
    private boolean ended;

    Drained(Iterator<Long> rows) {
      this.rows = rows;
    }

    @Override
    public boolean hasNext() {
      while (!ended && (lists == null || lists.full.isEmpty())) {
        if (rows.hasNext()) {
          rows.next();
          lists = Lists.known();
        } else {
          ended = true;
          lists = Lists.any();
          if (lists != null) {
            lists.end();
          }
        }
      }
      return lists != null && !lists.full.isEmpty();
    }

    @Override
    public Tuple4<Integer, Integer, Long, byte[]> next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      return lists.full.remove();
    }
  }

  /** The numbers that come more than once in the lists of a part; where they are too many, some of them. */
  private static Iterator<Tuple4<Long, Long, Integer, Long>> again(
      Iterator<Tuple4<Integer, Integer, Long, byte[]>> lists, Form form, int most) {
    Map<Integer, Seen> seen = new HashMap<>();
    Map<Long, Found> found = new HashMap<>();
    while (lists.hasNext() && found.size() <= most) {
      Tuple4<Integer, Integer, Long, byte[]> one = lists.next();
      seen.computeIfAbsent(one._1(), list -> new Seen(list, form, most)).add(one, found);
    }
    Iterator<Seen> each = seen.values().iterator();
    while (each.hasNext() && found.size() <= most) {
      each.next().look(found);
      each.remove(); // one table at a time
    }
    List<Tuple4<Long, Long, Integer, Long>> told = new ArrayList<>();
    boolean many = found.size() > most;
    found.forEach((number, one) -> one.tell(form.unmixed(number), many, told));
    return many ? told.subList(0, most + 1).iterator() : told.iterator();
  }

  /** A number that comes more than once: how often, and up to which rows of which partitions. */
  private static final class Found {
    private long times = 1;
    private long placed;
    private final Map<Integer, Long> places = new HashMap<>();

    void place(int partition, long rows) {
      placed++;
      if (places.size() <= PLACES) {
        places.merge(partition, rows, Math::max);
      }
    }

    void tell(long number, boolean many, List<Tuple4<Long, Long, Integer, Long>> told) {
      if (many || placed < times || places.size() > PLACES || told.size() > TOLD) {
        told.add(new Tuple4<>(number, times, -1, 0L));
      } else {
        places.forEach((partition, rows) -> told.add(new Tuple4<>(number, times, partition, rows)));
      }
    }
  }

  /** The numbers of one list. All wait for one look, while the table is in a core's cache, unless they are many. */
  private static final class Seen {
    private static final int MANY = 1 << 23; // bytes

    private final long above;
    private final int width;
    private final long mask;
    private final int most;
    private final List<Tuple4<Integer, Integer, Long, byte[]>> waiting = new ArrayList<>();
    private int bytes;
    private final long[] marks; // a bit for each possible number, where these are few
    private long[] table = new long[0]; // else each number once; 0 marks what is free
    private int used;
    private boolean zero;

    Seen(int list, Form form, int most) {
      above = (long) list << form.rest;
      width = form.width;
      mask = -1L >>> (64 - form.rest);
      marks = form.rest <= MARKED ? new long[Math.max(1 << form.rest >> 6, 1)] : null;
      this.most = most;
    }

    void add(Tuple4<Integer, Integer, Long, byte[]> list, Map<Long, Found> found) {
      waiting.add(list);
      bytes += list._4().length;
      if (bytes > MANY) { // the same numbers again and again, perhaps
        look(found);
      }
    }

    void look(Map<Long, Found> found) {
      if (marks == null) {
        ensure(used + bytes / width);
      }
      boolean any = false;
      for (Tuple4<Integer, Integer, Long, byte[]> list : waiting) {
        byte[] padded = padded(list._4());
        for (int at = 0; at < list._4().length; at += width) {
          long number = number(padded, at);
          if (!fresh(number)) {
            found.computeIfAbsent(above | number, one -> new Found()).times++;
            any = true;
            if (found.size() > most) {
              return; // enough is known
            }
          }
        }
      }
      if (any) {
        waiting.forEach(list -> place(list, found));
      }
      waiting.clear();
      bytes = 0;
    }

    private void place(Tuple4<Integer, Integer, Long, byte[]> list, Map<Long, Found> found) {
      byte[] padded = padded(list._4());
      for (int at = 0; at < list._4().length; at += width) {
        Found one = found.get(above | number(padded, at));
        if (one != null) {
          one.place(list._2(), list._3());
        }
      }
    }

    private byte[] padded(byte[] list) {
      return Arrays.copyOf(list, list.length + Long.BYTES - width);
    }

    private long number(byte[] padded, int at) {
      long number = Platform.getLong(padded, Platform.BYTE_ARRAY_OFFSET + at);
      return (TURNED ? Long.reverseBytes(number) : number) & mask;
    }

    private boolean fresh(long number) {
      if (marks != null) {
        long before = marks[(int) (number >>> 6)];
        marks[(int) (number >>> 6)] = before | 1L << number;
        return (before >>> number & 1) == 0;
      }
      if (number == 0) {
        boolean first = !zero;
        zero = true;
        return first;
      }
      int place = place(number);
      if (table[place] == number) {
        return false;
      }
      table[place] = number;
      used++;
      return true;
    }

    private int place(long number) {
      int last = table.length - 1;
      int place = (int) number & last;
      while (table[place] != 0 && table[place] != number) {
        place = (place + 1) & last;
      }
      return place;
    }

    private void ensure(int numbers) {
      int size = Math.multiplyExact(Integer.highestOneBit(Math.max(numbers, 1)), 4);
      if (table.length < size) {
        long[] before = table;
        table = new long[size];
        for (long number : before) {
          if (number != 0) {
            table[place(number)] = number;
          }
        }
      }
    }
  }
}
