import { expectNothing } from '../content.ts';
import type { TaskHandler } from '../task-context.ts';
import { version as programVersion } from '../version.ts';

const UNKNOWN = 'UNKNOWN';

/** The 13 members of task.md §2.1. The members about a compiler hold the runtime. */
export const version: TaskHandler = async (content) => {
  expectNothing(content, 'version');
  return {
    binary_type: 'Agent',
    build_time: UNKNOWN,
    cargo_target_triple: `${process.arch}-${process.platform}`,
    cargo_version: programVersion(),
    git_branch: UNKNOWN,
    git_commit_date: UNKNOWN,
    git_commit_message: UNKNOWN,
    git_commit_sha: UNKNOWN,
    rustc_channel: UNKNOWN,
    rustc_commit_date: UNKNOWN,
    rustc_commit_hash: UNKNOWN,
    rustc_llvm_version: `v8 ${process.versions.v8}`,
    rustc_version: `node ${process.versions.node}`,
  };
};
