import { definePlugin, Type } from '@svc/plugin-sdk';
import { RawJson } from '@svc/plugin-sdk/json';
import { documentText } from './document.ts';
import { examples } from './examples.ts';
import { answerDocument } from './route.ts';
import { typesText } from './types.ts';

/** Description of what this server offers, for clients and people: an OpenRPC document, and types. */
export default definePlugin({
  name: 'discovery',
  examples,
  namespaces: ['rpc.discover'],
  rootConfig: Type.Object({
    public_discovery: Type.Boolean({
      default: false,
      description:
        'Anyone may read which methods this server has; else any valid credential is asked for.',
    }),
  }),

  setup(kernel) {
    const { brand, hooks, methods, plugins, root, server } = kernel;
    const isPublic = root.public_discovery;
    let text: Promise<string> | undefined;
    // The registry is complete, and stays as it is, once the server listens.
    const document = () => {
      text ??= documentText({ methods, plugins, brand, version: server.version });
      return text;
    };

    hooks.methods.tap((registry) =>
      registry.add('rpc.discover', {
        summary: 'The methods of this server as an OpenRPC 1.3 document.',
        addition: true,
        params: {},
        result: Type.Object({
          openrpc: Type.String(),
          info: Type.Unknown(),
          methods: Type.Array(Type.Unknown()),
        }),
        access: isPublic ? 'public' : 'authenticated',
        handle: async () => new RawJson(await document()),
      }),
    );
    hooks.routes.tap((routes) =>
      routes.add({
        path: '/svc/openrpc.json',
        handle: (exchange) => answerDocument(kernel, exchange, { document, isPublic }),
      }),
    );
    hooks.commands.tap((commands) =>
      commands.add({
        name: 'types',
        summary: "Print TypeScript types of this server's methods.",
        async run(_kernel, terminal) {
          const heading = `// Methods of a server, version ${server.version}. Written by \`svc-server types\`.\n`;
          terminal.print(typesText(methods.values(), heading).trimEnd());
        },
      }),
    );
  },
});
