#!/bin/sh
# One part of the example: role.sh init | serve report-host|task-host ADDRESS | agent
# DATABASE_URL names the Postgres database of both servers; everything is kept in DATA.
set -eu
umask 077
root=$(cd "$(dirname "$0")/../.." && pwd)
data=${DATA:-$root/data/two-hosts}
mkdir -p "$data"
cd "$data"

# configure ROLE ADDRESS FILE: the shipped configuration with this address and database. An existing copy is kept.
configure() {
  [ -f "$3" ] && return
  database=$(printf '%s' "${DATABASE_URL:?is not set: postgres://USER:PASSWORD@HOST:PORT/DATABASE}" | sed 's/[&|\\]/\\&/g')
  sed -e "s|^ws_listener = .*|ws_listener = \"$2\"|" -e "s|^database_url = .*|database_url = \"$database\"|" \
    "$root/config/$1.toml" >"$3.new"
  mv "$3.new" "$3"
}

case ${1:-} in
init)
  # The Super Token is printed once in the life of a database, by whichever process opens it first.
  [ -s super-token ] && exit
  configure report-host 127.0.0.1:2211 init.toml
  node "$root/kernel/bin/svc-server.js" init -c init.toml | sed -n 's/^Super Token: //p' >super-token
  rm init.toml
  [ -s super-token ] || { echo "this database is not new: put its Super Token into $data/super-token" >&2; exit 1; }
  ;;
serve)
  configure "$2" "$3" "$2.toml"
  exec node "$root/kernel/bin/svc-server.js" serve -c "$2.toml"
  ;;
agent)
  [ -f agent.toml ] || node "$root/examples/two-hosts/agent-config.mjs" \
    "${REPORT_URL:-http://127.0.0.1:2211}" "${TASK_URL:-http://127.0.0.1:2212}" super-token agent.toml
  exec node "$root/examples/agent/bin/svc-agent.js" -c agent.toml
  ;;
*)
  echo "usage: $0 init | serve report-host|task-host ADDRESS | agent" >&2
  exit 2
  ;;
esac
