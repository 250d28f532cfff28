import { parseArgs } from 'node:util';

export const HELP = `Reports this machine's figures to one or more servers.

Usage: svc-agent [OPTIONS]

Options:
  -c, --config FILE  configuration file [default: config.toml]
  -d, --dry-run      collect once, log everything, make no connection
  -v, --version      print the version
  -h, --help         print this help
`;

export type Command =
  | { kind: 'help' }
  | { kind: 'version' }
  | { kind: 'wrong'; problem: string }
  | { kind: 'run'; config: string; dryRun: boolean };

/** Reads the arguments (clients.md §2.2). Without arguments the program prints its help. */
export function readCommand(args: readonly string[]): Command {
  if (args.length === 0) return { kind: 'help' };
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        config: { type: 'string', short: 'c', default: 'config.toml' },
        'dry-run': { type: 'boolean', short: 'd', default: false },
        version: { type: 'boolean', short: 'v', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return { kind: 'help' };
    if (values.version) return { kind: 'version' };
    return { kind: 'run', config: values.config, dryRun: values['dry-run'] };
  } catch (error) {
    return { kind: 'wrong', problem: error instanceof Error ? error.message : String(error) };
  }
}
