#!/bin/sh
# Brings this machine into the fleet of the server that it came from, keeps its agent up to date, or removes it.
# Written for any POSIX shell; everything stands in functions, so that half a download does nothing.
set -u

BASE='@BASE@'
PIN='@PIN@'
# Fingerprint of the key that signs what machines are given. A machine that trusts one already keeps to that.
KEY='@KEY@'
NAME=svc-agent
work=''
# An agent does not start with another one in its file.
KINDS='ping tcp_ping http_ping dns execute http_request web_shell read_config edit_config ip version self_update'

usage() {
  cat <<END
Usage: sh install.sh [OPTIONS] CODE
       sh install.sh [OPTIONS] --update | --uninstall | --allow KINDS | --trust-key KEY | --print-config CODE

  CODE            from "svc-server enrol", the dashboard or enrol_create
  --key KEY       fingerprint (sha256//…) of the key that must have signed what is installed
  --dry-run       say what would be done, and do nothing
  --allow KINDS   tasks that the server may run here, for example ping,tcp_ping,dns (default: none);
                  without a code: more of them for the agent that is here already
  --sensors       put temperatures, fans and batteries beside the reports
  --containers    the same for the states of containers (Docker, Podman)
  --prefix DIR    folder (default: /opt/$NAME; without root ~/.local/share/$NAME)
  --node FILE     a Node of this machine, 22.18 or later, in place of the server's
  --no-service    a plain background process, also where systemd runs
  --print-config  give the code for a configuration and print it, for an agent that is there already
  --update        put the server's agent in place of this one; what does not connect is taken back
  --trust-key KEY trust this key from now on, and let in the version that the server has, also an older one:
                  for a server whose key was lost ("svc-server signing-key" prints the new one)
  --uninstall     stop the agent and remove everything; both find the folder by themselves
END
}

say() { printf '%s\n' "$*" >&2; }
fail() {
  say "$NAME: $*"
  exit 1
}

# fetch PATH FILE [CREDENTIAL | --post-file FILE]: the answer of the server; sets `status`.
fetch() {
  path=$1 file=$2 credential=''
  shift 2
  if [ $# = 1 ]; then credential="Authorization: $1"; shift; fi
  if [ "$http" = curl ]; then
    if [ $# = 2 ]; then set -- --data-binary "@$2"; fi
    if [ -n "$PIN" ]; then set -- "$@" -k --pinnedpubkey "$PIN"; fi
    # In a file: the list of processes shows arguments to everybody.
    if [ -n "$credential" ]; then printf 'header = "%s"\n' "$credential" >"$work/curlrc"; set -- "$@" -K "$work/curlrc"; fi
    status=$(curl -sS -o "$file" -w '%{http_code}' --connect-timeout 15 "$@" "$BASE/$path") || return 1
    [ "$status" = 200 ]
  else
    if [ $# = 2 ]; then set -- --post-file="$2"; fi
    if [ -n "$PIN" ]; then set -- "$@" --no-check-certificate --pinnedpubkey="$PIN"; fi
    if [ -n "$credential" ]; then set -- "$@" --header "$credential"; fi
    wget -q $patience -O "$file" "$@" "$BASE/$path"
  fi
}

get() {
  fetch "$@" && return 0
  has_room "$work" || fail "$work is full: make room, or set TMPDIR to a folder with 200 MB, as in: … | TMPDIR=/var/tmp sh -s -- CODE"
  [ "$http" = curl ] && [ "${status:-000}" != 000 ] && [ -s "$2" ] && fail "the server answers $status: $(head -c 300 "$2" | tr -cd ' -~')"
  fail "$BASE/$1 could not be fetched"
}

has_room() {
  printf '%65536s' '' >"$1/room" 2>/dev/null
  written=$?
  rm -f "$1/room"
  return $written
}

# Whether programs may be started from a folder.
can_run() {
  printf '#!/bin/sh\nexit 0\n' >"$1/probe" && chmod 755 "$1/probe"
  "$1/probe" 2>/dev/null
  started=$?
  rm -f "$1/probe"
  return $started
}

# put FILE TARGET, in a folder that is root's alone. A name that leads elsewhere is replaced, not followed.
put() {
  if [ -L "$2" ]; then rm -f "$2"; fi
  mv -f "$1" "$2" || fail "$2 could not be written: is there room?"
}

# Tells whether no one but root can change what a path leads to; `writer` names the place where someone can. In a folder with the
# sticky bit (/tmp) others leave alone what is root's. Without root everything is done with the rights of one user.
roots_alone() {
  [ -n "$root" ] || return 0
  writer=''
  for way in "$1" "$(readlink -f "$1")"; do
    while [ -n "$way" ]; do
      if [ -e "$way" ] || [ -L "$way" ]; then is_roots "$way" || { writer=$way; return 1; }; fi
      [ "$way" != / ] || break
      way=$(dirname "$way")
    done
  done
}

is_roots() {
  # shellcheck disable=SC2046 # Words are meant: mode, links, user, group.
  set -- $(ls -ldn "$1")
  [ "${3:-}" = 0 ] || return 1
  case $1 in
    l* | d????????[tT]*) return 0 ;;
    ????????w*) return 1 ;;
    ?????w*) [ "$4" = 0 ] ;;
  esac
}

only_root() {
  roots_alone "$1" || fail "$1 is not root's alone: others may change $writer. Root does nothing there: run this as the user to whom it belongs, or choose another place"
}

tools() {
  for program in grep sed tr mktemp; do
    command -v $program >/dev/null 2>&1 || fail "needs $program"
  done
  if command -v curl >/dev/null 2>&1; then http=curl
  elif command -v wget >/dev/null 2>&1; then http=wget
  else fail 'needs curl or wget'; fi
  # That of BusyBox waits long by itself, and in Debian 12 it crashes with -T.
  patience=''
  if wget --version 2>/dev/null | grep -q '^GNU Wget'; then patience='-T 60'; fi
  if [ "$http" = wget ] && [ -n "$PIN" ] && ! wget --help 2>&1 | grep -q pinnedpubkey; then
    fail 'the certificate of the server is self-signed, which takes curl, or a wget that knows --pinnedpubkey'
  fi
  if command -v sha256sum >/dev/null 2>&1; then digest=sha256sum
  elif command -v shasum >/dev/null 2>&1; then digest='shasum -a 256'
  else fail 'needs sha256sum or shasum'; fi
}

platform() {
  [ "$(uname -s)" = Linux ] || fail 'this installer is for Linux; elsewhere: docs/guide/second-machine.md'
  case $(uname -m) in
    x86_64 | amd64) arch=x64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) arch=$(uname -m) ;;
  esac
  os=linux-$arch
  if is_musl; then os=$os-musl; fi
}

# A machine with glibc may have musl next to it, so its own word counts.
is_musl() {
  case $(ldd --version 2>&1) in
    *musl*) return 0 ;;
    *GLIBC* | *'GNU libc'*) return 1 ;;
  esac
  for lib in /lib/ld-musl-*; do
    if [ -e "$lib" ]; then return 0; fi
  done
  return 1
}

options() {
  code='' dry='' key='' allow='' documents='' prefix='' own_node='' service=yes task=install
  socket_group=''
  while [ $# -gt 0 ]; do
    case $1 in
      --dry-run) dry=yes ;;
      --uninstall) task=uninstall ;;
      --update) task=update ;;
      --print-config) task=print ;;
      --no-service) service='' ;;
      --sensors | --containers) documents="$documents ${1#--}" ;;
      --allow | --prefix | --node | --key | --trust-key)
        [ $# -ge 2 ] || fail "$1 needs a value"
        case $1 in
          --allow) allow=$2 ;;
          --prefix) prefix=$2 ;;
          --node) own_node=$2 ;;
          --key) key=$2 ;;
          *) key=$2 task=trust ;;
        esac
        shift ;;
      -h | --help) usage; exit 0 ;;
      -*) usage >&2; fail "unknown option $1" ;;
      *) code=$1 ;;
    esac
    shift
  done
  case $code in *[!A-Za-z0-9]*) fail 'a code has letters and digits only' ;; esac
  [ -z "$key" ] && [ $task != trust ] || is_fingerprint "$key" ||
    fail "'$key' is no fingerprint of a key: take the 52 characters from sha256// to = that \"svc-server signing-key\" prints"
  case $allow in *[!a-z_,]*) fail '--allow: kinds with commas between them' ;; esac
  for kind in $(printf '%s' "$allow" | tr , ' '); do
    case " $KINDS " in *" $kind "*) ;; *) fail "--allow: there is no kind of task '$kind', only $KINDS" ;; esac
  done
  if [ "$task" = install ] && [ -z "$code" ] && [ -n "$allow" ]; then task=allow; fi
  case $prefix in
    *[!A-Za-z0-9/._-]*) fail '--prefix: letters, digits and / . _ - only' ;;
    '' | /*) ;;
    *) prefix=$PWD/$prefix ;;
  esac
}

# The folder of an agent that is there: that of this script, else that of the service.
folder_here() {
  case $0 in
    */install.sh | install.sh)
      here=$(cd "$(dirname "$0")" && pwd)
      if [ -f "$here/start" ]; then printf '%s\n' "$here"; return; fi ;;
  esac
  service_file=$user_units/$NAME.service
  if [ -n "$root" ]; then service_file=/etc/systemd/system/$NAME.service; fi
  if [ -f "$service_file" ]; then sed -n 's|^ExecStart=\(.*\)/start$|\1|p' "$service_file"; fi
}

# Where things are, and what runs them: `system` or `user` (systemd), or `none`.
layout() {
  root=''
  [ "$(id -u)" = 0 ] && root=yes
  user_units=${XDG_CONFIG_HOME:-${HOME:-}/.config}/systemd/user
  dir=$prefix
  if [ -z "$dir" ] && [ "$task" != install ]; then dir=$(folder_here); fi
  if [ -z "$dir" ] && [ -n "$root" ]; then dir=/opt/$NAME; fi
  [ -n "$dir" ] || dir=${XDG_DATA_HOME:-$HOME/.local/share}/$NAME
  state=$dir/state
  # Where the agent's own `require` finds the addon of terminals.
  terminal=$dir/node_modules/@lydell/node-pty-linux-$arch/pty.node
  manager=none
  if [ -n "$service" ] && command -v systemctl >/dev/null 2>&1; then
    if [ -n "$root" ] && [ -d /run/systemd/system ]; then manager=system
    elif [ -z "$root" ] && systemctl --user show-environment >/dev/null 2>&1; then manager=user; fi
  fi
  # What is there stays with what it was installed with.
  only_root "$dir"
  [ -f "$dir/manager" ] && manager=$(cat "$dir/manager")
  case $manager in
    system) unit=/etc/systemd/system/$NAME.service ctl='systemctl' ;;
    user) unit=$user_units/$NAME.service ctl='systemctl --user' ;;
    *) unit='' ctl='' ;;
  esac
  # Root's agent runs as a user without rights: that of the service, else the one it was installed with.
  agent_user=''
  if [ "$manager" = system ]; then agent_user=$NAME
  elif [ -f "$dir/user" ]; then agent_user=$(cat "$dir/user"); fi
  owner_of_state
}

# Someone may have given the agent's folder to a user, who owns it then.
owner_of_state() {
  [ -n "$root" ] && [ -d "$state" ] || return 0
  # shellcheck disable=SC2012,SC2046
  set -- $(ls -ld "$state")
  if [ "$3" != root ]; then agent_user=$3; fi
}

check_digest() {
  found=$($digest "$1") || fail "$1 could not be read"
  [ "${found%% *}" = "$2" ] || fail "the digest of $3 is wrong: expected $2, found ${found%% *}; nothing was installed"
}

has_digest() { [ -f "$1" ] && [ "$($digest "$1" | cut -c 1-64)" = "$2" ]; }

# entry KIND NAME: what the manifest says; sets `sum`.
entry() {
  sum=$(sed -n "s/^$1 $2 \([0-9a-f]\{64\}\) [0-9]*\$/\1/p" "$work/manifest")
}

node_is_fit() {
  "$1" -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 22 || (a === 22 && b >= 18) ? 0 : 1)' >/dev/null 2>&1
}

# Decides which Node runs the agent: `node_sum` is that of the server's, else `own_node` is the machine's.
choose_node() {
  entry runtime "$os"
  node_sum=$sum
  if [ -n "$own_node" ]; then node_sum=''
  elif [ -z "$node_sum" ]; then
    own_node=$(command -v node) || own_node=''
    [ -n "$own_node" ] && node_is_fit "$own_node" || fail "the server has no Node for $os, and this machine has none of version 22.18 or later: install one, or let the operator run svc-server fetch-runtime $os"
  fi
  if [ -n "$own_node" ]; then
    # Root runs it, to check signatures and the like.
    only_root "$own_node"
    node_is_fit "$own_node" || fail "$own_node is no Node 22.18 or later"
  fi
}

bearer() {
  read_state config.toml "$work/config" || fail "$state/config.toml could not be read"
  found=$(sed -n 's/^token = "\(.*\)"$/\1/p' "$work/config" | head -n 1)
  case $found in '' | *[\\\"]*) fail "$state/config.toml has no token" ;; esac
  printf '%s\n' "$found"
}

# download CREDENTIAL: the agent, the addon of terminals, and Node where the server's is to be used, into the work folder.
download() {
  entry agent '[^ ]*'
  agent_sum=$sum
  [ -n "$agent_sum" ] || fail 'the server has no agent to give'
  say 'Downloading the agent …'
  get agent "$work/agent"
  check_digest "$work/agent" "$agent_sum" 'the agent'
  entry terminal "$os"
  if [ -n "$sum" ] && ! has_digest "$terminal" "$sum"; then
    get "terminal/$os" "$work/terminal" "$1"
    check_digest "$work/terminal" "$sum" 'the addon for terminals'
  fi
  if [ -n "$node_sum" ]; then
    if has_digest "$dir/node" "$node_sum"; then node_sum=''
    else
      can_run "$work" || fail "no program may be started from $work (noexec): set TMPDIR to another folder, as in: … | TMPDIR=/var/tmp sh -s -- CODE"
      say "Downloading Node for $os …"
      get "runtime/$os" "$work/node" "$1"
      check_digest "$work/node" "$node_sum" Node
      chmod 755 "$work/node"
      "$work/node" -v >/dev/null 2>&1 || fail 'the Node of the server does not run here (glibc 2.28 is needed): install Node 22.18 or later, and give it with --node'
    fi
  fi
}

# The user that the agent runs as reads it, and does not change it.
put_terminal() {
  [ -f "$work/terminal" ] || return 0
  (umask 022 && mkdir -p "$(dirname "$terminal")")
  chmod 644 "$work/terminal"
  put "$work/terminal" "$terminal"
}

exchange() {
  printf 'code=%s' "$code" >"$work/code"
  if [ "$http" = curl ]; then get exchange "$1" --post-file "$work/code"
  else fetch exchange "$1" --post-file "$work/code" || fail 'the server refused the code: it is unknown, used, revoked or expired'; fi
}

# The server's configuration with what this machine allows. Sets `kinds`, of tasks.
with_allowed() {
  cp "$1" "$1.new"
  if [ -n "$allow" ]; then
    kinds=''
    if grep -q '^allow_task = true$' "$1"; then kinds=$(sed -n 's/^allow_task_type = \[\(.*\)\]$/\1/p' "$1"); fi
    # It becomes part of a program for sed, and others than root write that file.
    case $kinds in *[!a-z_,\ \"]*) fail 'allow_task_type has something else than kinds of tasks: write it by hand, and start the agent again' ;; esac
    for kind in $(printf '%s' "$allow" | tr , ' '); do
      case $kinds in *"\"$kind\""*) ;; *) kinds="${kinds:+$kinds, }\"$kind\"" ;; esac
    done
    sed -e '/^allow_task_type = /d' -e "s/^allow_task = .*\$/allow_task = true\\
allow_task_type = [$kinds]/" "$1" >"$1.new"
  fi
  for document in $documents; do printf 'allow_%s = true\n' "$document" >>"$1.new"; done
  mv "$1.new" "$1"
}

# as_agent COMMAND [FILE for its input]: as the user that the agent runs as. Whatever that user has put into its folder, links
# to folders and files of others too, opens nothing that the user could not open anyway. Without a terminal of root's, into
# which that user could type.
as_agent() {
  if [ -z "$agent_user" ]; then sh -c "umask 077; $1" <"${2:-/dev/null}"; return; fi
  $apart su -s /bin/sh "$agent_user" -c "umask 077; $1" <"${2:-/dev/null}"
}

# read_state NAME FILE: a file of the agent's folder, 32 MB at most.
read_state() { as_agent "[ -f '$state/$1' ] && head -c 33554432 '$state/$1'" >"$2" 2>/dev/null; }

# write_state FILE NAME
write_state() {
  as_agent "rm -rf '$state/$2.new'; [ ! -d '$state/$2' ] || rm -rf '$state/$2'; cat >'$state/$2.new' && mv -f '$state/$2.new' '$state/$2'" "$1" || fail "$state/$2 could not be written: is there room?"
}

remove_state() { as_agent "cd '$state' && rm -f $*"; }

# Root follows nothing in the folder of the agent's user: that user empties it, and root removes what is empty.
remove_all() {
  if [ -n "$agent_user" ] && [ -d "$state" ] && id "$agent_user" >/dev/null 2>&1; then
    as_agent "cd '$state' && rm -rf ./* ./.[!.]* ./..?*" 2>/dev/null
    rmdir "$state" 2>/dev/null || { say "$NAME: $state is not empty: its user still writes there, or may not remove what is there"; return 1; }
  fi
  rm -rf "$dir"
}

# Only Node can check a signature on every machine. `verify first|next|ran|back …` prints what agent/src/signed/verify.ts says.
verify() {
  verifier >"$work/verify.mjs"
  "$verifying_node" "$work/verify.mjs" "$@" 2>"$work/why"
}

why() { head -c 500 "$work/why" | tr -cd ' -~'; }

warn_of_way() {
  case $BASE in
    https://* | http://127.* | http://localhost* | http://\[::1\]*) return 0 ;;
  esac
  say "WARNING: $BASE is plain http://. Whoever is on the way reads the token of this machine, and can put a program and a"
  say "WARNING: key of their own in place of the server's. Give the server TLS (docs/guide/tls-and-proxies.md), or look first"
  say "WARNING: whether its key is the one that \"svc-server signing-key\" prints there: ${key:-$KEY}"
}

# What this machine was given with the installer, over the connection that brought it, is what it trusts from then on.
first_manifest() {
  [ -z "$key" ] || [ "$key" = "$KEY" ] || fail "the server signs with the key $KEY, and the line names $key: ask for a new line, or ask its operator"
  carried_manifest >"$work/manifest"
  grep -q '^svc-manifest ' "$work/manifest" || fail "this copy belongs to an agent that is installed: for another one take the line of the server"
}

is_fingerprint() {
  fingerprint=${1#sha256//}
  case ${fingerprint%=} in *[!A-Za-z0-9+/]*) return 1 ;; esac
  [ "$1" = "sha256//${fingerprint%=}=" ] && [ ${#fingerprint} -eq 44 ]
}

first_trust() {
  verifying_node=$1
  verify first "$work/manifest" "$KEY" >"$work/trust" || fail "$(why); nothing was installed"
}

# The manifest of an update, checked by the Node that is here: sets the file `next` in the work folder, what is trusted after it.
check_update() {
  only_root "$node"
  verifying_node=$node
  get manifest "$work/manifest"
  read_state trust "$work/trust.agent" || : >"$work/trust.agent"
  if [ -f "$dir/trust" ]; then cp "$dir/trust" "$work/trust"
  else
    verify first "$work/manifest" "${key:-$KEY}" >"$work/trust" || fail "$(why); nothing was changed"
    warn_of_way
    [ -n "$dry" ] || say "From now on this machine takes only what the key ${key:-$KEY} has signed."
  fi
  verify next "$work/manifest" "$os" "$work/trust" "$work/trust.agent" >"$work/next" ||
    fail "$(why): nothing was changed. Where the key of the server was lost: sh $dir/install.sh --trust-key KEY"
}

# This version runs here: older ones are refused from now on.
keep_trust() {
  verify ran "$work/manifest" "$os" "$work/next" >"$work/trust" || fail "$(why)"
  chmod 644 "$work/trust"
  put "$work/trust" "$dir/trust"
  remove_state trust
}

# What starts the agent, as this installer writes it.
renew_start() {
  write_start "$work/start"
  verifier >"$work/verify.mjs"
  chmod 644 "$work/verify.mjs"
  for part in start verify.mjs; do
    has_digest "$dir/$part" "$($digest "$work/$part" | cut -c 1-64)" || put "$work/$part" "$dir/$part"
  done
}

# put_installer FILE: with the way to this machine's server, which no update changes.
put_installer() {
  sed -e "s|^BASE='@[B]ASE@'\$|BASE='$BASE'|" -e "s|^PIN='@[P]IN@'\$|PIN='$PIN'|" -e "s|^KEY='@[K]EY@'\$|KEY='$KEY'|" \
    -e 's|^@[M]ANIFEST@$||' "$1" >"$work/install.sh"
  put "$work/install.sh" "$dir/install.sh"
}

# The digest of it stands in the signed manifest.
fetch_installer() {
  entry installer '[^ ]*'
  get installer "$work/installer"
  check_digest "$work/installer" "$sum" 'the installer'
}

trust_key() {
  [ -f "$dir/start" ] || fail "there is no agent in $dir: give its folder with --prefix"
  node_of_start
  only_root "$node"
  verifying_node=$node
  get manifest "$work/manifest"
  verify first "$work/manifest" "$key" >"$work/trust" || fail "$(why); nothing was changed"
  if [ -n "$dry" ]; then say "would trust the key $key"; return 0; fi
  chmod 644 "$work/trust"
  put "$work/trust" "$dir/trust"
  remove_state trust
  renew_start
  say "This machine takes only what the key $key has signed. Its version: sh $dir/install.sh --update"
}

# @ROOM@
carried_manifest() {
  cat <<'MANIFEST'
@MANIFEST@
MANIFEST
}

verifier() {
  cat <<'VERIFIER'
@VERIFIER@
VERIFIER
}

node_of_start() { node=$(sed -n "s/^exec '\\(.*\\)' svc-agent.mjs.*/\\1/p" "$dir/start"); }

# More kinds of tasks for the agent that is here. The token of an enrolled machine may take all of them.
allow_tasks() {
  [ -f "$dir/start" ] || fail "there is no agent in $dir: give its folder with --prefix, or a code to install one"
  file=$state/config.toml
  read_state config.toml "$work/config" || fail "$file could not be read"
  [ "$(grep -c '^\[\[server\]\]' "$work/config")" = 1 ] && grep -q '^allow_task = ' "$work/config" ||
    fail "$file was changed by hand: write allow_task = true and allow_task_type into it, and start the agent again"
  with_allowed "$work/config"
  if [ -n "$dry" ]; then say "would allow $kinds in $file, and start the agent again"; return 0; fi
  write_state "$work/config" config.toml
  if [ "$manager" = system ]; then write_tasks_unit; write_ping_unit "$work/config"; fi
  stop_service
  start_service || fail 'the service does not start'
  say "This machine takes these tasks from its server now: $kinds"
}

# Sets `socket_group`, of the container engine, where the user of the service needs it.
find_socket() {
  case $documents in *containers*) ;; *) return 0 ;; esac
  for socket in /var/run/docker.sock /run/podman/podman.sock; do
    if [ -S "$socket" ]; then
      [ "$manager" = system ] || return 0
      socket_group=$(stat -c %G "$socket")
      [ "$socket_group" != root ] || { socket_group='' && say "Only root may open $socket: containers are not listed."; }
      return 0
    fi
  done
  say 'No container engine was found here; the agent looks again every minute.'
}

write_start() {
  leave_root=''
  if [ "$manager" = none ] && [ -n "$agent_user" ]; then
    leave_root="[ \"\$(id -u)\" != 0 ] || exec su -s /bin/sh $agent_user -c \"exec '$dir/start' \${1:-} >>'$state/agent.log' 2>&1 </dev/null\""
  fi
  cat >"$1" <<END
#!/bin/sh
# Starts the agent; with "keep" again whenever it ends. A version that did not connect in three starts is taken back.
$leave_root
cd '$state' || exit 1
export STATE_DIRECTORY='$state' SVC_AGENT_BUNDLE='$state/svc-agent.mjs' MALLOC_ARENA_MAX=1
if [ "\${1:-}" = keep ]; then
  child=''
  trap 'kill "\$child" 2>/dev/null; wait "\$child"; exit 0' TERM INT
  while :; do
    '$dir/start' &
    child=\$!
    while kill -0 "\$child" 2>/dev/null; do
      # A signal ends a wait, not a program that runs in front.
      sleep 2 & wait \$!
      turns=\$(((\${turns:-0} + 1) % 300))
      if [ "\$turns" = 0 ] && [ "\$(wc -c <agent.log)" -gt 1000000 ]; then tail -c 100000 agent.log >agent.log.1; : >agent.log; fi
    done
  done
fi
if [ -f trial ]; then
  starts=\$(cat trial)
  if [ "\${starts:-0}" -ge 3 ] && [ -f svc-agent.old.mjs ]; then
    if '$node' '$dir/verify.mjs' back svc-agent.old.signed svc-agent.old.mjs '$dir/trust' trust >&2; then
      rm -f trial
      echo 'the new version did not connect: the one before is back' >&2
      mv svc-agent.old.mjs svc-agent.mjs
      mv svc-agent.old.signed svc-agent.signed
    fi
  else
    echo \$((\${starts:-0} + 1)) >trial
  fi
fi
[ -f trial ] && export SVC_AGENT_TRIAL='$state/trial'
exec '$node' svc-agent.mjs -c config.toml
END
  chmod 755 "$1"
}

# The templates of agent/systemd, for this folder.
write_unit() {
  mkdir -p "$(dirname "$unit")"
  if [ "$manager" = user ]; then user_template; else system_template; fi | sed -e '/^#/d' -e '/^StateDirectory/d' \
    -e "s|@USER@|$NAME|" -e "s|^ExecStart=.*|ExecStart=$dir/start|" -e "s|^ProtectSystem=strict\$|&\\
ReadWritePaths=$state|" >"$unit"
  [ "$manager" = system ] || return 0
  write_tasks_unit
  read_state config.toml "$work/config" && write_ping_unit "$work/config"
  if [ -n "$socket_group" ]; then
    mkdir -p "$unit.d" && printf '[Service]\nSupplementaryGroups=%s\n' "$socket_group" >"$unit.d/containers.conf"
  fi
}

# Programs that people run there may write where their user may.
write_tasks_unit() {
  case ,$allow, in
    *,execute,* | *,web_shell,*) mkdir -p "$unit.d" && tasks_template | sed '/^#/d' >"$unit.d/tasks.conf" ;;
  esac
}

allows_ping() {
  grep -q '^allow_task = true$' "$1" && grep -q -e '^allow_task_type = .*"ping"' -e '^allow_icmp_ping = true$' "$1"
}

# Whether everybody in the group of the service may ping without a capability.
may_ping() {
  read -r first last </proc/sys/net/ipv4/ping_group_range 2>/dev/null || return 1
  group=$(id -g "$NAME") && [ "$group" -ge "$first" ] && [ "$group" -le "$last" ]
}

# write_ping_unit CONFIG: what the program ping needs, where the configuration allows it.
write_ping_unit() {
  rm -f "$unit.d/ping.conf"
  allows_ping "$1" || return 0
  left_out='^#'
  if may_ping; then left_out='^AmbientCapabilities'; fi
  mkdir -p "$unit.d" && ping_template | sed -e '/^#/d' -e "/$left_out/d" >"$unit.d/ping.conf"
}

# A service that was installed before ping was thought of, or whose file was changed since. True where it was changed.
renew_ping_unit() {
  [ "$manager" = system ] && read_state config.toml "$work/config" || return 1
  before=$(cat "$unit.d/ping.conf" 2>/dev/null)
  write_ping_unit "$work/config"
  [ "$(cat "$unit.d/ping.conf" 2>/dev/null)" != "$before" ]
}

system_template() {
  cat <<'TEMPLATE'
@SYSTEM_UNIT@
TEMPLATE
}

user_template() {
  cat <<'TEMPLATE'
@USER_UNIT@
TEMPLATE
}

tasks_template() {
  cat <<'TEMPLATE'
@TASKS_UNIT@
TEMPLATE
}

ping_template() {
  cat <<'TEMPLATE'
@PING_UNIT@
TEMPLATE
}

add_user() {
  if [ "$manager" = none ]; then without_service; return 0; fi
  [ "$manager" = system ] || return 0
  make_user || fail "the user $NAME could not be made"
}

# Root without systemd: the user is made for the usual folder; another folder takes it where it exists.
without_service() {
  [ -n "$root" ] || return 0
  if [ "$dir" = "/opt/$NAME" ]; then make_user; fi
  if id "$NAME" >/dev/null 2>&1; then agent_user=$NAME; fi
}

# A folder or a Node that the user does not reach: the agent stays with root.
keep_user() {
  [ "$manager" = none ] && [ -n "$agent_user" ] || return 0
  if as_agent "cd '$dir' && '$node' -v" >/dev/null 2>&1; then printf '%s\n' "$agent_user" >"$dir/user"
  else agent_user=''; fi
}

make_user() {
  id "$NAME" >/dev/null 2>&1 && return 0
  if command -v useradd >/dev/null 2>&1; then
    useradd --system --no-create-home --home-dir "$state" --shell /usr/sbin/nologin --user-group "$NAME"
  else
    addgroup -S "$NAME" && adduser -S -D -H -h "$state" -s /sbin/nologin -G "$NAME" "$NAME"
  fi || return 1
  : >"$dir/user-made"
}

start_service() {
  if [ -n "$unit" ]; then
    $ctl daemon-reload && $ctl enable "$NAME" >/dev/null 2>&1
    $ctl restart "$NAME"
  else
    # Not nohup, which small systems lack. One subshell that becomes the program: its number is that of the program.
    # What root starts opens no file in the folder of another user.
    log=$state/agent.log
    if [ -n "$agent_user" ]; then log=/dev/null; fi
    (cd / && trap '' HUP && exec "$dir/start" keep >>"$log" 2>&1 </dev/null) &
    echo $! >"$dir/pid"
  fi
}

stop_service() {
  if [ -n "$unit" ]; then
    $ctl stop "$NAME" 2>/dev/null
    return 0
  fi
  [ -f "$dir/pid" ] || return 0
  pid=$(cat "$dir/pid")
  rm -f "$dir/pid"
  # The number may be another program's by now.
  grep -q "$dir/start" "/proc/$pid/cmdline" 2>/dev/null || return 0
  kill "$pid"
  tries=0
  while kill -0 "$pid" 2>/dev/null && [ $tries -lt 10 ]; do
    sleep 1
    tries=$((tries + 1))
  done
}

# The agent removes the file `trial` once the server has taken it.
is_connected() {
  tries=0
  while [ -e "$state/trial" ] && [ $tries -lt "$1" ]; do
    sleep 1
    tries=$((tries + 1))
  done
  [ ! -e "$state/trial" ]
}

begin_trial() {
  printf '0\n' >"$work/trial"
  write_state "$work/trial" trial
}

# Others may have been first, where they may make folders too (/tmp).
make_folder() {
  mkdir -p "$dir" || fail "$dir could not be made"
  only_root "$dir"
  made=yes
  chmod 755 "$dir" && mkdir -p "$state" && chmod 700 "$state" || fail "$dir could not be made"
}

install_agent() {
  [ -n "$code" ] || { usage >&2; fail 'a code is missing'; }
  [ ! -e "$dir/start" ] || fail "there is an agent in $dir already: --update or --uninstall it, or choose another --prefix"
  first_manifest
  warn_of_way
  choose_node
  find_socket
  if [ -n "$dry" ]; then
    say "server      $BASE"
    say "its key     $KEY"
    say "platform    $os"
    say "folder      $dir"
    say "Node        ${own_node:-of the server}"
    user=$(id -un)
    if [ "$manager" = system ]; then user="the user $NAME"
    elif [ "$manager" = none ] && [ -n "$root" ] && { [ "$dir" = "/opt/$NAME" ] || id "$NAME" >/dev/null 2>&1; }; then
      user="the user $NAME, where it reaches the folder"
    fi
    say "runs as     $user"
    say "service     $([ -n "$unit" ] && echo "$unit" || echo 'a background process, until the next boot')"
    say "tasks       ${allow:-none}"
    say "documents  ${documents:- none}"
    [ -z "$socket_group" ] || say "group       $socket_group, whose members can do what root can"
    say 'Nothing was done; the code is still good.'
    exit 0
  fi
  download "Code $code"
  if [ -n "$node_sum" ]; then first_trust "$work/node"; else first_trust "${own_node:-$dir/node}"; fi
  fetch_installer
  make_folder
  add_user
  node=$own_node
  if [ -n "$node_sum" ]; then node=$dir/node && put "$work/node" "$node"; fi
  verifying_node=$node
  keep_user
  put_terminal
  # Empty until here: from now on it is its user who writes there.
  if [ -n "$agent_user" ]; then chown -h "$agent_user:$agent_user" "$state" || fail "$state could not be given to $agent_user"; fi
  write_state "$work/agent" svc-agent.mjs
  write_state "$work/manifest" svc-agent.signed
  put_installer "$work/installer"
  chmod 644 "$work/trust"
  put "$work/trust" "$dir/trust"
  has_room "$dir" || fail "$dir has no room left"
  # Last of what can fail: a code that was given is not given again at once.
  exchange "$work/config"
  with_allowed "$work/config"
  write_state "$work/config" config.toml
  begin_trial
  renew_start
  printf '%s\n' "$manager" >"$dir/manager"
  if [ -n "$unit" ]; then write_unit; fi
  start_service || fail 'the service does not start'
  made=''
  after_install
  say "It takes only what the key $KEY has signed."
}

after_install() {
  uuid=$(sed -n 's/^agent_uuid = "\([0-9A-Fa-f-]*\)"$/\1/p' "$work/config")
  if is_connected 20; then
    cp "$dir/trust" "$work/next"
    keep_trust
    say "This machine is in the fleet: $uuid"
  else
    say "Installed as $uuid, but the server has not taken it yet; it goes on trying. Look into $([ -n "$unit" ] && echo "journalctl -u $NAME" || echo "$state/agent.log")."
  fi
  [ -z "$socket_group" ] || say "For the containers the service is in the group $socket_group, whose members can do what root can."
  [ "$manager" != user ] || loginctl enable-linger >/dev/null 2>&1 || say "It runs while you are logged in; for longer: loginctl enable-linger $(id -un)"
  if [ "$manager" = none ] && [ -n "$root" ]; then
    if [ -n "$agent_user" ]; then
      say "It runs as the user $agent_user."
      case $documents in *containers*) say "It lists containers when that user is in the group of the engine's socket." ;; esac
    else say "It runs as ROOT: what the server lets it do, it does as root. For another user, install it under systemd, as that user, or as root without --prefix."; fi
  fi
  [ "$manager" != none ] || say "It runs until the next boot; after one: $dir/start keep &"
  say "Update it: sh $dir/install.sh --update"
  say "Remove it: sh $dir/install.sh --uninstall"
}

is_current() {
  entry agent '[^ ]*'
  has_digest "$work/running" "$sum" || return 1
  if [ -n "$node_sum" ]; then has_digest "$node" "$node_sum" || return 1; fi
  entry terminal "$os"
  [ -z "$sum" ] || has_digest "$terminal" "$sum"
}

# What an update replaces waits for it to succeed.
set_aside() { if [ -f "$1" ]; then mv "$1" "$2"; fi; }

update_agent() {
  [ -f "$dir/start" ] || fail "there is no agent in $dir: give its folder with --prefix"
  node_sum=''
  node_of_start
  check_update
  if [ "$node" = "$dir/node" ]; then entry runtime "$os"; node_sum=$sum; fi
  renewed=''
  if [ -z "$dry" ] && renew_ping_unit; then renewed=yes; fi
  read_state svc-agent.mjs "$work/running" || fail "$state/svc-agent.mjs could not be read"
  if is_current; then
    if [ -z "$dry" ]; then write_state "$work/manifest" svc-agent.signed; keep_trust; renew_start; fi
    if [ -n "$renewed" ]; then start_service || fail 'the service does not start'; fi
    say "The agent is that of the server already.${renewed:+ Its service was renewed for the task ping.}"
    return 0
  fi
  if [ -n "$dry" ]; then say 'There is another version; nothing was done.'; return 0; fi
  held=$(bearer) || exit 1
  download "Bearer $held"
  fetch_installer
  # What was signed when it came. A version from before signatures has nothing to show, and comes back by its bytes.
  running_is=unsigned
  if read_state svc-agent.signed "$work/running.signed" && [ -s "$work/running.signed" ]; then running_is=signed; fi
  starts_here || fail 'the new version does not start; the old one goes on'
  stop_service
  write_state "$work/running" svc-agent.old.mjs
  if [ $running_is = signed ]; then write_state "$work/running.signed" svc-agent.old.signed; fi
  renew_start
  if [ -n "$node_sum" ]; then set_aside "$node" "$dir/node.old"; put "$dir/node.new" "$node"; fi
  if [ -f "$work/terminal" ]; then set_aside "$terminal" "$dir/terminal.old"; put_terminal; fi
  write_state "$work/agent" svc-agent.mjs
  write_state "$work/manifest" svc-agent.signed
  begin_trial
  start_service
  # Where the program that starts it has given up before, the old version is there again.
  if is_connected 30 && read_state svc-agent.mjs "$work/found" && has_digest "$work/found" "$agent_sum"; then
    remove_state svc-agent.old.mjs svc-agent.old.signed
    rm -f "$dir/node.old" "$dir/terminal.old"
    keep_trust
    put_installer "$work/installer"
    say 'The agent was updated.'
  else
    roll_back
    fail 'the new version did not connect to the server; the one before is back'
  fi
}

# The new version, started once as the user that it is to run as.
starts_here() {
  trial_node=$node
  if [ -n "$node_sum" ]; then trial_node=$dir/node.new && put "$work/node" "$trial_node"; fi
  write_state "$work/agent" svc-agent.try.mjs
  as_agent "'$trial_node' '$state/svc-agent.try.mjs' -v" >/dev/null 2>&1
  started=$?
  remove_state svc-agent.try.mjs
  [ $started = 0 ] || rm -f "$dir/node.new"
  return $started
}

# The very bytes that ran before: root has kept them meanwhile.
roll_back() {
  if [ $running_is = signed ] || [ -f "$dir/trust" ]; then
    if [ $running_is = unsigned ]; then : >"$work/running.signed"; fi
    verify back "$work/running.signed" "$work/running" "$work/trust" "$work/trust.agent" ||
      fail "the new version did not connect to the server, and the one before is not put back: $(why)"
  fi
  stop_service
  if [ $running_is = signed ]; then write_state "$work/running.signed" svc-agent.signed; else remove_state svc-agent.signed; fi
  write_state "$work/running" svc-agent.mjs
  remove_state svc-agent.old.mjs svc-agent.old.signed trial
  set_aside "$dir/node.old" "$node"
  set_aside "$dir/terminal.old" "$terminal"
  start_service
}

uninstall_agent() {
  [ -f "$dir/start" ] || fail "there is no agent in $dir: give its folder with --prefix"
  if [ -n "$dry" ]; then say "would stop the agent and remove $dir${unit:+ and $unit}"; return 0; fi
  stop_service
  if [ -n "$unit" ]; then
    $ctl disable "$NAME" >/dev/null 2>&1
    rm -rf "$unit" "$unit.d"
    $ctl daemon-reload
  fi
  user_made=''
  if [ -f "$dir/user-made" ]; then user_made=yes; fi
  remove_all || exit 1
  if [ -n "$user_made" ]; then userdel "$NAME" 2>/dev/null || deluser "$NAME" 2>/dev/null; fi
  say 'The agent was removed. Its token is still valid: the operator deletes it with token_delete.'
}

main() {
  options "$@"
  tools
  platform
  layout
  umask 077
  made=''
  apart=''
  if command -v setsid >/dev/null 2>&1; then apart=setsid; fi
  work=$(mktemp -d) || fail "no temporary folder could be made in ${TMPDIR:-/tmp}: make room there, or set TMPDIR to another folder"
  only_root "$work"
  trap 'rm -rf "$work"; if [ -n "$made" ]; then remove_all; fi' EXIT
  trap 'exit 1' INT TERM HUP
  case $task in
    install) install_agent ;;
    allow) allow_tasks ;;
    update) update_agent ;;
    trust) trust_key ;;
    uninstall) uninstall_agent ;;
    print)
      [ -n "$code" ] || fail 'a code is missing'
      exchange "$work/config"
      cat "$work/config" ;;
  esac
}

main "$@"
