import { definePlugin } from '@svc/plugin-sdk';
import { typesText } from './types.ts';

/** What this server offers, for clients and people. */
export default definePlugin({
  name: 'discovery',
  version: '0.6.0',

  setup({ hooks, methods, server }) {
    hooks.commands.tap((commands) =>
      commands.add({
        name: 'types',
        summary: "Print TypeScript types of this server's methods.",
        async run(_kernel, terminal) {
          const heading = `// Methods of a server, version ${server.version}. Written by \`svc-server types\`.\n`;
          terminal.print(typesText(methods.values(), heading));
        },
      }),
    );
  },
});
