import { Pause, Play, Trash2 } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import { address, setQuery, useLive, usePoll, useServer } from '../../frame/index.ts';
import { Button, Empty, ErrorNote, format, Select, TextField } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';

interface Line {
  readonly timestamp: string;
  readonly level: 'TRACE' | 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';
  readonly target: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const LEVELS = ['error', 'warn', 'info', 'debug', 'trace'] as const;
type Level = (typeof LEVELS)[number];
/** Older lines go. */
const MOST = 500;
const isLevel = (word: string | null): word is Level => LEVELS.includes(word as Level);

/** What the server's log says from now on, after what it still remembers; `?level=debug&find=words`. */
export function Log() {
  const { query } = address.value;
  const asked = query.get('level');
  const level = isLevel(asked) ? asked : 'info';
  return <Lines key={level} level={level} find={query.get('find') ?? ''} />;
}

function Lines({ level, find }: { readonly level: Level; readonly find: string }) {
  const { call, subscribe, may } = useServer();
  const s = t.server.log;
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [isPaused, setPaused] = useState(false);
  const waiting = useRef<Line[]>([]);
  const past = usePoll('log of before', async () =>
    may('svc-server_log') === false ? [] : await call('svc-server_log'),
  );
  const live = useLive<Line>(
    `log ${level}`,
    () => subscribe('svc-server_stream_log', { log_filter: level }),
    (line) => {
      waiting.current.push(line);
      if (waiting.current.length > MOST) waiting.current.shift();
    },
  );
  useEffect(() => {
    if (isPaused) return;
    // Lines may come faster than frames.
    let frame = requestAnimationFrame(function take() {
      if (waiting.current.length > 0) {
        const come = waiting.current.splice(0);
        setLines((old) => [...old, ...come].slice(-MOST));
      }
      frame = requestAnimationFrame(take);
    });
    return () => cancelAnimationFrame(frame);
  }, [isPaused]);
  const first = lines[0]?.timestamp;
  const before = (past.data ?? []).filter(
    (line) =>
      LEVELS.indexOf(line.level.toLowerCase() as Level) <= LEVELS.indexOf(level) &&
      (first === undefined || line.timestamp < first),
  );
  const words = find.toLowerCase();
  const shown = [...before, ...lines]
    .slice(-MOST)
    .filter((line) => words === '' || textOf(line).toLowerCase().includes(words))
    .reverse();
  return (
    <div class="stack">
      <div class="row server-filters">
        <Select
          label={s.level}
          value={level}
          options={LEVELS.map((value) => ({ value, label: s.levels[value] }))}
          onChange={(value) => setQuery({ level: value === 'info' ? undefined : value })}
        />
        <div class="grow server-find">
          <TextField
            label={s.find}
            type="search"
            value={find}
            onText={(text) => setQuery({ find: text === '' ? undefined : text })}
          />
        </div>
        <Button
          icon={isPaused ? Play : Pause}
          onClick={() => setPaused(!isPaused)}
          label={isPaused ? s.go : s.pause}
        />
        <Button
          icon={Trash2}
          label={s.clear}
          onClick={() => {
            waiting.current = [];
            setLines([]);
            past.set([]);
          }}
        />
      </div>
      {live.error !== undefined && <ErrorNote error={live.error} what={s.unreadable} />}
      {shown.length === 0 ? (
        <Empty title={s.none}>{words === '' ? s.noneHint : s.nothingFound}</Empty>
      ) : (
        <ol class="server-log" aria-label={t.server.parts.log}>
          {shown.map((line, at) => (
            <li key={`${line.timestamp} ${shown.length - at}`} class={line.level.toLowerCase()}>
              <time dateTime={line.timestamp} title={format.dateTime(Date.parse(line.timestamp))}>
                {format.clockSeconds(Date.parse(line.timestamp))}
              </time>
              <span class="server-level">{line.level}</span>
              <span class="server-target muted ellipsis" title={line.target}>
                {line.target}
              </span>
              <span class="server-message">
                {line.message} <span class="muted">{fieldsOf(line)}</span>
              </span>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

const fieldsOf = ({ fields }: Line): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
const textOf = (line: Line): string => `${line.target} ${line.message} ${fieldsOf(line)}`;
