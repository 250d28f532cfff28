import {
  type AccessContext,
  type Auth,
  described,
  type Kernel,
  type Methods,
  optional,
  type Principal,
  RpcError,
  type Static,
  Type,
} from '@svc/plugin-sdk';
import type { Owners, Tokens } from '@svc/plugin-token/api';
import { mayWriteSome } from '../permissions.ts';
import type { Importer } from './importer.ts';
import { readFile } from './reading.ts';
import { OUTCOMES, type Report } from './report.ts';
import { Turns } from './turns.ts';
import { FORMATS, TYPES } from './types.ts';

/** Characters of Base64 of a file of 6 MB. */
const MOST_TEXT = 8_388_608;

const File = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Its name: with it a file that names no installation is known again.',
    }),
    base64: Type.String({ maxLength: MOST_TEXT, description: 'What it holds, at most 6 MB.' }),
    format: optional(Type.Enum([...FORMATS], { description: 'Default: found by what it holds.' })),
  },
  { additionalProperties: false },
);

const Source = Type.String({
  maxLength: 60,
  pattern: '^[a-z]{1,20}:[0-9a-f]{12}$',
  description: 'Installation that the file is of, as `monitor_import_plan` answers it.',
});

const ReportAnswer = Type.Object({
  format: Type.String(),
  source: Source,
  rows: Type.Array(
    Type.Object({
      item: Type.String({ description: 'Its id in the file.' }),
      type: Type.Enum([...TYPES]),
      name: Type.String(),
      was: Type.String({ description: 'Its kind in the file.' }),
      kind: Type.String({ description: 'Kind of what is made; empty: it has none.' }),
      outcome: Type.Enum([...OUTCOMES], {
        description:
          '`made`, `differently`: `notes` say in what; `not_made`: they say why; `there`: it was made before, or is on already; `switched_on`; `deleted`; `kept`: it stays as it is.',
      }),
      as: Type.Union([Type.String({ description: 'Its name here.' }), Type.Null()]),
      notes: Type.Array(Type.String()),
    }),
  ),
  rewritings: Type.Array(Type.Object({ from: Type.String(), to: Type.String() }), {
    description: 'Conditions as they were, and in CEL.',
  }),
});

const answer = ({ rows, rewritings, ...report }: Report) => ({
  ...report,
  rows: rows.map((row) => ({ ...row, notes: [...row.notes] })),
  rewritings: [...rewritings],
});

/**
 * The right to write some monitor: to read a file, and what was made of one, is work, whoever asks for it. What may be made of it is
 * for the methods to say that make it.
 */
const someMonitor = (auth: Auth, tokens: Tokens) => ({
  right: {
    words: '`monitor` `write`, in any scope; things are made with the rights of their own methods',
    scopes: ['global' as const],
    permissions: [{ monitor: 'write' }],
  },
  access: {
    async custom(_params: object, call: AccessContext): Promise<void> {
      if (!(await mayWriteSome({ auth, tokens }, await call.authenticate())))
        throw RpcError.denied('Missing monitor write permission for any monitor');
    },
  },
});

export interface ImportMethodParts {
  readonly importer: Importer;
  readonly owners: Owners;
  readonly tokens: Tokens;
}

/** `monitor_import_plan`, `_apply`, `_switch_on` and `_undo`. */
export function addImportMethods(
  methods: Methods,
  kernel: Pick<Kernel, 'auth' | 'clock' | 'log'>,
  { importer, owners, tokens }: ImportMethodParts,
): void {
  const right = someMonitor(kernel.auth, tokens);
  const turns = new Turns();
  const given = described(File, 'File of Uptime Kuma, Gatus, Healthchecks or Beszel.');
  const run = ({ name, base64, format }: Static<typeof File>, caller: Principal, isDry: boolean) =>
    turns.run(owners.of(caller), async () => {
      const bytes = decoded(base64);
      const plan = await readFile({ name, format: format ?? undefined, bytes, env: {} }, kernel);
      return answer(await importer.run(plan, caller, isDry));
    });
  methods.add('monitor_import_plan', {
    summary: 'Reads a file of another program, and tells what would be made of it.',
    description: 'Nothing is changed. Each row is checked as the method does that would make it.',
    addition: true,
    secret: true,
    params: { file: given },
    result: ReportAnswer,
    ...right,
    handle: ({ file }, { caller }) => run(file, caller, true),
  });
  methods.add('monitor_import_apply', {
    summary: 'Makes what a file of another program says, switched off.',
    description:
      'Takes the rights of the methods that make monitors, channels, rules and windows; what the caller may not make is not made. What was made of the same installation before stays as it is.',
    addition: true,
    secret: true,
    params: { file: given },
    result: ReportAnswer,
    audit: ({ file }) => file.name,
    ...right,
    handle: ({ file }, { caller }) => run(file, caller, false),
  });
  addAfter(methods, importer, right);
}

function addAfter(
  methods: Methods,
  importer: Importer,
  right: ReturnType<typeof someMonitor>,
): void {
  methods.add('monitor_import_switch_on', {
    summary: 'Switches on what an import made, but for what was off where it came from.',
    addition: true,
    secret: true,
    params: { source: Source },
    result: ReportAnswer,
    audit: ({ source }) => source,
    ...right,
    handle: async ({ source }, { caller }) => answer(await importer.switchOn(source, caller)),
  });
  methods.add('monitor_import_undo', {
    summary: 'Deletes what an import made and nobody changed since.',
    addition: true,
    secret: true,
    params: { source: Source },
    result: ReportAnswer,
    audit: ({ source }) => source,
    ...right,
    handle: async ({ source }, { caller }) => answer(await importer.undo(source, caller)),
  });
}

function decoded(base64: string): Uint8Array {
  if (/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return new Uint8Array(Buffer.from(base64, 'base64'));
  throw RpcError.invalid('base64 holds characters that are none of Base64');
}
