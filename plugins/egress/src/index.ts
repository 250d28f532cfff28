import { Resolver } from 'node:dns';
import { Standings, standingIn } from '@svc/fair-turns';
import { definePlugin, fileOnly, reload, Type, UserError } from '@svc/plugin-sdk';
import { Egress } from './api.ts';
import { EgressGuard } from './guard.ts';
import { Names } from './names.ts';

const config = Type.Object({
  dns_servers: fileOnly(
    Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description: 'Name servers, as `IP` or `IP:port`; none: those of the machine.',
    }),
  ),
});

/** Outgoing requests for callers: which addresses may be reached, and within which limits (js-runtime.md §6.1). */
export default definePlugin({
  name: 'egress',
  optional: [Standings],
  provides: [Egress],
  config: reload(config),

  setup(kernel) {
    const { brand, config: settings, hooks, server } = kernel;
    const userAgent = `${brand.word}-server/${server.version}`;
    checkServers(settings.dns_servers);
    const names = new Names(() => settings.dns_servers);
    kernel.defer('look-ups of names', () => names.close());
    hooks.reload.tap(() => {
      checkServers(settings.dns_servers);
      names.forget();
    });
    kernel.provide(Egress, {
      open(rules) {
        const guard = new EgressGuard(rules, {
          userAgent,
          standing: standingIn(kernel),
          resolve: names.resolve,
          servers: () => settings.dns_servers,
        });
        kernel.defer('outgoing connections', () => guard.close());
        return guard;
      },
    });
  },
});

/** @throws UserError that names the key */
function checkServers(servers: readonly string[]): void {
  try {
    new Resolver().setServers(servers);
  } catch (error) {
    const { message } = error as Error;
    throw new UserError(
      `[egress] dns_servers: ${message}; write addresses as 192.0.2.1 or [2001:db8::1]:53`,
    );
  }
}
