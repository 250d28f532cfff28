#!/bin/sh
# One part of the example: role.sh init | serve report-host|task-host ADDRESS | agent
# DATABASE_URL names the Postgres database of both servers; everything is kept in DATA.
# Each file appears whole or not at all, so that a start that was broken off anywhere is gone on with by the next one.
set -eu
umask 077
root=$(cd "$(dirname "$0")/../.." && pwd)
data=${DATA:-$root/data/two-hosts}
mkdir -p "$data"
cd "$data"

# configure ROLE ADDRESS FILE: the shipped configuration with this address and database.
configure() {
  database=$(printf '%s' "${DATABASE_URL:?is not set: postgres://USER:PASSWORD@HOST:PORT/DATABASE}" | sed 's/[&|\\]/\\&/g')
  sed -e "s|^ws_listener = .*|ws_listener = \"$2\"|" -e "s|^database_url = .*|database_url = \"$database\"|" \
    "$root/config/$1.toml" >"$3.new"
  mv "$3.new" "$3"
}

case ${1:-} in
init)
  [ -s super-token ] && exit
  configure report-host 127.0.0.1:2211 init.toml
  # The Super Token is printed once in the life of a database, by whichever process opens it first: it goes straight into a
  # file, which stays until the token has its own.
  node "$root/server/bin/svc-server.js" init -c init.toml >>init.log
  sed -n 's/^Super Token: //p' init.log | tail -n 1 >super-token.new
  [ -s super-token.new ] || {
    echo "this database is not new: put its Super Token into $data/super-token" >&2
    echo "'node $root/server/bin/svc-server.js roll-super-token -c $data/init.toml' makes another one" >&2
    exit 1
  }
  mv super-token.new super-token
  rm -f init.toml init.log
  ;;
serve)
  # An existing copy is kept.
  [ -f "$2.toml" ] || configure "$2" "$3" "$2.toml"
  exec node "$root/server/bin/svc-server.js" serve -c "$2.toml"
  ;;
agent)
  exec node "$root/examples/two-hosts/agent.mjs" \
    "${REPORT_URL:-http://127.0.0.1:2211}" "${TASK_URL:-http://127.0.0.1:2212}" super-token agent.toml
  ;;
*)
  echo "usage: $0 init | serve report-host|task-host ADDRESS | agent" >&2
  exit 2
  ;;
esac
