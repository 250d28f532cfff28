import {
  type AccessContext,
  definePlugin,
  type Kernel,
  type Principal,
  Type,
  topic,
} from '@svc/plugin-sdk';
import { Tokens } from '@svc/plugin-token/api';

/** What a server of another version may say: any payload under the name of the plugin's own topic. */
export const AnyTokenChange = topic('token.changed', Type.Unknown());

/** Any known caller, valid now or not: the probes also tell about tokens that have ended. */
const known = {
  custom: async (_params: unknown, call: AccessContext) => {
    await call.authenticate();
  },
};

/** Methods that ask the `authenticate` and `authorize` hooks for whatever a test wants to know. */
export function authProbe() {
  const seen: Principal[] = [];
  let face: Kernel | undefined;
  const serialOf = (caller: Principal) => {
    if (!seen.includes(caller)) seen.push(caller);
    return seen.indexOf(caller);
  };
  const plugin = definePlugin({
    name: 'probe',
    version: '1.0.0',
    namespaces: ['probe'],
    requires: [Tokens],
    permissions: { weather: { words: ['look'], patterns: ['forecast'] } },
    scopes: { town: 'prefix' },
    setup(kernel) {
      face = kernel as Kernel;
      const tokens = () => kernel.use(Tokens);
      kernel.hooks.methods.tap((methods) => {
        methods.add('probe_need', {
          summary: 'Needs the given scopes and permissions.',
          params: { scopes: Type.Array(Type.Any()), permissions: Type.Array(Type.Any()) },
          result: Type.Literal('allowed'),
          access: {
            needs: ({ scopes, permissions }) => ({ scopes, permissions, denied: 'probe' }),
          },
          handle: () => 'allowed' as const,
        });
        methods.add('probe_whoami', {
          summary: 'The caller; `serial` tells principals apart.',
          params: {},
          result: Type.Any(),
          access: known,
          handle: (_params, { caller }) => ({
            id: caller.id,
            super: caller.super,
            ended: caller.ended.aborted,
            serial: serialOf(caller),
          }),
        });
        methods.add('probe_record', {
          summary: 'What the service tells of the caller.',
          params: { permission: Type.Any() },
          result: Type.Any(),
          access: known,
          handle({ permission }, { caller }) {
            const record = tokens().record(caller);
            return {
              key: record?.key,
              username: record?.username,
              limits: record?.limits,
              timestamp_from: record?.timestamp_from,
              timestamp_to: record?.timestamp_to,
              validity: tokens().validity(caller),
              scopes: tokens().scopes(caller, permission),
            };
          },
        });
        methods.add('probe_basic', {
          summary: 'Logs in as HTTP Basic does.',
          params: { user: Type.String(), password: Type.String() },
          result: Type.Any(),
          access: 'public',
          async handle({ user, password }) {
            const origin = { address: '127.0.0.1', transport: 'http' } as const;
            return (await tokens().basic(user, password, origin))?.id ?? null;
          },
        });
        methods.add('probe_super', {
          summary: 'Needs the Super Token.',
          params: {},
          result: Type.Literal('allowed'),
          access: 'super',
          handle: () => 'allowed' as const,
        });
        methods.add('probe_known', {
          summary: 'For any caller with a valid credential.',
          params: {},
          result: Type.Literal('allowed'),
          access: 'authenticated',
          handle: () => 'allowed' as const,
        });
        methods.addSubscription('probe_watch', {
          summary: 'Stays open until its caller ends.',
          unsubscribe: 'probe_unwatch',
          params: {},
          item: Type.String(),
          access: known,
          livesOn: () => () => true,
          open: () => () => {},
        });
      });
    },
  });
  return {
    plugin,
    /** Whether the principal that `probe_whoami` numbered so has ended. */
    ended: (serial: number) => seen[serial]!.ended.aborted,
    kernel: () => face!,
    /** Writes behind the plugin's back; `?` on both databases. */
    async sql(text: string, params: readonly (string | number | null)[] = []): Promise<any[]> {
      const result: any = await face!.db.query.raw(text, params as never);
      return Array.isArray(result) ? result : (result?.rows ?? []);
    },
  };
}
