import { Pause, Play, Trash2 } from 'lucide';
import { address, setQuery } from '../../../frame/index.ts';
import { Button, Empty, ErrorNote, format, Select, TextField } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { fieldsOf, LEVELS, type Level, type Line, useLog } from './model.ts';

/** The server's log from now on, after what it still remembers; `?level=debug&find=words`. */
export function Log() {
  const { query } = address.value;
  const level = LEVELS.find((one) => one === query.get('level')) ?? 'info';
  return <LogOf key={level} level={level} find={query.get('find') ?? ''} />;
}

function LogOf({ level, find }: { readonly level: Level; readonly find: string }) {
  const s = t.server.log;
  const { shown, clear, isPaused, setPaused, error } = useLog(level, find);
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
            onText={(text) => setQuery({ find: text })}
          />
        </div>
        <Button
          icon={isPaused ? Play : Pause}
          onClick={() => setPaused(!isPaused)}
          label={isPaused ? s.go : s.pause}
        />
        <Button icon={Trash2} label={s.clear} onClick={clear} />
      </div>
      {error !== undefined && <ErrorNote error={error} what={s.unreadable} />}
      {shown.length === 0 ? (
        <Empty title={s.none}>{find === '' ? s.noneHint : s.nothingFound}</Empty>
      ) : (
        <Lines lines={shown} />
      )}
    </div>
  );
}

const Lines = ({ lines }: { readonly lines: readonly Line[] }) => (
  <ol class="server-log" aria-label={t.server.parts.log}>
    {lines.map((line, at) => (
      <li key={`${line.timestamp} ${lines.length - at}`} class={line.level.toLowerCase()}>
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
);
