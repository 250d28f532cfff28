import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { type Command, ConfigurationFile, type Kernel, UserError } from '@svc/plugin-sdk';
import { codeOf } from '@svc/plugin-sdk/util';
import { TASK_KINDS } from '@svc/plugin-task/api';
import { Owners } from '@svc/plugin-token/api';
import { readAgentFile, withKinds } from '../agent-file.ts';

/** Kinds that let the server run anything as the user of the agent. */
const SHELLS = ['web_shell', 'execute', 'self_update'];

/**
 * `allow-tasks KINDS`: the one step that lets the agent next to the server run tasks. Only a user who may write its file can
 * do it: no call of the server does.
 */
export const allowCommand: Command = {
  name: 'allow-tasks',
  words: 'KINDS',
  summary: 'Let the agent next to this server run tasks: web_shell for terminals; none ends it.',
  options: {
    agent: {
      type: 'string',
      value: 'FILE',
      description:
        "The agent's configuration. Default: agent.toml next to the server's, or in data/.",
    },
  },
  async run(kernel, terminal, { words: [wanted = ''], values: { agent } }) {
    if (!kernel.methods.has('task_register_task'))
      throw new UserError('this server has no tasks: its list of plugins leaves out task');
    const asked = kindsOf(wanted);
    const { path, text } = await fileOf(kernel, agent as string | undefined);
    const server_uuid = kernel.server.uuid();
    const within = <T>(work: () => T): Promise<Awaited<T>> => named(path, work);
    const { uuid, token, kinds } = await within(() => readAgentFile(text, server_uuid, TASK_KINDS));
    const all =
      asked.length === 0 ? [] : TASK_KINDS.filter((one) => [...kinds, ...asked].includes(one));
    const changed = await within(() => withKinds(text, server_uuid, all));
    if (all.length > 0) await within(() => mustListen(kernel, uuid, token));
    if (changed !== text) await kernel.use(ConfigurationFile).replace(path, changed);
    terminal.print(
      `${shorter(path)}: ${all.length > 0 ? `allows ${all.join(', ')}` : 'allows no tasks'}.`,
    );
    terminal.progress(
      'The agent that npm start runs takes this over within seconds; start another one again.\n',
    );
    if (all.some((kind) => SHELLS.includes(kind)))
      terminal.progress(
        'What the server asks for runs as the user of the agent, who can do what that user can.\n',
      );
  },
};

function kindsOf(text: string): string[] {
  if (text === 'none') return [];
  const kinds = text.split(',').map((one) => one.trim());
  const unknown = kinds.find((one) => !(TASK_KINDS as readonly string[]).includes(one));
  if (unknown === undefined) return kinds;
  throw new UserError(
    `there is no kind of task '${unknown}': use ${TASK_KINDS.join(', ')}, or none`,
  );
}

async function fileOf(kernel: Kernel<unknown>, given: string | undefined) {
  const adjacent = join(dirname(kernel.use(ConfigurationFile).path), 'agent.toml');
  const paths = given === undefined ? [adjacent, join('data', 'agent.toml')] : [given];
  for (const path of paths) {
    try {
      return { path, text: await readFile(path, 'utf8') };
    } catch (error) {
      if (codeOf(error) !== 'ENOENT')
        throw new UserError(`${path} cannot be read: ${codeOf(error)}`);
    }
  }
  throw new UserError(
    `there is no ${paths[0]}: npm start makes it at its first start, --agent FILE names another one. On a machine that was added by one line: sh /opt/svc-agent/install.sh --allow KINDS`,
  );
}

/** @throws UserError that names the file */
async function named<T>(path: string, work: () => T): Promise<Awaited<T>> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(`${path}: ${error.message}`, { cause: error });
  }
}

/** @throws UserError where the agent's token may not hear of tasks and answer them; a running server would not see it change */
async function mustListen({ use }: Kernel<unknown>, uuid: string, token: string): Promise<void> {
  const owners = use(Owners);
  const [name = ''] = token.split(token.includes(':') ? ':' : '|');
  const key = token.includes(':') ? name : ((await owners.keyOf(name)) ?? name);
  const permissions = [{ task: 'listen' }, { task: { write: '*' } }];
  if (await owners.may(key, { scopes: [{ agent_uuid: uuid }], permissions })) return;
  const limit = JSON.stringify({ scopes: [{ agent_uuid: uuid }], permissions });
  throw new UserError(
    `its token ${name} may not take tasks: add the rule ${limit} to it (Tokens on the dashboard, or token_edit). That of npm start gets it at the next start`,
  );
}

/** Returns a path from the working directory, where the file is below it. */
function shorter(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') ? path : near;
}
