// svc-server.md §3: the source state, read from a repository's files and compared with what git itself says.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as assert from 'uvu/assert';
import { readGitFacts } from '../../plugins/server-info/src/git-facts.ts';
import { suite } from '../runner/suite.ts';

const test = suite('svc-server: version from a repository');
let folder: string;

/** Nothing of the machine's settings, nor of a git whose hook runs the tests. */
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))),
  GIT_COMMITTER_DATE: '1760000000 -0330',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
};

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], {
    cwd: folder,
    encoding: 'utf8',
    env,
  }).trim();
const facts = () => readGitFacts(pathToFileURL(join(folder, '.git/')));

test.before.each(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-git-'));
  git('init', '--quiet', '--initial-branch', 'topic/one');
});
test.after.each(() => rmSync(folder, { recursive: true, force: true }));

function commit(message: string): void {
  writeFileSync(join(folder, 'file'), message);
  git('add', 'file');
  git('commit', '--quiet', '--message', message);
}

test('a branch with a commit', async () => {
  commit('first line: "quoted" ü\n\nsecond paragraph');
  assert.equal(await facts(), {
    git_branch: 'topic/one',
    git_commit_sha: git('rev-parse', 'HEAD'),
    git_commit_date: git('log', '-1', '--format=%cI'),
    git_commit_message: 'first line: "quoted" ü',
  });
});

test('packed references', async () => {
  commit('packed');
  git('pack-refs', '--all');
  const { git_commit_sha, git_branch } = await facts();
  assert.equal([git_commit_sha, git_branch], [git('rev-parse', 'HEAD'), 'topic/one']);
});

test('a packed commit keeps its name; what stands inside is left out', async () => {
  commit('packed');
  git('gc', '--quiet');
  assert.equal(await facts(), {
    git_branch: 'topic/one',
    git_commit_sha: git('rev-parse', 'HEAD'),
  });
});

test('a detached head has no branch', async () => {
  commit('one');
  git('checkout', '--quiet', '--detach');
  const { git_branch, git_commit_sha } = await facts();
  assert.equal([git_branch, git_commit_sha], [undefined, git('rev-parse', 'HEAD')]);
});

test('a repository without a commit has only its branch', async () => {
  assert.equal(await facts(), { git_branch: 'topic/one' });
});

test('no repository, no facts', async () => {
  rmSync(join(folder, '.git'), { recursive: true });
  assert.equal(await facts(), {});
  writeFileSync(join(folder, '.git'), 'gitdir: elsewhere');
  assert.equal(await facts(), {});
});

test.run();
