interface Line {
  /** Unique in its page; names the entry in public addresses. */
  readonly key: string;
  /** Empty: the public name of its monitor. */
  readonly name: string;
  /** Heading under which it stands; empty: none. */
  readonly group: string;
}

/** Line of a page that shows an agent, or a probe that the agent runs. */
export interface AgentEntry extends Line {
  /** Lower-case hyphenated. */
  readonly agent: string;
  readonly probe?: Probe;
}

/** Line of a page that shows a monitor, by its id. */
export interface MonitorEntry extends Line {
  readonly monitor: number;
  readonly auto_incident?: AutoIncident;
}

export type Entry = AgentEntry | MonitorEntry;

export const isMonitor = (entry: Entry): entry is MonitorEntry => 'monitor' in entry;

/** Incident that an outage of a monitor makes by itself. */
export interface AutoIncident {
  readonly as: 'draft' | 'publish';
  /** Minutes that the outage has to last. */
  readonly after_minutes: number;
  /** Minutes after its end in which the next outage goes on with the same incident. */
  readonly reopen_minutes: number;
  /** Empty: the name of the entry, and that it is down. */
  readonly title: string;
  readonly text: string;
}

export interface Probe {
  readonly type: 'ping' | 'tcp_ping' | 'http_ping';
  /** Target as the tasks name it. */
  readonly target: string;
  /** Name of the job whose tasks count; absent: every task. */
  readonly job?: string;
}

export const LANGUAGES = ['en', 'zh-CN'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Settings that the operator has written, but for the logo. */
export interface Settings {
  readonly title: string;
  readonly description: string;
  /** `auto`: as the reader's browser asks. */
  readonly language: Language | 'auto';
  /** Public address of the page, for feeds; null: readers take the address that they fetched the feed from. */
  readonly url: string | null;
  /** `#rrggbb`: links and curves, and the background of the head. */
  readonly accent: string | null;
  readonly banner: string | null;
  /** Time zone of the days of monitors. */
  readonly zone: string;
  readonly entries: readonly Entry[];
}

/** One page. Objects are replaced, never changed. */
export interface Page {
  readonly slug: string;
  readonly settings: Settings;
  /** Base64. */
  readonly logo: string | null;
  /** Key of the token that wrote it last; null: the Super Token. */
  readonly owner: string | null;
  /** Raised by each change. */
  readonly version: number;
  /** Unix ms. */
  readonly updated_at: number;
}

export const IMPACTS = ['notice', 'maintenance', 'degraded', 'down'] as const;
export type Impact = (typeof IMPACTS)[number];

/** Statement of the operator about a time; plain text. */
export interface Incident {
  readonly id: number;
  readonly title: string;
  readonly text: string;
  readonly impact: Impact;
  /** Unix ms. */
  readonly begins_at: number;
  /** null: it goes on. */
  readonly ends_at: number | null;
  readonly updated_at: number;
  /** Tells that only who edits the page sees it. */
  readonly draft: boolean;
  /** Tells that an outage made it. */
  readonly auto: boolean;
}
