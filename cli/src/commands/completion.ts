import { OPTIONS, USAGES } from '../help.ts';
import { Complaint } from '../io.ts';
import { machines } from '../machines.ts';
import type { Session } from '../session.ts';
import { clean } from '../text.ts';

// Names come from a server: `compgen -W` would run what stands in them.
const BASH = `_svc() {
  local word so_far="\${COMP_WORDS[COMP_CWORD]}" quote=
  case $so_far in [\\"\\']*) quote=\${so_far:0:1} so_far=\${so_far:1} ;; *) so_far=\${so_far//\\\\/} ;; esac
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    if [[ $word != "$so_far"* ]]; then continue; fi
    if [[ ! $quote ]]; then printf -v word %q "$word"
    elif [[ $word == *[!a-zA-Z0-9\\ ._@+-]* ]]; then continue; fi
    COMPREPLY+=("$word")
  done < <(svc complete -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" "$so_far" 2>/dev/null)
  if [[ \${COMPREPLY[0]-} == *= ]]; then compopt -o nospace; fi
}
complete -o default -F _svc svc
`;

const ZSH = `if (( ! $+functions[compdef] )); then autoload -Uz compinit && compinit -i; fi
_svc() {
  local word says
  local -a found told open shown
  while IFS=$'\\t' read -r word says; do
    if [[ $word == *= ]]; then
      open+=("$word") shown+=("$word  $says")
    else
      found+=("$word") told+=("$word  $says")
    fi
  done < <(svc complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
  if (( $#found + $#open == 0 )); then _files; return; fi
  if (( $#found )); then compadd -l -d told -a found; fi
  if (( $#open )); then compadd -l -S '' -d shown -a open; fi
}
compdef _svc svc
`;

/** `svc completion bash|zsh`: a script for the shell's start file. */
export async function completion(session: Session): Promise<void> {
  const name = session.word(0, 'bash or zsh');
  if (name !== 'bash' && name !== 'zsh') throw new Complaint(`'${name}': bash or zsh`, 2);
  session.print(name === 'bash' ? BASH : ZSH);
}

interface Found {
  readonly word: string;
  readonly says: string;
}

/** Prints the words that may stand at the end of a line, each with what it is; the scripts above ask. */
export async function complete(session: Session): Promise<void> {
  const found = await end(session);
  const lines = found.map(({ word, says }) => `${clean(word)}\t${clean(says)}\n`);
  session.print([...new Set(lines)].join(''));
}

async function end(session: Session): Promise<readonly Found[]> {
  const before = withoutOptions(session.words.slice(0, -1));
  if (before === undefined) return [];
  if (session.words.at(-1)?.startsWith('-'))
    return OPTIONS.map(({ name, says }) => ({ word: name, says }));
  const usages = USAGES.filter(({ words }) =>
    words.every((word, at) => at >= before.length || word === before[at]),
  );
  const [usage] = usages;
  if (!usage) return [];
  const at = before.length;
  if (at < usage.words.length)
    return nextWords(
      usages.map(({ words, says }) => ({ words, says })),
      at,
    );
  return given(session, usage.given, before.slice(usage.words.length));
}

/** Next word of each usage; where several begin alike, the first one counts. */
function nextWords(
  usages: readonly { words: readonly string[]; says: string }[],
  at: number,
): Found[] {
  const found = new Map<string, string>();
  for (const { words, says } of usages) {
    const word = words[at];
    if (word !== undefined && !found.has(word)) found.set(word, says);
  }
  return [...found].map(([word, says]) => ({ word, says }));
}

/** Words without options; undefined: the value of an option comes next. */
function withoutOptions(words: readonly string[]): string[] | undefined {
  const left: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const option = OPTIONS.find(({ name }) => name === words[at]);
    if (option?.hasValue && ++at === words.length) return undefined;
    if (!words[at]?.startsWith('-') && !option) left.push(words[at] ?? '');
  }
  return left;
}

async function given(session: Session, names: readonly string[], before: readonly string[]) {
  const [name] = names;
  if (name === 'METHOD')
    return before.length === 0 ? methodNames(session) : parameters(session, before[0]);
  if (name === 'AGENT' && before.length === 0)
    return agentNames(session, session.words.at(-1) ?? '');
  return [];
}

/** Agents by name, and by UUID where the user has begun one. Names that a keyboard cannot type are left out. */
async function agentNames(session: Session, begun: string): Promise<Found[]> {
  const all = await machines(session);
  const byUuid = begun !== '' && all.some(({ uuid }) => uuid.startsWith(begun));
  return all.flatMap(({ uuid, label }) => [
    ...(clean(label) === label ? [{ word: label, says: uuid }] : []),
    ...(byUuid ? [{ word: uuid, says: label }] : []),
  ]);
}

interface Described {
  readonly name: string;
  readonly summary: string;
  readonly params: readonly { readonly name: string; readonly description?: string }[];
}

const described = async (session: Session) =>
  (await session.client.call('rpc.discover')).methods as Described[];

const methodNames = async (session: Session): Promise<Found[]> =>
  (await described(session)).map(({ name, summary }) => ({ word: name, says: summary }));

async function parameters(session: Session, method: string | undefined): Promise<Found[]> {
  const found = (await described(session)).find(({ name }) => name === method);
  const params = (found?.params ?? []).filter(({ name }) => name !== 'token');
  return params.map(({ name, description = '' }) => ({ word: `${name}=`, says: description }));
}
