#!/bin/sh
# Two servers with different roles on one Postgres database, and an agent of this machine connected to both.
# usage: DATABASE_URL=postgres://USER:PASSWORD@HOST:PORT/DATABASE start.sh
# DATA, REPORT_LISTEN and TASK_LISTEN say where files are kept and where the servers listen. Ctrl-C ends all three.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
export DATABASE_URL="${DATABASE_URL:?is not set: postgres://USER:PASSWORD@HOST:PORT/DATABASE}"
export DATA="${DATA:-$here/../../data/two-hosts}"
report=${REPORT_LISTEN:-127.0.0.1:2211}
task=${TASK_LISTEN:-127.0.0.1:2212}
export REPORT_URL="http://$report" TASK_URL="http://$task"

"$here/role.sh" init
"$here/role.sh" serve report-host "$report" &
report_pid=$!
"$here/role.sh" serve task-host "$task" &
task_pid=$!
"$here/role.sh" agent &
agent_pid=$!

# The agent first: it says goodbye to servers that still answer.
end() {
  trap '' INT TERM
  for pid in $agent_pid $report_pid $task_pid; do kill "$pid" 2>/dev/null && wait "$pid" || true; done
}
trap 'end; exit 0' INT TERM
# One that ends by itself ends the example.
while kill -0 $report_pid && kill -0 $task_pid && kill -0 $agent_pid; do
  sleep 1 &
  wait $!
done 2>/dev/null
end
exit 1
