// Run by the build after the compiler: writes build-info.json next to the compiled code, which svc-server_version reads at start.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { readGitFacts } from './src/git-facts.ts';

const here = new URL('.', import.meta.url);

function git(...args) {
  try {
    const options = { cwd: here, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
    return execFileSync('git', args, options).trim() || undefined;
  } catch {
    // No git, or a folder that it does not trust: what the files themselves tell has to do.
    return undefined;
  }
}

const asked = {
  git_branch: git('symbolic-ref', '--short', 'HEAD'),
  git_commit_sha: git('rev-parse', '--verify', 'HEAD'),
  git_commit_date: git('log', '-1', '--format=%cI'),
  git_commit_message: git('log', '-1', '--format=%s'),
};
const read = await readGitFacts(new URL('../../.git/', here));
// The order is fixed, whatever the source of a fact: the same commit gives the same bytes.
const entries = Object.entries(asked).map(([name, fact]) => [name, fact ?? read[name]]);
const facts = {
  ...Object.fromEntries(entries.filter(([, fact]) => fact !== undefined)),
  build_time: String(Math.floor(Date.now() / 1000)),
};
const built = '../../dist/plugins/server-info/src/build-info.json';
writeFileSync(new URL(built, here), `${JSON.stringify(facts, null, 2)}\n`);
