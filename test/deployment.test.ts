// proof only: 5
/** The image and the manifests of `deploy/`: what can be held against the repository without Docker and without a cluster. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bootForTest } from '@svc/plugin-sdk/testing';
import { parse } from 'smol-toml';
import * as assert from 'uvu/assert';
import { blocksOf, has } from './documentation-kit.ts';
import { suite } from './runner/suite.ts';

const root = resolve(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const test = suite('deployment');

/** Instructions of a Dockerfile, `NAME rest`, continued lines joined; one list for each stage. */
function stagesOf(text: string): string[][] {
  const lines = text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '');
  const starts = lines.flatMap((line, at) => (line.startsWith('FROM ') ? [at] : []));
  return starts.map((at, n) => lines.slice(at, starts[n + 1]));
}

const stages = stagesOf(read('Dockerfile'));
const last = stages.at(-1) ?? [];

test('what the image is made of is in the repository, and passes .dockerignore', () => {
  const ignored = read('.dockerignore').split('\n');
  const { workspaces } = JSON.parse(read('package.json'));
  const folders = workspaces.map((pattern: string) => pattern.replace('/*', ''));
  const files = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
  for (const needed of [...folders, ...files, 'scripts', 'config', 'deploy', 'LICENSE']) {
    assert.ok(existsSync(join(root, needed)), needed);
    assert.not(ignored.includes(needed), needed);
  }
  const copies = stages.flat().filter((line) => /^(?:COPY|ADD) /.test(line));
  assert.equal(copies, ['COPY . .', 'COPY --from=build /opt/svc /opt/svc']);
  assert.match(stages[0]?.[0] ?? '', / AS build$/);
});

test('the image runs as a user without rights, tells that it lives, and passes signals on', () => {
  assert.ok(last.includes('USER 10001:10001'));
  const [health = ''] = last.filter((line) => line.startsWith('HEALTHCHECK '));
  const { program, code } = programOf(health.slice(health.indexOf('CMD ')));
  assert.is(program, 'node');
  // No answer at all is a failure, and not an exception that nobody sees.
  const { status, stderr } = spawnSync(process.execPath, ['-e', code.replace('2211', '1')]);
  assert.is(status, 1);
  assert.is(String(stderr), '');
  const { program: shell, code: start } = programOf(last.at(-1) ?? '');
  assert.is(shell, 'sh');
  assert.match(start, / && exec svc-server serve /);
});

/** Of the exec form: `CMD ["node", "-e", "…"]`. */
function programOf(line: string) {
  const words: string[] = JSON.parse(line.slice('CMD '.length));
  return { program: words[0], code: words.at(-1) ?? '' };
}

/** What each server of a cluster promises to it. */
const manifest: readonly (readonly [string, RegExp])[] = [
  [
    'a new server is ready before an old one ends',
    /rollingUpdate: \{ maxSurge: 1, maxUnavailable: 0 \}/,
  ],
  [
    'ready: database and bus answer',
    /readinessProbe:\n +httpGet: \{ path: \/svc\/ready, port: http \}/,
  ],
  [
    'alive: the process answers',
    /livenessProbe:\n +httpGet: \{ path: \/svc\/health, port: http \}/,
  ],
  [
    'balancers learn of a stop before it begins',
    /preStop:\n +exec: \{ command: \[sleep, "10"\] \}/,
  ],
  ['drains take one at a time', /kind: PodDisruptionBudget\n[\s\S]*maxUnavailable: 1\n/],
  ['no root', /runAsNonRoot: true\n +runAsUser: 10001\n/],
  ['nothing of the image is written to', /readOnlyRootFilesystem: true/],
  ['no rights', /allowPrivilegeEscalation: false\n[\s\S]*capabilities: \{ drop: \[ALL\] \}/],
];
for (const [what, pattern] of manifest)
  test(`Kubernetes: ${what}`, () => assert.match(read('deploy/kubernetes/server.yaml'), pattern));

const hasKubectl = has('kubectl');
if (!hasKubectl) process.stdout.write('  skipped: kubectl not installed\n');
(hasKubectl ? test : test.skip)(
  'kubectl puts the manifests together, with the secret of the page',
  () => {
    const dir = mkdtempSync(join(tmpdir(), 'svc-kubernetes-'));
    try {
      cpSync(join(root, 'deploy/kubernetes'), dir, { recursive: true });
      mkdirSync(join(dir, 'secret'));
      for (const name of ['server.toml', 'audit.key'])
        writeFileSync(join(dir, 'secret', name), 'x');
      const { stdout, stderr } = spawnSync('kubectl', ['kustomize', dir], { encoding: 'utf8' });
      assert.is(stderr, '');
      const kinds = [...stdout.matchAll(/^kind: (.+)$/gm)].map(([, kind]) => kind);
      const expected = [
        'Namespace',
        'Secret',
        'Service',
        'Deployment',
        'PodDisruptionBudget',
        'Ingress',
      ];
      assert.equal(kinds, expected);
      // A changed configuration has another name, and so rolls the servers over.
      assert.match(stdout, /secretName: svc-server-\w{10}\n/);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  },
);

test('Kubernetes: the configuration of the page serves on Postgres, and is ready', async () => {
  const [block] = blocksOf('docs/guide/deployment.md').filter(({ text }) => text.includes('<<END'));
  const [, text = ''] = /<<END\n([\s\S]*)END\n/.exec(block?.text ?? '') ?? [];
  const { plugins, trusted_proxies, allowed_hosts } = parse(text) as Record<string, string[]>;
  const head = { trusted_proxies, allowed_hosts };
  const app = await bootForTest(plugins, head, { dialect: 'postgres' });
  try {
    const fetched = ['/svc/health', '/svc/ready', '/svc/dashboard/'].map((path) => app.fetch(path));
    assert.equal(
      (await Promise.all(fetched)).map(({ status }) => status),
      [200, 200, 200],
    );
  } finally {
    await app.stop();
  }
});

test.run();
