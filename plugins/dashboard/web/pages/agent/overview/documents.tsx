import { usePoll, useServer } from '../../../frame/index.ts';
import { Card, format } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { FactList, type FactRow } from '../facts/list.tsx';

/** The agent writes them at most once a minute. */
const EVERY_MS = 60_000;
const KEYS = ['agent_sensors', 'agent_containers'] as const;

type Document = Readonly<Record<string, unknown>>;

/**
 * What the agent writes beside its reports, in the key-value namespace of its UUID (agent/README.md): nothing where it
 * writes nothing, or where the token may not read it. Whatever else stands under these keys is shown as far as it fits.
 */
export function Documents({ uuid }: { readonly uuid: string }) {
  const { call, has, may } = useServer();
  const keys = KEYS.filter(
    (key) => has('kv') && may('kv_get_value', { namespace: uuid, key }) === true,
  );
  const { data } = usePoll(
    `documents ${uuid} ${keys}`,
    async (signal) => {
      if (keys.length === 0) return [];
      const namespace_key = keys.map((key) => ({ namespace: uuid, key }));
      return call('kv_get_multi_value', { namespace_key }, { signal });
    },
    { every_ms: EVERY_MS },
  );
  const of = (key: (typeof KEYS)[number]) =>
    documentOf(data?.find((one) => one.key === key)?.value);
  const [sensors, containers] = [of('agent_sensors'), of('agent_containers')];
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

const documentOf = (value: unknown): Document | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Document)
    : undefined;

const listOf = (of: Document, name: string): readonly Document[] => {
  const list: unknown = of[name];
  return Array.isArray(list) ? list.map(documentOf).filter((one) => one !== undefined) : [];
};

const textOf = (of: Document, name: string): string => {
  const value = of[name];
  return typeof value === 'string' ? value : '';
};

const numberOf = (of: Document, name: string): number | undefined => {
  const value = of[name];
  return typeof value === 'number' ? value : undefined;
};

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

/** What is well is quiet. */
function State({ of }: { readonly of: Document }) {
  const { states, healths } = t.agent.containers;
  const [state, health] = [textOf(of, 'state'), textOf(of, 'health')];
  const text = [wordOf(states, state), wordOf(healths, health)].filter(Boolean).join(' · ');
  const isBad = health === 'unhealthy' || state === 'dead' || state === 'restarting';
  return isBad ? <strong class="agent-bad">{text}</strong> : <span>{text}</span>;
}
