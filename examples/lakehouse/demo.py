"""The demo: one week of a shop's lakehouse with data contracts, sales on Delta and marketing on Iceberg.

Every line after `$` or `>>>` is executed, and its real output follows. All commands share one Spark session to save time;
only the job that is killed runs in a separate process.
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
# Thursday's change of the orders contract: a new column, a new status, and the new versions
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
    ("floe runs", "all recorded runs"),
    ("floe test silver.sales.orders", "check a table against its contract"),
    ("floe quarantine list silver.sales.orders", "quarantined rows with their codes"),
    ("floe plan silver.sales.orders", "the expectations of a contract and their SQL"),
    ("floe effective contracts/silver/sales/orders.yaml", "a contract with all inherited values"),
    ("floe diff before/orders.yaml contracts/silver/sales/orders.yaml", "Thursday's change and its impact"),
    ("floe contracts search --column amount", "registered contracts with this column"),
    ("floe contracts show silver.sales.orders", "a contract with its versions, owner and consumers"),
    ("floe contracts history silver.sales.orders", "the history of a contract"),
    ("floe monitor status", "the latest checks and the open incidents"),
    ("floe figures", "key figures with targets; figures.html has the charts"),
    ("floe outbox", "messages to catalogs and consumers"),
    ("floe doctor gold.marketing.customer_features", "how floe locates a table"),
    (
        "floe convert contracts/silver/sales/orders.yaml --to html -o orders.html --force",
        "the contract as an HTML page",
    ),
)


class Story:
    """Prints and runs one step after another; stops if a result is not the expected one."""

    def __init__(self) -> None:
        self.paint = style().paint
        self.steps = 0

    def step(self, title: str, text: str) -> None:
        self.steps += 1
        print(f"\n{self.paint(f'── {self.steps} · {title} ──', 'blue')}\n{text}")

    def typed(self, line: str, prompt: str = "$") -> None:
        print(f"\n{self.paint(f'{prompt} {line}', 'bold')}", flush=True)

    def floe(self, line: str, expect: int = 0) -> None:
        """Run a command in this process and print it; the text after `>` is the file for its output."""
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
        """Run a command in a separate process and print it."""
        self.typed(line)
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        code = subprocess.run(["bash", "-c", line], env={**os.environ, "PATH": path}, check=False).returncode
        code = 128 - code if code < 0 else code  # the exit code that a shell reports for a signal
        if code != expect:
            sys.exit(f"the demo expected exit code {expect} and saw {code}")

    def heard(self, title: str, said: dict[str, Any]) -> None:
        """Print what another system received."""
        print(f"\n{title}\n{textwrap.indent(json.dumps(said, indent=2, ensure_ascii=False), '  ')}")

    def python(self, line: str, names: dict[str, Any], refused: bool = False) -> None:
        """Evaluate a line of Python and print its result."""
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
    """The code of the pipelines, from Bronze to the batches for Silver."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark

    def sales(self, table: str) -> DataFrame:
        return self.spark.read.format("delta").load(f".floe/warehouse/{table}")

    def bronze(self, table: str) -> DataFrame:
        marketing = table == "visits"
        return self.spark.table(f"ice.bronze_marketing.{table}") if marketing else self.sales(f"bronze_sales/{table}")

    def refine(self, table: str, extract: str) -> None:
        """Write the rows of one extract in Bronze, with its columns, as a batch for Silver."""
        rows = self.bronze(table).where(sql.col("_source_file").endswith(f"extracts/{extract}.parquet"))
        names = [name for name in rows.columns if not name.startswith("_")]
        # Bronze keeps a column of another type under a second name, amount__string
        twins = [name for name in names if any(f"{name}__" in other or f"{other}__" in name for other in names)]
        (filled,) = rows.select(sql.count("*"), *(sql.count(name).alias(name) for name in twins)).collect()
        kept = [name for name in names if name not in twins or filled[name]]
        batch = rows.select(*(sql.col(name).alias(name.split("__")[0]) for name in kept))
        if table == "orders":
            batch = batch.withColumn("order_date", sql.to_date("order_ts"))
        batch.coalesce(1).write.mode("overwrite").parquet(f"batches/{extract}")
        print(f"· the {table} job wrote batches/{extract} from the rows of this extract in Bronze")

    def partitions(self) -> None:
        """Print the days of the orders in Silver."""
        rows = self.sales("silver_sales/orders")
        for row in rows.groupBy("order_date").agg({"*": "count", "amount": "sum"}).orderBy("order_date").collect():
            print(f"  order_date={row[0]}  {row['count(1)']:>9,} rows  {row['sum(amount)']:>16,} euro")


def lay_out(folder: Path, seed: int, scale: int) -> None:
    """Create the folder of the lakehouse with its contracts and the extracts of the week, and change into it."""
    if folder.exists() and folder.name != ".demo" and not (folder / "extracts").is_dir():
        sys.exit(f"{folder} already exists and is not a demo folder; pass another folder")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copytree(HERE / "contracts", folder / "contracts", ignore=shutil.ignore_patterns("commerce"))
    shutil.copy(HERE / "manifest.yaml", folder)
    write_all(folder / "extracts", seed, scale)
    os.chdir(folder)


def contracts(story: Story) -> None:
    story.step(
        "The contracts",
        "Three tiers: enterprise, domains (sales, marketing), products. ODCS, and three dialects that teams already used.",
    )
    story.floe("floe lint contracts/")
    print("\nWhich values does the customers contract inherit, and from which tier?")
    story.shell("floe effective silver.sales.customers | grep -v explicit")


def monday(story: Story, jobs: Jobs) -> None:
    story.step(
        "Monday: a clean day",
        "Bronze stores the extracts unchanged. Silver merges by key; sales is on Delta, marketing on Iceberg.",
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
        "Tuesday: a column type changed",
        "A release of the shop sends amounts as text. Bronze stores them; Silver refuses the batch and stays unchanged.",
    )
    story.floe("floe enforce extracts/2026-11-10/orders.parquet bronze.sales.orders --batch-id 2026-11-10")
    jobs.refine("orders", "2026-11-10/orders")
    story.floe("floe enforce batches/2026-11-10/orders silver.sales.orders --mode merge --batch-id 2026-11-10", 1)
    print("\nThe shop sends the day again. A refused batch can be repeated under the same batch id.")
    story.floe(
        "floe enforce extracts/2026-11-10/orders_resent.parquet bronze.sales.orders --batch-id 2026-11-10-resent"
    )
    jobs.refine("orders", "2026-11-10/orders_resent")
    story.floe("floe enforce batches/2026-11-10/orders_resent silver.sales.orders --mode merge --batch-id 2026-11-10")


def wednesday(story: Story, jobs: Jobs) -> None:
    story.step(
        "Wednesday: bad rows",
        "The contract has onViolation: quarantine. Bad rows go to the quarantine table with their codes, the rest is written.\n"
        "The pattern of customer_id is not in the orders contract: it is inherited from the sales domain.",
    )
    story.floe("floe enforce extracts/2026-11-11/orders.parquet bronze.sales.orders --batch-id 2026-11-11")
    jobs.refine("orders", "2026-11-11/orders")
    story.floe("floe enforce batches/2026-11-11/orders silver.sales.orders --mode merge --batch-id 2026-11-11")
    story.floe("floe quarantine list silver.sales.orders")
    print("\nThe visits contract has no quarantine: one bad row refuses the whole batch. The same holds on Iceberg.")
    story.floe("floe enforce extracts/2026-11-11/visits.parquet bronze.marketing.visits --batch-id 2026-11-11")
    jobs.refine("visits", "2026-11-11/visits")
    story.floe("floe enforce batches/2026-11-11/visits silver.marketing.visits --mode merge --batch-id 2026-11-11", 1)


def thursday(story: Story, jobs: Jobs) -> None:
    story.step(
        "Thursday: a new column",
        "The shop sends coupons. Silver refuses a column that is not in the contract.",
    )
    story.floe("floe enforce extracts/2026-11-12/orders.parquet bronze.sales.orders --batch-id 2026-11-12")
    jobs.refine("orders", "2026-11-12/orders")
    story.floe("floe enforce batches/2026-11-12/orders silver.sales.orders --mode merge --batch-id 2026-11-12", 1)
    print(
        "\nThe owner adds the column coupon and the status cancelled to the contract: version 1.1.0, schemaVersion 2."
        "\nWhich version does this change need, and whom does it affect?"
    )
    change_contract()
    story.floe("floe diff before/orders.yaml contracts/silver/sales/orders.yaml")
    story.floe("floe enforce batches/2026-11-12/orders silver.sales.orders --mode merge --batch-id 2026-11-12")
    print("\nWednesday's cancelled orders are valid now; the other bad rows stay in quarantine.")
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
        "FLOE_FAILPOINT kills the job after its commit, before the run is recorded.",
    )
    story.floe("floe enforce extracts/2026-11-13/orders.parquet bronze.sales.orders --batch-id 2026-11-13")
    jobs.refine("orders", "2026-11-13/orders")
    story.shell(
        "FLOE_FAILPOINT=after-commit floe enforce batches/2026-11-13/orders silver.sales.orders --mode merge --batch-id 2026-11-13",
        KILLED,
    )
    print("The job was killed. The registry does not have the run yet:")
    story.floe("floe runs silver.sales.orders --limit 1")
    print("\nThe scheduler repeats the job with the same batch id. No row is lost or duplicated.")
    story.floe("floe enforce batches/2026-11-13/orders silver.sales.orders --mode merge --batch-id 2026-11-13")


def backfill(story: Story, jobs: Jobs) -> None:
    story.step(
        "A backfill of one partition",
        "Monday's amounts had no tax. The day is written again; the other days stay unchanged.",
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
        "Gold: features without point-in-time leakage",
        "A snapshot as of Friday 00:00, from Python, on Iceberg. The first attempt counts Friday's orders too.",
    )
    names: dict[str, Any] = {"spark": spark, "sql": sql, "floe": floe}
    story.typed(FEATURES.rstrip().replace("\n", "\n... "), ">>>")
    exec(FEATURES, names)
    story.python(LEAKING, names, refused=True)
    story.python(RIGHT, names)


def whole(story: Story) -> None:
    story.step(
        "Check everything", "Check all tables against their contracts, on both formats, and list the runs of the week."
    )
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
        "Publish contracts",
        "floe tests the contracts on their tables and registers them. The churn model becomes a consumer of orders.",
    )
    story.floe("floe publish contracts/")
    story.floe(
        "floe consumers add silver.sales.orders --team churn-model --contact ml@acme.example --columns orders.amount"
    )
    print("\nSales wants to remove the column amount. Which consumers does that break?")
    next_major()
    story.floe("floe impact silver.sales.orders next/orders.yaml")
    story.floe("floe publish next/orders.yaml", 1)
    print("\nThe churn model signs off, and the next MAJOR is published; the old one is valid until then.")
    story.floe("floe consumers sign-off silver.sales.orders 2.0.0 --team churn-model --file next/orders.yaml")
    story.floe("floe publish next/orders.yaml")
    today = datetime.now(UTC).date()
    print("\nThe end of visits was announced a month ago and is today, so a new consumer is refused.")
    story.floe(
        f"floe deprecate silver.marketing.visits --announced {today - timedelta(31)} --sunset {today}"
        " --replacement silver.sales.orders --reason 'the new shop counts visits itself'"
    )
    story.floe("floe consumers add silver.marketing.visits --team newcomer --contact new@acme.example", 1)


def next_major() -> None:
    """The orders contract without amount, and the migration text for consumers."""
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
    """A webhook of the demo, instead of a chat or a pager."""

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
        "Saturday: no data arrived",
        "Customers were last written on Monday, and all contracts inherit a freshness of 24 hours. Without a batch no gate runs,\n"
        "but the monitor finds it. (The demo cannot wait a day: it sets the last commit of the table back by two days.)",
    )
    date_back(Path(".floe/warehouse/silver_sales/customers/_delta_log"), days=2)
    with Hook() as hook:
        alerts = [{"to": f"http://127.0.0.1:{hook.server_port}/floe", "secret": "demo"}]
        variables = {"FLOE_LINEAGE_TRANSPORT": "file", "FLOE_ALERTS": json.dumps(alerts)}
        story.typed(" ".join(("export", *(f"{name}={shlex.quote(text)}" for name, text in variables.items()))))
        os.environ.update(variables)
        story.floe("floe monitor check silver.sales.customers", 1)
        story.heard("The lineage backend received an event with this facet:", violation())
        for _ in range(100):  # sent in the background
            if hook.got:
                break
            time.sleep(0.1)
        (alert,) = hook.got
        story.heard(f"The webhook received a CloudEvent, signed {alert['signature'][:16]}…:", alert["data"])
        print(
            "\nPrometheus would scrape these metrics from `floe monitor run`. The same incident within 30 minutes sends no new alert."
        )
        story.floe("floe monitor check silver.sales.customers --format prometheus > metrics.txt", 1)
        story.shell("grep -E 'violations_total|freshness_hours|availability_up' metrics.txt | grep -v '#'")
        if len(hook.got) != 1:
            sys.exit(f"the demo expected one alert and saw {len(hook.got)}")
        hook.shutdown()
    for name in variables:
        del os.environ[name]
    story.floe("floe monitor status")
    print("\nThe key figures of the week:")
    story.floe("floe figures")
    story.floe("floe figures --format html > figures.html")


def date_back(log: Path, days: int) -> None:
    """Set the commits of a Delta table back by some days."""
    for path in log.glob("*.json"):
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        for line in lines:
            if "commitInfo" in line:
                line["commitInfo"]["timestamp"] -= days * 86_400_000
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)  # Hadoop's checksum of the old text


def violation() -> dict[str, Any]:
    """The contract facet of the last event, which is sent in the background."""
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
        "Explore the result",
        f"The demo took {seconds:.0f} seconds. The tables, the registry, report.html and figures.html are in {folder}. Try:",
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
    parser = argparse.ArgumentParser(description="Run one week of a lakehouse with data contracts.")
    parser.add_argument(
        "folder",
        type=Path,
        nargs="?",
        default=HERE.parent.parent / ".demo",
        help="folder of the lakehouse (default: .demo)",
    )
    parser.add_argument("--scale", type=int, default=1, help="thousands of orders per day (default: 1)")
    parser.add_argument("--seed", type=int, default=7, help="seed of the generated rows (default: 7)")
    options = parser.parse_args()
    if not 1 <= options.scale <= MOST:
        parser.error(f"--scale {options.scale} is not from 1 to {MOST:,}")
    tell(options.folder, options.seed, options.scale)


if __name__ == "__main__":
    main()
