import { useEffect, useState } from 'preact/hooks';
import { type Server, useServer } from '../frame/index.ts';
import { t } from '../strings/index.ts';
import { Field, Select } from './field.tsx';
import { type Schema, SchemaForm, type Words } from './schema-form.tsx';
import { Skeleton } from './skeleton.tsx';

/** A task as the wire has it: a bare word, or an object of one member. */
export type Task = string | { readonly [kind: string]: unknown };

export const KINDS = [
  'execute',
  'ping',
  'tcp_ping',
  'http_ping',
  'http_request',
  'dns',
  'ip',
  'version',
  'read_config',
  'edit_config',
  'self_update',
  'web_shell',
] as const;
export type Kind = (typeof KINDS)[number];

/** Kinds that change the machine in a way that a mistake makes worse. */
export const DANGEROUS: readonly Kind[] = ['edit_config', 'self_update'];

export const kindOf = (task: Task): string =>
  typeof task === 'string' ? task : (Object.keys(task)[0] ?? '');
export const contentOf = (task: Task): unknown =>
  typeof task === 'string' ? undefined : Object.values(task)[0];

/** Returns what a form of this kind begins with. */
export function blankTask(kind: Kind): Task {
  if (['ip', 'version', 'read_config'].includes(kind)) return kind;
  const content = {
    execute: { cmd: 'sh', args: ['-c', ''] },
    http_request: { url: '', method: 'GET' },
    dns: { domain: '', record_types: ['a', 'aaaa'] },
  }[kind as string];
  return { [kind]: content ?? '' };
}

/** The content in one line, for lists. */
export function taskText(task: Task): string {
  const content = contentOf(task);
  if (content === undefined) return '';
  if (typeof content === 'string') return content.split('\n', 1)[0] ?? '';
  const { cmd, args, method, url, domain, record_types } = content as {
    readonly [name: string]: unknown;
  };
  if (typeof cmd === 'string') {
    const words = Array.isArray(args) ? args.map(String) : [];
    return isShellLine(content) ? String(words[1]) : [cmd, ...words].join(' ');
  }
  if (typeof domain === 'string')
    return `${domain} ${Array.isArray(record_types) ? record_types.join(' ') : ''}`;
  return [method, url].filter((one) => typeof one === 'string').join(' ');
}

const isShellLine = (content: unknown): boolean => {
  const { cmd, args } = (content ?? {}) as { readonly cmd?: unknown; readonly args?: unknown };
  return cmd === 'sh' && Array.isArray(args) && args.length === 2 && args[0] === '-c';
};

/** Tells whether nothing that the kind needs is empty. */
export function isComplete(task: Task): boolean {
  const content = contentOf(task);
  if (content === undefined) return true;
  if (typeof content === 'string') return content.trim() !== '';
  const { cmd, args, url, method, domain } = content as { readonly [name: string]: unknown };
  if (isShellLine(content)) return String((args as string[])[1]).trim() !== '';
  return [cmd, url, method, domain].every((one) => typeof one !== 'string' || one.trim() !== '');
}

const documents = new WeakMap<Server, Promise<readonly Schema[] | undefined>>();

/** The schemas of all kinds, from the server itself; undefined where it does not describe its methods. */
function schemasOf(server: Server): Promise<readonly Schema[] | undefined> {
  const found = documents.get(server) ?? read(server);
  documents.set(server, found);
  return found;
}

interface Described {
  readonly name: string;
  readonly params: readonly { readonly name: string; readonly schema: Schema }[];
}

async function read(server: Server): Promise<readonly Schema[] | undefined> {
  try {
    const { methods } = await server.call('rpc.discover');
    const found = (methods as Described[]).find(({ name }) => name === 'task_create_task');
    return found?.params.find(({ name }) => name === 'task_type')?.schema.anyOf;
  } catch (error) {
    // The plugin may be off: then the task is written as JSON. After a broken connection the next form asks again.
    console.info('the methods of the server are not described', error);
    documents.delete(server);
    return undefined;
  }
}

interface Props {
  readonly task: Task;
  readonly onChange: (task: Task) => void;
  readonly kinds?: readonly Kind[];
}

/** Kind and content of a task. */
export function TaskForm({ task, onChange, kinds = KINDS }: Props) {
  const server = useServer();
  const [schemas, setSchemas] = useState<readonly Schema[] | 'none'>();
  useEffect(() => {
    let isOver = false;
    void schemasOf(server).then((found) => !isOver && setSchemas(found ?? 'none'));
    return () => {
      isOver = true;
    };
  }, [server]);
  const kind = kindOf(task) as Kind;
  return (
    <>
      <Select
        label={t.tasks.kind}
        hint={t.tasks.kindHints[kind]}
        value={kind}
        options={kinds.map((one) => ({ value: one, label: t.tasks.kinds[one] }))}
        onChange={(chosen) => onChange(blankTask(chosen))}
      />
      {schemas === undefined ? (
        <Skeleton rows={2} height={32} />
      ) : schemas === 'none' ? (
        <Json task={task} onChange={onChange} />
      ) : (
        <Content kind={kind} task={task} onChange={onChange} schemas={schemas} />
      )}
    </>
  );
}

interface ContentProps extends Props {
  readonly kind: Kind;
  readonly schemas: readonly Schema[];
}

function Content({ kind, task, onChange, schemas }: ContentProps) {
  const content = contentOf(task);
  const isLine = kind === 'execute' && isShellLine(content);
  const schema = schemas.find(({ properties }) => properties?.[kind])?.properties?.[kind];
  return (
    <>
      {kind === 'execute' && (
        <Select
          label={t.tasks.how}
          value={isLine ? 'line' : 'program'}
          options={[
            { value: 'line', label: t.tasks.asLine },
            { value: 'program', label: t.tasks.asProgram },
          ]}
          onChange={(how) =>
            onChange(how === 'line' ? blankTask('execute') : { execute: { cmd: '', args: [] } })
          }
        />
      )}
      {isLine ? (
        <ShellLine
          text={(content as { args: string[] }).args[1] ?? ''}
          onText={(text) => onChange({ execute: { cmd: 'sh', args: ['-c', text] } })}
        />
      ) : (
        schema && (
          <SchemaForm
            schema={schema}
            value={content}
            path={kind}
            wordsOf={wordsOf}
            onChange={(changed) => onChange({ [kind]: changed })}
          />
        )
      )}
    </>
  );
}

const ROWS: { readonly [path: string]: number } = { edit_config: 12, 'http_request.body': 4 };

function wordsOf(path: string, { description }: Schema): Words {
  const known = (t.tasks.fields as { readonly [path: string]: string })[path];
  const hint = (t.tasks.hints as { readonly [path: string]: string })[path] ?? description;
  const placeholder = EXAMPLES[path];
  const rows = ROWS[path];
  return {
    label: known ?? path.split('.').at(-1) ?? path,
    ...(hint !== undefined && { hint }),
    ...(rows !== undefined && { rows }),
    ...(placeholder !== undefined && { placeholder }),
  };
}

/** The same in every language. */
const EXAMPLES: { readonly [path: string]: string } = {
  ping: 'example.net',
  tcp_ping: 'example.net:443',
  http_ping: 'https://example.net/health',
  'http_request.url': 'https://example.net/',
  'dns.domain': 'example.net',
  'dns.dns_server': '9.9.9.9:53',
  'execute.cmd': 'df',
  'execute.args': '-h',
  self_update: 'v1.4.2',
};

function ShellLine({
  text,
  onText,
}: {
  readonly text: string;
  readonly onText: (text: string) => void;
}) {
  return (
    <Field label={t.tasks.line} hint={t.tasks.lineHint}>
      {(ids) => (
        <textarea
          {...ids}
          class="input mono"
          rows={3}
          spellcheck={false}
          required
          placeholder="df -h /"
          value={text}
          onInput={({ currentTarget }) => onText(currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** Form for a server that does not describe its methods. */
function Json({ task, onChange }: Props) {
  const [text, setText] = useState(JSON.stringify(task, null, 2));
  const [isWrong, setWrong] = useState(false);
  const kind = kindOf(task);
  useEffect(() => setText(JSON.stringify(task, null, 2)), [kind]);
  return (
    <Field
      label={t.tasks.json}
      hint={t.tasks.jsonHint}
      error={isWrong ? t.tasks.noJson : undefined}
    >
      {(ids) => (
        <textarea
          {...ids}
          class="input mono"
          rows={8}
          spellcheck={false}
          value={text}
          aria-invalid={isWrong}
          onInput={({ currentTarget: { value } }) => {
            setText(value);
            try {
              onChange(JSON.parse(value) as Task);
              setWrong(false);
            } catch {
              // Said below the field.
              setWrong(true);
            }
          }}
        />
      )}
    </Field>
  );
}
