package floe;

import java.util.List;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.ScriptTransformation;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.SparkStrategy;
import scala.Function1;
import scala.Option;
import scala.Tuple3;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * SQL that floe's own session refuses, wherever it comes from: TRANSFORM starts a shell command, `reflect` and its
 * like call any static method of Java.
 *
 * <p>TRANSFORM is refused where Spark plans a query, which every query has to pass; the functions are replaced by ones
 * that cannot be made.
 */
public final class SafeSqlExtensions extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {
  private static final List<String> REFLECTION = List.of("reflect", "java_method", "try_reflect");

  /** Called by Spark, by the name of the class in `spark.sql.extensions`. */
  public SafeSqlExtensions() {}

  @Override
  public BoxedUnit apply(SparkSessionExtensions extensions) {
    extensions.injectPlannerStrategy(session -> new NoTransform());
    for (String name : REFLECTION) {
      Function1<Seq<Expression>, Expression> none =
          arguments -> {
            throw new UnsupportedOperationException("floe's session runs no " + name);
          };
      extensions.injectFunction(
          new Tuple3<>(new FunctionIdentifier(name, Option.empty()), new ExpressionInfo("floe.SafeSqlExtensions", name), none));
    }
    return BoxedUnit.UNIT;
  }

  /** Plans nothing, and refuses TRANSFORM. */
  private static final class NoTransform extends SparkStrategy {
    private static final long serialVersionUID = 1L;

    @Override
    public Seq<SparkPlan> apply(LogicalPlan plan) {
      if (plan instanceof ScriptTransformation) {
        throw new UnsupportedOperationException("floe's session runs no TRANSFORM");
      }
      return CollectionConverters.asScala(List.<SparkPlan>of()).toList();
    }
  }
}
