#!/usr/bin/env bash
# The demo: one contract held on a real Delta table and on a real Iceberg table.
# Every line below a "$" is the output of that command; repeat it in .demo/delta or .demo/iceberg.
set -uo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
root="$(cd "$here/../.." && pwd)"
export PATH="$root/.venv/bin:$PATH"

expect() { # expected exit code, then the command as the reader would type it
  local wanted="$1" code; shift
  printf '\n$ %s\n' "$*"
  eval "$*"
  code=$?
  if [ "$code" != "$wanted" ]; then echo "the demo expected exit code $wanted and saw $code"; exit 1; fi
}

for format in delta iceberg; do
  demo="$root/.demo/$format"
  rm -rf "$demo" && mkdir -p "$demo"
  cp -r "$here/contracts" "$here/manifest.yaml" "$demo/"
  sed -i "s/format: delta .*/format: $format/" "$demo/manifest.yaml"
  python "$here/make_batches.py" "$demo/batches"
  cd "$demo" || exit 1
  printf '\n── %s ── cd .demo/%s\n' "$format" "$format"
  expect 0 "floe lint contracts/"
  if [ "$format" = delta ]; then
    sed 's/minimum: 0/minimum: 2000000/' contracts/silver/commerce/orders_clean.yaml > wrong.yaml
    expect 1 "floe lint wrong.yaml"
  fi
  expect 0 "floe enforce batches/good.parquet silver.commerce.orders_clean"
  expect 1 "floe enforce batches/broken/*.parquet silver.commerce.orders_clean"
  expect 0 "floe runs"
  expect 0 "floe doctor silver.commerce.orders_clean"
done
