/** Output of `svc --help`; completion reads commands, options and their words from it. */
export const HELP = `svc talks to a server that supervises machines.

  svc login URL                     asks for a credential and stores it
  svc agents                        the machines, and their state
  svc watch AGENT                   a line for each report
  svc run AGENT -- CMD ARGS…        runs a command, exits with its status
  svc sh AGENT                      a terminal there; Ctrl-] leaves it
  svc call METHOD key=value…        any method; a value is JSON, or else text
  svc call -f METHOD key=value…     the items of a stream, one a line
  svc kv get NAMESPACE KEY          a value
  svc kv set NAMESPACE KEY VALUE    stores one; - reads it from standard input
  svc worker deploy FILE            stores a script under the name of its file
  svc worker dev FILE               stores and runs it on every save
  svc worker types                  types for scripts: a file svc.d.ts
  svc alerts export                 channels, policies, rules, windows as YAML
  svc alerts apply FILE             makes them what the file says
  svc alerts                        what is open
  svc ack ALERT NOTE…               somebody looks after it; no more reminders
  svc silence AGENT TIME REASON…    sends nothing about it for 30m, 2h, 7d
  svc monitors add TARGET           checks a URL, host:port or host from now on
  svc monitors try TARGET           checks one, or a monitor, once; 1: it fails
  svc monitors check NAME           checks it now
  svc monitors enable|disable NAME  switches its checks on or off
  svc monitors delete NAME          deletes it with all that was measured
  svc monitors export               monitors as YAML
  svc monitors apply FILE           makes them what the file says
  svc monitors NAME…                all; or one with places, outages, uptime
  svc logs [-f]                     the server's log; -f follows it
  svc completion bash|zsh           completion for the Tab key of a shell

AGENT is a name or a UUID, or the beginning of one; for silence a monitor, too.

  --json             JSON instead of tables, one value a line
  --server URL       another server than that of the last login
  --name NAME        worker: instead of the file's name; monitors add: of it
  --state STATE      monitors: up, degraded, down, unknown or paused ones
  --group NAME       monitors: those under this heading
  --tag TAG          monitors: those with this tag
  --monitor          silence: AGENT is a monitor, or a beginning: 'shop*'
  --route NAME       worker: its path, /svc/worker-route/NAME
  --env FILE         worker: a file of JSON that its handlers get as env
  --params JSON      worker dev: what the handler gets
  --as call|cron     worker dev: which handler runs; onCall by default
  --dry-run          apply, monitors add: shows what would change
  --prune            apply: removes what the file does not have
  --secrets          apply: writes secrets again, also those that are set
  --timeout SECONDS  the longest wait for an answer
  -n COUNT           watch, logs, call -f, worker dev: exit after so many
  -h, --help         this text
  --version          the version of this program

Credentials are stored in svc/credentials.json below $XDG_CONFIG_HOME or
~/.config, readable by you alone.
`;

/** A way to call the program: `['kv', 'get']` and what follows, `['NAMESPACE', 'KEY']`. */
export interface Usage {
  readonly words: readonly string[];
  readonly given: readonly string[];
  readonly says: string;
}

const lines = (pattern: RegExp) =>
  [...HELP.matchAll(pattern)].map(([, left = '', says = '']) => ({ left, says }));

export const USAGES: readonly Usage[] = lines(/^ {2}svc (.+?) {2,}(.+)$/gm).flatMap(
  ({ left, says }) => {
    const parts = left.split(' ').filter((part) => !/^\[?-/.test(part));
    const at = parts.findIndex((part) => /[^a-z|]/.test(part));
    const given = at < 0 ? [] : parts.slice(at);
    const [first = '', second] = at < 0 ? parts : parts.slice(0, at);
    const seconds = second === undefined ? [[]] : second.split('|').map((word) => [word]);
    return seconds.map((word) => ({ words: [first, ...word], given, says }));
  },
);

export interface Option {
  readonly name: string;
  readonly hasValue: boolean;
  readonly says: string;
}

export const OPTIONS: readonly Option[] = lines(/^ {2}(-.+?) {2,}(.+)$/gm).map(({ left, says }) => {
  const [name = '', value] = left.split(/,? /).slice(left.startsWith('-h') ? 1 : 0);
  return { name, hasValue: value !== undefined, says };
});

/** Returns why the words after a command fit none of its usages, of which `ahead` stand before `--`; undefined: they fit one. */
export function faultOf(
  command: string,
  rest: readonly string[],
  ahead: number,
): string | undefined {
  const usages = USAGES.filter(({ words }) => words[0] === command);
  const seconds = usages.flatMap(({ words }) => words.slice(1));
  const usage = usages.find(({ words }) => words.length === 1 || words[1] === rest[0]);
  // Commands that are not listed, and `login`, which says more, check their words themselves.
  if (usages.length === 0 || (command === 'login' && rest.length > 1)) return undefined;
  const shown = HELP.split('\n').filter((line) => line.startsWith(`  svc ${command} `));
  const all = shown.map((line) => `\n${line}`).join('');
  if (!usage)
    return `${rest[0] === undefined ? `${seconds.join(' or ')} is missing` : `'${rest[0]}': ${seconds.join(' or ')}`}:${all}`;
  const given = rest.slice(usage.words.length - 1);
  // An empty variable without quotes leaves no word: the command to run would be taken for the machine.
  if (command === 'run' && ahead < 1) return `AGENT is missing before --:${all}`;
  const missing = usage.given.filter((name) => !name.endsWith('…'))[given.length];
  if (missing !== undefined) return `${missing} is missing:${all}`;
  // An empty variable in quotes leaves an empty word, with which every name begins.
  if (usage.given[0] === 'AGENT' && given[0]?.trim() === '') return `AGENT is empty:${all}`;
  const isOpen = usage.given.at(-1)?.endsWith('…');
  const extra = given[usage.given.length];
  return isOpen || extra === undefined ? undefined : `'${extra}' is one word too many:${all}`;
}
