"""The demo: a week of a shop's lakehouse, sales on Delta and marketing on Iceberg, held to its contracts.

Every line after `$` or `>>>` is run as it stands, and what follows is what it said. All commands share one Spark
session here, to be quick; only the job that is killed is a process of its own.
"""

import argparse
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import nullcontext, redirect_stdout
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from make_extracts import write_all
from pyspark.sql import DataFrame, SparkSession, functions as sql

import floe
from floe.actions.load.settings import load_settings
from floe.cli.main import main as floe_command
from floe.cli.output import style
from floe.engine.spark.session import own_session

HERE = Path(__file__).resolve().parent
MOST = 1000  # a million orders a day
KILLED = 128 + signal.SIGKILL
ORDERS = "contracts/silver/sales/orders.yaml"
# Thursday's change of the orders' contract: one more column, one more status, and the versions that go with it
CHANGE = (
    ("version: 1.0.0", "version: 1.1.0"),
    ("{property: schemaVersion, value: 1}", "{property: schemaVersion, value: 2}"),
    ("[placed, shipped, returned]", "[placed, shipped, returned, cancelled]"),
    (
        "    customProperties:\n      - {property: onViolation",
        "      - name: coupon\n        logicalType: string\n        physicalType: string\n"
        "        description: The coupon that was used, if any.\n"
        "    customProperties:\n      - {property: onViolation",
    ),
)
FEATURES = """\
orders = spark.read.format("delta").load(".floe/warehouse/silver_sales/orders")
def features(rows, as_of):
    return rows.groupBy("customer_id").agg(
        sql.to_date(sql.lit(as_of)).alias("as_of_date"),
        sql.to_timestamp(sql.lit(as_of)).alias("as_of_ts"),
        sql.max("order_ts").alias("last_event_ts"),
        sql.count("*").alias("orders"),
        sql.sum("amount").alias("spend"),
    )
"""
GOLD = 'floe.enforce({frame}, "gold.marketing.customer_features", batch_id="2026-11-13", inputs={{"silver.sales.orders": orders}})'
LEAKING = GOLD.format(frame='features(orders, "2026-11-13")')
RIGHT = GOLD.format(frame='features(orders.where("order_ts <= \'2026-11-13\'"), "2026-11-13")')
EXPLORE = (
    ("floe runs", "every batch, accepted and refused"),
    ("floe test silver.sales.orders", "does a table keep its contract?"),
    ("floe quarantine list silver.sales.orders", "what was set apart, and why"),
    ("floe plan silver.sales.orders", "every promise, how it is judged and by which SQL"),
    ("floe effective contracts/silver/sales/orders.yaml", "every value, and the tier it came from"),
    ("floe diff before/orders.yaml contracts/silver/sales/orders.yaml", "what Thursday's change means, for whom"),
    ("floe contracts search --column amount", "every contract with such a column"),
    ("floe contracts show silver.sales.orders", "one contract: versions, owner, consumers, state"),
    ("floe contracts history silver.sales.orders", "who did what with it, when and why"),
    ("floe monitor status", "what was seen between writes, and which incidents are open"),
    ("floe figures", "the eight key figures, with their targets; figures.html has the charts"),
    ("floe outbox", "what was told to catalogs and consumers"),
    ("floe doctor gold.marketing.customer_features", "how a contract finds its table"),
    (
        "floe convert contracts/silver/sales/orders.yaml --to html -o orders.html --force",
        "the contract as a page to read",
    ),
)


class Story:
    """Tells and does, one step after another; stops where something does not come out as told."""

    def __init__(self) -> None:
        self.paint = style().paint
        self.steps = 0

    def step(self, title: str, text: str) -> None:
        self.steps += 1
        print(f"\n{self.paint(f'── {self.steps} · {title} ──', 'blue')}\n{text}")

    def typed(self, line: str, prompt: str = "$") -> None:
        print(f"\n{self.paint(f'{prompt} {line}', 'bold')}", flush=True)

    def floe(self, line: str, expect: int = 0) -> None:
        """Run a command in this process and show it; what stands after `>` is the file its answer goes to."""
        self.typed(line)
        words, _, file = line.partition(" > ")
        with (
            Path(file).open("w", encoding="utf-8") if file else nullcontext(sys.stdout) as stream,
            redirect_stdout(stream),
        ):
            code = floe_command(shlex.split(words)[1:])
        sys.stdout.flush()
        if code != expect:
            sys.exit(f"the demo expected exit code {expect} and saw {code}")

    def shell(self, line: str, expect: int = 0) -> None:
        """Run a command in a process of its own and show it."""
        self.typed(line)
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        code = subprocess.run(["bash", "-c", line], env={**os.environ, "PATH": path}, check=False).returncode
        code = 128 - code if code < 0 else code  # as a shell says that a signal ended it
        if code != expect:
            sys.exit(f"the demo expected exit code {expect} and saw {code}")

    def heard(self, title: str, said: dict[str, Any]) -> None:
        """Show what somebody else got."""
        print(f"\n{title}\n{textwrap.indent(json.dumps(said, indent=2, ensure_ascii=False), '  ')}")

    def python(self, line: str, names: dict[str, Any], refused: bool = False) -> None:
        """Evaluate a line of Python and show what it gave."""
        self.typed(line, ">>>")
        try:
            result = eval(line, names)
        except floe.ViolationError as error:
            print(f"{type(error).__name__}: {error}")
            result = error.result
        else:
            print(f"written={result.written} refused={result.refused} feature_version={result.feature_version}")
        if result.refused is not refused:
            sys.exit(f"the demo expected refused={refused} and saw {result.refused}")


class Jobs:
    """The pipelines' own code, from Bronze to the batches that Silver's gates judge."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark

    def sales(self, table: str) -> DataFrame:
        return self.spark.read.format("delta").load(f".floe/warehouse/{table}")

    def bronze(self, table: str) -> DataFrame:
        marketing = table == "visits"
        return self.spark.table(f"ice.bronze_marketing.{table}") if marketing else self.sales(f"bronze_sales/{table}")

    def refine(self, table: str, extract: str) -> None:
        """The rows that one extract brought to Bronze, with the columns that it had, as a batch for Silver."""
        rows = self.bronze(table).where(sql.col("_source_file").endswith(f"extracts/{extract}.parquet"))
        names = [name for name in rows.columns if not name.startswith("_")]
        # Bronze keeps a column that came with another type beside the first, as amount__string
        twins = [name for name in names if any(f"{name}__" in other or f"{other}__" in name for other in names)]
        (filled,) = rows.select(sql.count("*"), *(sql.count(name).alias(name) for name in twins)).collect()
        kept = [name for name in names if name not in twins or filled[name]]
        batch = rows.select(*(sql.col(name).alias(name.split("__")[0]) for name in kept))
        if table == "orders":
            batch = batch.withColumn("order_date", sql.to_date("order_ts"))
        batch.coalesce(1).write.mode("overwrite").parquet(f"batches/{extract}")
        print(f"· the {table} job made batches/{extract} of Bronze's rows of this extract")

    def partitions(self) -> None:
        """The days of Silver's orders, for people."""
        rows = self.sales("silver_sales/orders")
        for row in rows.groupBy("order_date").agg({"*": "count", "amount": "sum"}).orderBy("order_date").collect():
            print(f"  order_date={row[0]}  {row['count(1)']:>9,} rows  {row['sum(amount)']:>16,} euro")


def lay_out(folder: Path, seed: int, scale: int) -> None:
    """Make the lakehouse's folder anew, with its contracts and the week's extracts, and stand in it."""
    if folder.exists() and folder.name != ".demo" and not (folder / "extracts").is_dir():
        sys.exit(f"{folder} is there already and is no demo's folder; name another")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copytree(HERE / "contracts", folder / "contracts", ignore=shutil.ignore_patterns("commerce"))
    shutil.copy(HERE / "manifest.yaml", folder)
    write_all(folder / "extracts", seed, scale)
    os.chdir(folder)


def contracts(story: Story) -> None:
    story.step(
        "The contracts",
        "enterprise → sales, marketing → products; in ODCS and in the three dialects that teams brought along.",
    )
    story.floe("floe lint contracts/")
    print("\nWhat do the customers inherit, and from whom?")
    story.shell("floe effective silver.sales.customers | grep -v explicit")


def monday(story: Story, jobs: Jobs) -> None:
    story.step(
        "Monday: a clean day",
        "Bronze takes the extracts as they come. Silver merges by key; sales is on Delta, marketing on Iceberg.",
    )
    story.floe("floe enforce extracts/2026-11-09/customers.parquet bronze.sales.customers --batch-id 2026-11-09")
    story.floe("floe enforce extracts/2026-11-09/orders.parquet bronze.sales.orders --batch-id 2026-11-09")
    story.floe("floe enforce extracts/2026-11-09/visits.parquet bronze.marketing.visits --batch-id 2026-11-09")
    for table in ("customers", "orders", "visits"):
        jobs.refine(table, f"2026-11-09/{table}")
    story.floe("floe enforce batches/2026-11-09/customers silver.sales.customers --mode merge --batch-id 2026-11-09")
    story.floe("floe enforce batches/2026-11-09/orders silver.sales.orders --mode merge --batch-id 2026-11-09")
    story.floe("floe enforce batches/2026-11-09/visits silver.marketing.visits --mode merge --batch-id 2026-11-09")


def tuesday(story: Story, jobs: Jobs) -> None:
    story.step(
        "Tuesday: a type drifted",
        "A release turned amounts into text. Bronze keeps what came; Silver refuses it and stays as it was.",
    )
    story.floe("floe enforce extracts/2026-11-10/orders.parquet bronze.sales.orders --batch-id 2026-11-10")
    jobs.refine("orders", "2026-11-10/orders")
    story.floe("floe enforce batches/2026-11-10/orders silver.sales.orders --mode merge --batch-id 2026-11-10", 1)
    print("\nThe shop sends the day again. A refused batch is judged anew under its old name.")
    story.floe(
        "floe enforce extracts/2026-11-10/orders_resent.parquet bronze.sales.orders --batch-id 2026-11-10-resent"
    )
    jobs.refine("orders", "2026-11-10/orders_resent")
    story.floe("floe enforce batches/2026-11-10/orders_resent silver.sales.orders --mode merge --batch-id 2026-11-10")


def wednesday(story: Story, jobs: Jobs) -> None:
    story.step(
        "Wednesday: bad rows",
        "The contract says onViolation: quarantine. Bad rows are set apart with their codes, the rest is written.\n"
        "The pattern of customer_id is not in the orders' contract: it is inherited from the sales domain.",
    )
    story.floe("floe enforce extracts/2026-11-11/orders.parquet bronze.sales.orders --batch-id 2026-11-11")
    jobs.refine("orders", "2026-11-11/orders")
    story.floe("floe enforce batches/2026-11-11/orders silver.sales.orders --mode merge --batch-id 2026-11-11")
    story.floe("floe quarantine list silver.sales.orders")
    print(
        "\nThe visits' contract says nothing of the kind: one bad row, and the whole batch stays out. On Iceberg too."
    )
    story.floe("floe enforce extracts/2026-11-11/visits.parquet bronze.marketing.visits --batch-id 2026-11-11")
    jobs.refine("visits", "2026-11-11/visits")
    story.floe("floe enforce batches/2026-11-11/visits silver.marketing.visits --mode merge --batch-id 2026-11-11", 1)


def thursday(story: Story, jobs: Jobs) -> None:
    story.step(
        "Thursday: a new column",
        "The shop sends coupons. Silver refuses a column that nobody promised.",
    )
    story.floe("floe enforce extracts/2026-11-12/orders.parquet bronze.sales.orders --batch-id 2026-11-12")
    jobs.refine("orders", "2026-11-12/orders")
    story.floe("floe enforce batches/2026-11-12/orders silver.sales.orders --mode merge --batch-id 2026-11-12", 1)
    print(
        "\nThe owner adds coupon to the contract, and cancelled to the statuses: version 1.1.0, schemaVersion 2."
        "\nWhat does that mean, and for whom?"
    )
    change_contract()
    story.floe("floe diff before/orders.yaml contracts/silver/sales/orders.yaml")
    story.floe("floe enforce batches/2026-11-12/orders silver.sales.orders --mode merge --batch-id 2026-11-12")
    print("\nWednesday's cancelled orders are fine now; what is still bad stays apart.")
    story.floe("floe quarantine replay silver.sales.orders --mode merge")


def change_contract() -> None:
    path = Path(ORDERS)
    text = path.read_text()
    Path("before").mkdir()
    Path("before/orders.yaml").write_text(text)
    for old, new in CHANGE:
        text = text.replace(old, new, 1)
    path.write_text(text)


def friday(story: Story, jobs: Jobs) -> None:
    story.step(
        "Friday: the job is killed",
        "FLOE_FAILPOINT kills the job right after its commit, before anyone wrote down that it happened.",
    )
    story.floe("floe enforce extracts/2026-11-13/orders.parquet bronze.sales.orders --batch-id 2026-11-13")
    jobs.refine("orders", "2026-11-13/orders")
    story.shell(
        "FLOE_FAILPOINT=after-commit floe enforce batches/2026-11-13/orders silver.sales.orders --mode merge --batch-id 2026-11-13",
        KILLED,
    )
    print("Killed. What does the store know of it?")
    story.floe("floe runs silver.sales.orders --limit 1")
    print("\nThe scheduler tries again, by the same batch id. Nothing is lost, nothing doubled.")
    story.floe("floe enforce batches/2026-11-13/orders silver.sales.orders --mode merge --batch-id 2026-11-13")


def backfill(story: Story, jobs: Jobs) -> None:
    story.step(
        "A backfill of one partition",
        "Monday's tax was forgotten. The day is written anew; the other days are not touched.",
    )
    jobs.partitions()
    story.floe(
        "floe enforce extracts/backfill/orders_2026-11-09.parquet bronze.sales.orders --batch-id backfill-2026-11-09"
    )
    jobs.refine("orders", "backfill/orders_2026-11-09")
    story.floe(
        "floe enforce batches/backfill/orders_2026-11-09 silver.sales.orders --mode overwrite_partition --batch-id backfill-2026-11-09"
    )
    jobs.partitions()


def gold(story: Story, spark: SparkSession) -> None:
    story.step(
        "Gold: features that know nothing of the future",
        "A snapshot as of Friday 00:00, from Python, on Iceberg. The first try counts Friday's orders too.",
    )
    names: dict[str, Any] = {"spark": spark, "sql": sql, "floe": floe}
    story.typed(FEATURES.rstrip().replace("\n", "\n... "), ">>>")
    exec(FEATURES, names)
    story.python(LEAKING, names, refused=True)
    story.python(RIGHT, names)


def whole(story: Story) -> None:
    story.step("The whole", "Do the tables keep their contracts, on both formats? And what happened this week?")
    story.floe(
        "floe test silver.sales.customers silver.sales.orders silver.marketing.visits gold.marketing.customer_features"
    )
    story.floe(
        "floe test silver.sales.customers silver.sales.orders silver.marketing.visits gold.marketing.customer_features"
        " --format html > report.html"
    )
    story.floe("floe runs --limit 30")
    story.floe("floe quarantine list silver.sales.orders")


def agreements(story: Story) -> None:
    story.step(
        "Agreements",
        "The contracts are published: tested on their tables, then registered for ever. The churn model says what it relies on.",
    )
    story.floe("floe publish contracts/")
    story.floe(
        "floe consumers add silver.sales.orders --team churn-model --contact ml@acme.example --columns orders.amount"
    )
    print("\nSales wants to drop amount. Whom does that break? The pull request's check refuses it.")
    next_major()
    story.floe("floe impact silver.sales.orders next/orders.yaml")
    story.floe("floe publish next/orders.yaml", 1)
    print("\nThe churn model agrees, and the next MAJOR is published; the old one holds until it takes effect.")
    story.floe("floe consumers sign-off silver.sales.orders 2.0.0 --team churn-model --file next/orders.yaml")
    story.floe("floe publish next/orders.yaml")
    today = datetime.now(UTC).date()
    print("\nThe visits were announced to end a month ago, and today they do: a newcomer is sent elsewhere.")
    story.floe(
        f"floe deprecate silver.marketing.visits --announced {today - timedelta(31)} --sunset {today}"
        " --replacement silver.sales.orders --reason 'the new shop counts visits itself'"
    )
    story.floe("floe consumers add silver.marketing.visits --team newcomer --contact new@acme.example", 1)


def next_major() -> None:
    """The orders' contract without amount, and what consumers are told to do about it."""
    text = Path(ORDERS).read_text()
    start, end = text.index("      - name: amount"), text.index("      - name: coupon")
    text = (
        (text[:start] + text[end:]).replace("version: 1.1.0", "version: 2.0.0", 1).replace("value: 2}", "value: 3}", 1)
    )
    Path("next").mkdir()
    Path("next/orders.yaml").write_text(text)
    Path("next/changes.yaml").write_text(
        "breaking_changes:\n"
        "  - {type: field_removed, field: amount, migration: sum silver.sales.order_lines, deadline: 2027-06-30}\n"
    )


class Hook(ThreadingHTTPServer):
    """A webhook of the demo's own, in place of a chat or a pager."""

    def __init__(self) -> None:
        got: list[dict[str, Any]] = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                got.append({**json.loads(body), "signature": self.headers["webhook-signature"]})
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        self.got = got
        threading.Thread(target=self.serve_forever, daemon=True).start()


def saturday(story: Story) -> None:
    story.step(
        "Saturday: nobody wrote",
        "Customers came on Monday alone, and every contract here inherits: fresh within 24 hours. No batch, so no gate sees it;\n"
        "the monitor does. (The demo cannot wait a day: it dates the table's last commit back by two.)",
    )
    date_back(Path(".floe/warehouse/silver_sales/customers/_delta_log"), days=2)
    with Hook() as hook:
        alerts = [{"to": f"http://127.0.0.1:{hook.server_port}/floe", "secret": "demo"}]
        variables = {"FLOE_LINEAGE_TRANSPORT": "file", "FLOE_ALERTS": json.dumps(alerts)}
        story.typed(" ".join(("export", *(f"{name}={shlex.quote(text)}" for name, text in variables.items()))))
        os.environ.update(variables)
        story.floe("floe monitor check silver.sales.customers", 1)
        story.heard("The lineage backend got an event, with this facet:", violation())
        for _ in range(100):  # sent beside the command's own work
            if hook.got:
                break
            time.sleep(0.1)
        (alert,) = hook.got
        story.heard(f"The webhook got a CloudEvent, signed {alert['signature'][:16]}…:", alert["data"])
        print(
            "\nPrometheus scrapes `floe monitor run`; here is what it would find. The same again within 30 minutes alerts nobody."
        )
        story.floe("floe monitor check silver.sales.customers --format prometheus > metrics.txt", 1)
        story.shell("grep -E 'violations_total|freshness_hours|availability_up' metrics.txt | grep -v '#'")
        if len(hook.got) != 1:
            sys.exit(f"the demo expected one alert and saw {len(hook.got)}")
        hook.shutdown()
    for name in variables:
        del os.environ[name]
    story.floe("floe monitor status")
    print("\nAnd the week in figures:")
    story.floe("floe figures")
    story.floe("floe figures --format html > figures.html")


def date_back(log: Path, days: int) -> None:
    """Let a Delta table's commits be of some days ago."""
    for path in log.glob("*.json"):
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        for line in lines:
            if "commitInfo" in line:
                line["commitInfo"]["timestamp"] -= days * 86_400_000
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)  # Hadoop's checksum of the old text


def violation() -> dict[str, Any]:
    """What the last event says of the contract; it is sent beside the command's own work."""
    file = Path(".floe/lineage.jsonl")
    for _ in range(100):
        events = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
        facets = [event["run"]["facets"] for event in events if event["eventType"] == "FAIL"]
        if facets:
            said: dict[str, Any] = facets[-1]["contractViolation"]
            names = ("contractName", "contractVersion", "code", "violationType", "severity", "message")
            return {name: said[name] for name in names}
        time.sleep(0.1)
    sys.exit("the demo expected a FAIL event and saw none")


def explore(story: Story, folder: Path, seconds: float) -> None:
    story.step(
        "Yours",
        f"That took {seconds:.0f} seconds. The lakehouse, its store, report.html and figures.html are in {folder}; look around:",
    )
    print(f"\n  cd {folder}\n  export PATH={Path(sys.executable).parent}:$PATH")
    for line, meaning in EXPLORE:
        print(f"  {line:<83} {story.paint(f'# {meaning}', 'dim')}")


def tell(folder: Path, seed: int, scale: int) -> None:
    """The whole week."""
    started, story = time.monotonic(), Story()
    folder = folder.resolve()
    lay_out(folder, seed, scale)
    contracts(story)
    print()
    spark = own_session(load_settings(say=lambda text: print(text, flush=True)))
    jobs = Jobs(spark)
    for day in (monday, tuesday, wednesday, thursday, friday, backfill):
        day(story, jobs)
    gold(story, spark)
    whole(story)
    agreements(story)
    saturday(story)
    explore(story, folder, time.monotonic() - started)
    spark.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description="Tell and do a week of a lakehouse that keeps its contracts.")
    parser.add_argument(
        "folder", type=Path, nargs="?", default=HERE.parent.parent / ".demo", help="where (default: .demo)"
    )
    parser.add_argument("--scale", type=int, default=1, help="times 1,000 orders a day (default: 1)")
    parser.add_argument("--seed", type=int, default=7, help="other rows by another seed (default: 7)")
    options = parser.parse_args()
    if not 1 <= options.scale <= MOST:
        parser.error(f"--scale {options.scale} is not from 1 to {MOST:,}")
    tell(options.folder, options.seed, options.scale)


if __name__ == "__main__":
    main()
