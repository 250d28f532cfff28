#!/bin/sh
# Two servers with different roles on one Postgres database, and an agent of this machine connected to both.
# usage: DATABASE_URL=postgres://USER:PASSWORD@HOST:PORT/DATABASE start.sh
# DATA, REPORT_LISTEN and TASK_LISTEN say where files are kept and where the servers listen. Ctrl-C ends all three;
# the status is 0 when each of them ended in order.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
export DATABASE_URL="${DATABASE_URL:?is not set: postgres://USER:PASSWORD@HOST:PORT/DATABASE}"
export DATA="${DATA:-$here/../../data/two-hosts}"
report=${REPORT_LISTEN:-127.0.0.1:2211}
task=${TASK_LISTEN:-127.0.0.1:2212}
export REPORT_URL="http://$report" TASK_URL="http://$task"

# Only noted: whatever line it interrupts, what was started until then is known below.
signal=
trap 'signal=TERM' HUP TERM
trap 'signal=INT' INT
"$here/role.sh" init
[ -z "$signal" ] || exit 0
"$here/role.sh" serve report-host "$report" &
report_pid=$!
"$here/role.sh" serve task-host "$task" &
task_pid=$!
"$here/role.sh" agent &
agent_pid=$!

# One that ends by itself ends the example.
while [ -z "$signal" ] && kill -0 $report_pid && kill -0 $task_pid && kill -0 $agent_pid; do
  sleep 1 &
  wait $! || true
done >/dev/null 2>&1

trap '' HUP INT TERM
status=0
[ -n "$signal" ] || status=1
# The agent first: it says goodbye to servers that still answer.
for pid in $agent_pid $report_pid $task_pid; do
  # Ctrl-C reaches all of them by itself, and a second signal would cut their ends short.
  tries=20
  while [ "$signal" = INT ] && [ $tries -gt 0 ] && kill -0 "$pid"; do
    tries=$((tries - 1))
    sleep 1
  done
  kill "$pid" || true
  wait "$pid" || status=1
done 2>/dev/null
exit $status
