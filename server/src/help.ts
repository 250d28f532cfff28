import type { Command } from '@svc/plugin-sdk';

/** Parts of a command that the help shows. */
export type Described = Pick<Command, 'name' | 'summary' | 'words' | 'options'>;

const json = { type: 'boolean', description: 'As JSON, for programs.' } as const;

/** Commands of the program itself; those of plugins come from the plugins. */
export const COMMANDS: readonly Described[] = [
  {
    name: 'setup',
    words: 'DIR',
    summary: 'Write DIR/server.toml for a server that keeps everything in DIR.',
    options: {
      listen: {
        type: 'string',
        value: 'IP:PORT',
        description: 'Address to listen on. Default: 127.0.0.1:2211.',
      },
    },
  },
  {
    name: 'serve',
    summary: 'Run the server until SIGTERM or SIGINT. SIGHUP reads the file again.',
  },
  { name: 'init', summary: 'Open the database, migrate, create what is missing, and end.' },
  { name: 'get-uuid', summary: "Print the server's UUID as the last line." },
  {
    name: 'doctor',
    summary: 'Look for faults, and say what to do about them. Ends with 1 when there are any.',
    options: { json },
  },
  {
    name: 'upgrade-check',
    summary: 'Say what this version would change in configuration and database.',
    options: { json },
  },
  { name: 'version', summary: 'Print what this program was built of.' },
  {
    name: 'new-plugin',
    words: 'NAME',
    summary: 'Write the sources of a new plugin, with a test, into ./NAME.',
    options: { dir: { type: 'string', description: 'The folder, in place of ./NAME.' } },
  },
];

const NEEDS_FILE = new Set(['serve', 'init', 'get-uuid']);
const NO_FILE = new Set(['setup', 'version', 'new-plugin']);
const ELSE = 'Default: SVC_CONFIG, data/server.toml, or server.toml in /etc/svc or /var/lib/svc.';
const COLUMNS = 80;

/** `backup FILE|DIR [--every TIME]` */
export function usageOf({ name, words, options = {} }: Described): string {
  const shown = Object.keys(options).map((option) =>
    options[option]?.type === 'boolean' ? `[--${option}]` : `[${withValue(option, options)}]`,
  );
  return [name, ...(words ? [words] : []), ...shown].join(' ');
}

const withValue = (option: string, options: NonNullable<Described['options']>) => {
  const { type, value = option.toUpperCase() } = options[option] ?? {};
  return type === 'boolean' ? `--${option}` : `--${option} ${value}`;
};

/** `svc-server COMMAND --help` */
export function commandHelp(command: Described): string {
  const { name, summary, options = {} } = command;
  const rows = Object.entries(options).map(
    ([option, { description = '' }]): Row => [withValue(option, options), description],
  );
  if (!NO_FILE.has(name))
    rows.push([
      '-c, --config FILE',
      `The configuration. ${NEEDS_FILE.has(name) ? '' : ELSE}`.trim(),
    ]);
  rows.push(['-h, --help', 'This text.']);
  const file = NEEDS_FILE.has(name) ? ' -c FILE' : '';
  return [
    `Usage: svc-server ${usageOf(command)}${file}`,
    '',
    ...wrapped(summary),
    '',
    ...table(rows),
  ].join('\n');
}

/** `svc-server --help` */
export function programHelp(ofPlugins: readonly Described[]): string {
  const rows = (commands: readonly Described[]) =>
    commands.map(({ name, words, summary }): Row => [words ? `${name} ${words}` : name, summary]);
  const own = rows(COMMANDS);
  const others = rows([...ofPlugins].sort((a, b) => (a.name < b.name ? -1 : 1)));
  const lines = table([...own, ...others]);
  const ownLines = table(own, widthOf([...own, ...others])).length;
  return [
    'Usage: svc-server COMMAND [OPTIONS]',
    '',
    ...lines.slice(0, ownLines),
    ...(others.length > 0 ? ['', 'Commands of plugins', '', ...lines.slice(ownLines)] : []),
    '',
    'svc-server COMMAND --help says more about one of them.',
  ].join('\n');
}

type Row = readonly [left: string, right: string];

const widthOf = (rows: readonly Row[]) => Math.max(...rows.map(([left]) => left.length));

function table(rows: readonly Row[], width = widthOf(rows)): string[] {
  const indent = ' '.repeat(width + 4);
  return rows.flatMap(([left, right]) =>
    wrapped(right, COLUMNS - indent.length).map((line, at) =>
      `${at === 0 ? `  ${left.padEnd(width)}  ` : indent}${line}`.trimEnd(),
    ),
  );
}

/** The words in lines of at most `columns`; one line at least. */
function wrapped(text: string, columns = COLUMNS): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line === '' || line.length + 1 + word.length <= columns)
      lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
