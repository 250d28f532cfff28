import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createDatabase, dropDatabase, sharedPostgres } from '../postgres.ts';
import { makeSite, type ServerProcess, type Site, startServer, superToken } from './server.ts';
import { type Read, readPostgres } from './stored.ts';

/** One of the servers: its files stay, its processes come and go. */
export interface Member {
  readonly site: Site;
  /** undefined while it is down. */
  process: ServerProcess | undefined;
  /** Ends so far: a call that saw none of them must have been answered. */
  ends: number;
}

/** Equal servers, each a process of its own, on one Postgres database. */
export interface Fleet {
  readonly members: readonly Member[];
  readonly superToken: string;
  readonly read: Read;
  start(member: Member): Promise<void>;
  /** @returns when the process has gone */
  end(member: Member, signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** The output of the process that runs, for messages. */
  remove(): Promise<void>;
}

export interface FleetOptions {
  readonly head?: string;
  readonly tables?: string;
}

/** Starts `count` servers. */
export async function startFleet(count: number, options: FleetOptions = {}): Promise<Fleet> {
  const url = await createDatabase(sharedPostgres());
  const uuid = randomUUID();
  const members: Member[] = [];
  for (let n = 0; n < count; n++) {
    const site = await makeSite(url, options.head, options.tables);
    const text = readFileSync(site.config, 'utf8');
    writeFileSync(site.config, text.replace('"auto_gen"', JSON.stringify(uuid)));
    members.push({ site, process: undefined, ends: 0 });
  }
  const start = async (member: Member) => {
    // With few logs only the first start of a database prints anything.
    member.process = await startServer(member.site, { quiet: fleet.superToken !== '' });
  };
  const end = async (member: Member, signal: 'SIGKILL' | 'SIGTERM') => {
    const running = member.process;
    member.process = undefined;
    member.ends++;
    await running?.end(signal);
  };
  const [first] = members as [Member];
  const fleet = {
    members,
    superToken: '',
    read: readPostgres(url),
    start,
    end,
    async remove() {
      await Promise.all(members.map((member) => end(member, 'SIGKILL')));
      for (const { site } of members) site.remove();
      await dropDatabase(url);
    },
  };
  try {
    await start(first);
    fleet.superToken = superToken(first.process!.output());
    await Promise.all(members.slice(1).map(start));
  } catch (error) {
    await fleet.remove();
    throw error;
  }
  return fleet;
}
