import { Complaint } from '../io.ts';
import type { Session } from '../session.ts';

/** The words of the program; arguments in capitals are asked for at the server. */
export const WORDS: Readonly<Record<string, readonly string[]>> = {
  login: [],
  agents: [],
  call: ['METHOD'],
  watch: ['AGENT'],
  run: ['AGENT'],
  sh: ['AGENT'],
  worker: ['deploy', 'dev', 'types'],
  kv: ['get', 'set'],
  logs: [],
  completion: ['bash', 'zsh'],
};

// Names come from a server: `compgen -W` would run what stands in them.
const BASH = `_svc() {
  local word so_far="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS= read -r word; do
    if [[ $word == "$so_far"* ]]; then COMPREPLY+=("$word"); fi
  done < <(svc complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ \${COMPREPLY[0]-} == *= ]]; then compopt -o nospace; fi
}
complete -o default -F _svc svc
`;
const ZSH = `autoload -U +X bashcompinit && bashcompinit\n${BASH}`;

/** `svc completion bash|zsh`: a script for the shell's start file. */
export async function completion(session: Session): Promise<void> {
  const name = session.word(0, 'bash or zsh');
  if (name !== 'bash' && name !== 'zsh') throw new Complaint(`'${name}': bash or zsh`, 2);
  session.print(name === 'bash' ? BASH : ZSH);
}

/** What may stand at the end of a line; the scripts above ask. */
export async function complete(session: Session): Promise<void> {
  const [command = '', ...rest] = session.words;
  const first = Object.keys(WORDS);
  const found = session.words.length < 2 ? first : await behind(session, command, rest);
  session.print(found.map((word) => `${word}\n`).join(''));
}

async function behind(session: Session, command: string, rest: readonly string[]) {
  const [kind, ...others] = WORDS[command] ?? [];
  if (kind === 'METHOD')
    return rest.length < 2 ? methodNames(session) : parameters(session, rest[0]);
  if (rest.length > 1 || kind === undefined) return [];
  if (kind === 'AGENT') return session.client.call('agent-uuid_list_all');
  return [kind, ...others];
}

interface Described {
  readonly name: string;
  readonly params: readonly { readonly name: string }[];
}

const described = async (session: Session) =>
  (await session.client.call('rpc.discover')).methods as Described[];

const methodNames = async (session: Session) => (await described(session)).map(({ name }) => name);

async function parameters(session: Session, method: string | undefined): Promise<string[]> {
  const found = (await described(session)).find(({ name }) => name === method);
  const names = (found?.params ?? []).map(({ name }) => name);
  return names.filter((name) => name !== 'token').map((name) => `${name}=`);
}
