import { Card, format } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { FactList, type FactRow } from '../facts/list.tsx';
import { type Document, listOf, numberOf, textOf, useDocuments } from './model.ts';

/** Sensors and containers of the machine; nothing where its agent tells none. */
export function Documents({ uuid }: { readonly uuid: string }) {
  const { sensors, containers } = useDocuments(uuid);
  const rows = sensors ? sensorRows(sensors) : [];
  if (rows.length === 0 && !containers) return null;
  return (
    <div class="agent-columns">
      {sensors && rows.length > 0 && (
        <Card title={t.agent.sensors.title} actions={<Time of={sensors} />}>
          <FactList rows={rows} />
        </Card>
      )}
      {containers && (
        <Card title={t.agent.containers.title} actions={<Time of={containers} />}>
          <Containers of={containers} />
        </Card>
      )}
    </div>
  );
}

function Time({ of }: { readonly of: Document }) {
  const time = numberOf(of, 'time');
  if (time === undefined) return null;
  return (
    <time class="muted small" title={format.dateTime(time)}>
      {format.when(time)}
    </time>
  );
}

function sensorRows(sensors: Document): FactRow[] {
  const s = t.agent.sensors;
  const rowsOf = (list: string, of: (one: Document) => FactRow[1]): FactRow[] =>
    listOf(sensors, list).map((one) => [textOf(one, 'name'), of(one)]);
  return [
    ...rowsOf('temperatures', (one) => {
      const [celsius, limit] = [numberOf(one, 'celsius'), numberOf(one, 'limit')];
      if (celsius === undefined) return undefined;
      const figure = degrees(celsius);
      if (limit === undefined) return figure;
      const text = `${figure} · ${s.limit(degrees(limit))}`;
      return celsius < limit ? text : <strong class="agent-bad">{text}</strong>;
    }),
    ...rowsOf('fans', (one) => {
      const rpm = numberOf(one, 'rpm');
      return rpm === undefined ? undefined : s.rpm(format.number(rpm));
    }),
    ...rowsOf('batteries', (one) => {
      const percent = numberOf(one, 'percent');
      const status = wordOf(s.statuses, textOf(one, 'status'));
      return percent === undefined
        ? status
        : [format.text(format.percent(percent)), status].filter(Boolean).join(' · ');
    }),
  ];
}

const degrees = (celsius: number): string => `${format.number(celsius, 1)} °C`;

/** The engine's own word where it is none of those that are known. */
const wordOf = (words: Readonly<Record<string, string>>, word: string): string =>
  words[word] ?? word;

function Containers({ of }: { readonly of: Document }) {
  const c = t.agent.containers;
  const list = listOf(of, 'containers');
  const error = textOf(of, 'error');
  const total = numberOf(of, 'total') ?? list.length;
  if (error !== '') return <p class="agent-bad">{c.unread(error)}</p>;
  if (list.length === 0) return <p class="muted">{c.none}</p>;
  return (
    <div>
      <table class="agent-table">
        <thead>
          <tr>
            {[t.agent.facts.name, c.state, c.image].map((label) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {list.map((one) => (
            <tr key={textOf(one, 'id')}>
              <td>{textOf(one, 'name')}</td>
              <td>
                <State of={one} />
              </td>
              <td class="mono small">{textOf(one, 'image')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {total > list.length && <p class="muted small">{c.more(total - list.length)}</p>}
    </div>
  );
}

/** State of a container; one that is well is quiet. */
function State({ of }: { readonly of: Document }) {
  const { states, healths } = t.agent.containers;
  const [state, health] = [textOf(of, 'state'), textOf(of, 'health')];
  const text = [wordOf(states, state), wordOf(healths, health)].filter(Boolean).join(' · ');
  const isBad = health === 'unhealthy' || state === 'dead' || state === 'restarting';
  return isBad ? <strong class="agent-bad">{text}</strong> : <span>{text}</span>;
}
