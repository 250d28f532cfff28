// monitoring-data.md §2 to §5: every field of the three reports, its type and its boundary values.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import {
  callText,
  dynamicReport,
  PLUGINS,
  staticReport,
  summaryReport,
  withLiteral,
} from './agent-kit.ts';

/** JSON literals per type: `good` come back unchanged, `bad` are -32602. */
// biome-ignore format: one case per line
const types: Record<string, { good: string[]; bad: (string | undefined)[] }> = {
  uint8: { good: ['0', '255'], bad: ['256', '-1', '0.5', '"5"', 'true', 'null', '[]', undefined] },
  uint32: { good: ['0', '4294967295'], bad: ['4294967296', '-1', '0.5', '"5"', 'null', undefined] },
  uint64: {
    good: ['0', '9007199254740991', '9007199254740992', '9007199254740993', '9223372036854775807', '18446744073709551615'],
    bad: ['18446744073709551616', '-1', '-9223372036854775809', '0.5', '1e300', '"5"', '{}', 'null', undefined],
  },
  float64: {
    good: ['0', '17.25', '-0.5', '100', '1e-7', '123456789.125', '9007199254740993', '18446744073709551616'],
    bad: ['"5"', 'null', 'true', '1e400', `1${'0'.repeat(400)}`, undefined],
  },
  string: { good: ['""', '"x"', '"α \\" \\\\ \\n \\u0001 / 😀"'], bad: ['5', 'null', '[]', undefined] },
  bool: { good: ['true', 'false'], bad: ['0', '"true"', 'null', undefined] },
  disk: { good: ['"Hdd"', '"Ssd"', '"Unknown"'], bad: ['"SSD"', '"HDD"', '"ssd"', '""', '5', 'null', '{"SSD":null}', '{"Ssd":true}', '{"Ssd":null,"Hdd":null}', '{}', undefined] },
  array: { good: ['[]'], bad: ['{}', '""', 'null', undefined] },
  object: { good: [], bad: ['5', '""', 'null', undefined] },
  bytes: { good: [], bad: ['"64f2"', '[256]', '[-1]', '[0.5]', '[null]', '["1"]', '{}', 'null', undefined] },
};

// biome-ignore format: one case per line
const staticFields: [path: string, type: string][] = [
  ['data_hash', 'bytes'],
  ['cpu', 'object'], ['cpu.physical_cores', 'uint64'], ['cpu.logical_cores', 'uint64'], ['cpu.per_core', 'array'],
  ['cpu.per_core.0.id', 'uint32'], ['cpu.per_core.0.name', 'string'], ['cpu.per_core.0.vendor_id', 'string'], ['cpu.per_core.0.brand', 'string'],
  ['system', 'object'], ['system.system_name', 'string'], ['system.system_kernel', 'string'], ['system.system_kernel_version', 'string'],
  ['system.system_os_version', 'string'], ['system.system_os_long_version', 'string'], ['system.distribution_id', 'string'],
  ['system.system_host_name', 'string'], ['system.arch', 'string'], ['system.virtualization', 'string'],
  ['gpu', 'array'], ['gpu.0.id', 'uint32'], ['gpu.0.name', 'string'], ['gpu.0.cuda_cores', 'uint64'], ['gpu.0.architecture', 'string'],
];

// biome-ignore format: one case per line
const dynamicFields: [path: string, type: string][] = [
  ['cpu', 'object'], ['cpu.per_core', 'array'], ['cpu.per_core.0.id', 'uint32'], ['cpu.per_core.0.cpu_usage', 'float64'],
  ['cpu.per_core.0.frequency_mhz', 'uint64'], ['cpu.total_cpu_usage', 'float64'],
  ['ram', 'object'], ['ram.total_memory', 'uint64'], ['ram.available_memory', 'uint64'], ['ram.used_memory', 'uint64'], ['ram.total_swap', 'uint64'], ['ram.used_swap', 'uint64'],
  ['load', 'object'], ['load.one', 'float64'], ['load.five', 'float64'], ['load.fifteen', 'float64'],
  ['system', 'object'], ['system.boot_time', 'uint64'], ['system.uptime', 'uint64'], ['system.process_count', 'uint64'],
  ['disk', 'array'], ['disk.0.kind', 'disk'], ['disk.0.name', 'string'], ['disk.0.file_system', 'string'], ['disk.0.mount_point', 'string'],
  ['disk.0.total_space', 'uint64'], ['disk.0.available_space', 'uint64'], ['disk.0.is_removable', 'bool'], ['disk.0.is_read_only', 'bool'],
  ['disk.0.read_speed', 'uint64'], ['disk.0.write_speed', 'uint64'],
  ['network', 'object'], ['network.interfaces', 'array'], ['network.interfaces.0.interface_name', 'string'], ['network.interfaces.0.total_received', 'uint64'],
  ['network.interfaces.0.total_transmitted', 'uint64'], ['network.interfaces.0.receive_speed', 'uint64'], ['network.interfaces.0.transmit_speed', 'uint64'],
  ['network.udp_connections', 'uint64'], ['network.tcp_connections', 'uint64'],
  ['gpu', 'array'], ['gpu.0.id', 'uint32'], ['gpu.0.used_memory', 'uint64'], ['gpu.0.total_memory', 'uint64'], ['gpu.0.graphics_clock_mhz', 'uint64'],
  ['gpu.0.sm_clock_mhz', 'uint64'], ['gpu.0.memory_clock_mhz', 'uint64'], ['gpu.0.video_clock_mhz', 'uint64'],
  ['gpu.0.utilization_gpu', 'uint8'], ['gpu.0.utilization_memory', 'uint8'], ['gpu.0.temperature', 'uint8'],
];

/** Optional and nullable; the results of scaled ones are divided by ten. */
// biome-ignore format: one case per line
const integers: Record<string, { good: string[]; bad: string[] }> = {
  int16: { good: ['0', '-32768', '32767'], bad: ['32768', '-32769', '0.5', '"5"', 'true', '[]'] },
  int32: { good: ['0', '-2147483648', '2147483647'], bad: ['2147483648', '-2147483649', '0.5', '"5"'] },
  int64: {
    good: ['0', '-9223372036854775808', '9007199254740993', '-9007199254740993', '9223372036854775807'],
    bad: ['9223372036854775808', '-9223372036854775809', '18446744073709551615', '0.5', '1e300', '"5"', '{}'],
  },
};

// biome-ignore format: one case per line
const summaryFields: [name: string, type: string, scaled?: 'scaled'][] = [
  ['cpu_usage', 'int16', 'scaled'], ['gpu_usage', 'int16'], ['used_swap', 'int64'], ['total_swap', 'int64'], ['used_memory', 'int64'],
  ['total_memory', 'int64'], ['available_memory', 'int64'], ['load_one', 'int16', 'scaled'], ['load_five', 'int16', 'scaled'],
  ['load_fifteen', 'int16', 'scaled'], ['uptime', 'int32'], ['boot_time', 'int64'], ['process_count', 'int32'], ['total_space', 'int64'],
  ['available_space', 'int64'], ['read_speed', 'int64'], ['write_speed', 'int64'], ['tcp_connections', 'int32'], ['udp_connections', 'int32'],
  ['total_received', 'int64'], ['total_transmitted', 'int64'], ['transmit_speed', 'int64'], ['receive_speed', 'int64'],
];

/** Text of the value behind a member name, up to the end of the scalar. */
const memberText = (text: string, name: string): string | undefined =>
  new RegExp(`"${name}": ?("(?:[^"\\\\]|\\\\.)*"|\\[\\]|[^,}\\]\\s]+)`).exec(
    text.split('"result":')[1] ?? '',
  )?.[1];

const sameValue = (text: string | undefined, literal: string): boolean =>
  text === literal ||
  (!/^-?\d{16,}$/.test(literal) &&
    JSON.stringify(JSON.parse(text ?? 'null')) === JSON.stringify(JSON.parse(literal)));

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitoring data: fields (${dialect})`);
  let app: TestApp;
  let agents = 0;

  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect });
  });
  test.after(() => app.stop());

  const freshUuid = () => `00000000-0000-4000-8000-${(++agents).toString(16).padStart(12, '0')}`;
  const report = (method: string, text: string) =>
    callText(app, method, `["${app.superToken}",${text}]`);
  const knownAgents = async () =>
    (await app.call('agent-uuid_list_all_with_agent_mode', [app.superToken])).length;

  const readBoth = async (
    uuid: string,
    field: string,
    query: string,
    multiLast: string,
  ): Promise<string[]> => [
    await callText(
      app,
      query,
      `["${app.superToken}",{"fields":["${field}"],"condition":[{"uuid":"${uuid}"},"last"]}]`,
    ),
    await callText(app, multiLast, `["${app.superToken}",["${uuid}"],["${field}"]]`),
  ];

  // biome-ignore format: one kind per line
  const nested = [
    { kind: 'static', fields: staticFields, make: staticReport, report: 'agent_report_static', query: 'agent_query_static', multiLast: 'agent_static_data_multi_last_query' },
    { kind: 'dynamic', fields: dynamicFields, make: dynamicReport, report: 'agent_report_dynamic', query: 'agent_query_dynamic', multiLast: 'agent_dynamic_data_multi_last_query' },
  ];

  for (const { kind, fields, make, report: method, query, multiLast } of nested) {
    for (const [path, type] of fields) {
      test(`${kind} ${path} is ${type}`, async () => {
        const { good, bad } = types[type]!;
        const part = path.split('.')[0]!;
        for (const literal of good) {
          const uuid = freshUuid();
          const answer = await report(method, withLiteral(make({ uuid }), path, literal));
          assert.is(answer, '{"jsonrpc":"2.0","id":1,"result":{"status":"buffered"}}', literal);
          for (const text of await readBoth(uuid, part, query, multiLast)) {
            const read = memberText(text, path.split('.').pop()!);
            assert.ok(sameValue(read, literal), `${literal} came back as ${read} in ${text}`);
          }
        }
        const before = await knownAgents();
        for (const literal of bad) {
          const { error } = JSON.parse(
            await report(method, withLiteral(make({ uuid: freshUuid() }), path, literal)),
          );
          assert.equal(
            [error?.code, error?.message, typeof error?.data],
            [-32602, 'Invalid params', 'string'],
            String(literal),
          );
        }
        assert.is(await knownAgents(), before, 'a refused report registers no agent');
      });
    }
  }

  test('dynamic disk.0.kind is also accepted as an object of one member, and comes back as a word', async () => {
    const { query, multiLast, report: method } = nested[1]!;
    for (const word of ['Hdd', 'Ssd', 'Unknown']) {
      const uuid = freshUuid();
      const text = withLiteral(dynamicReport({ uuid }), 'disk.0.kind', `{"${word}":null}`);
      assert.is(
        await report(method, text),
        '{"jsonrpc":"2.0","id":1,"result":{"status":"buffered"}}',
      );
      for (const read of await readBoth(uuid, 'disk', query, multiLast)) {
        assert.is(memberText(read, 'kind'), `"${word}"`);
      }
    }
  });

  for (const [name, type, scaled] of summaryFields) {
    test(`summary ${name} is ${type}${scaled ? ', times ten' : ''}, or null, or absent`, async () => {
      const { good, bad } = integers[type]!;
      for (const literal of [...good, 'null', undefined]) {
        const uuid = freshUuid();
        const base = summaryReport({ uuid, [name]: 0 });
        assert.match(
          await report('agent_report_dynamic_summary', withLiteral(base, name, literal)),
          '"buffered"',
        );
        const expected =
          literal === undefined || literal === 'null'
            ? 'null'
            : scaled
              ? String(Number(literal) / 10)
              : literal;
        for (const text of await readBoth(
          uuid,
          name,
          'agent_query_dynamic_summary',
          'agent_dynamic_summary_multi_last_query',
        )) {
          const read = memberText(text, name);
          assert.ok(sameValue(read, expected), `${literal} came back as ${read}, not ${expected}`);
        }
      }
      const before = await knownAgents();
      for (const literal of bad) {
        const { error } = JSON.parse(
          await report(
            'agent_report_dynamic_summary',
            withLiteral(summaryReport({ uuid: freshUuid() }), name, literal),
          ),
        );
        assert.equal([error?.code, error?.message], [-32602, 'Invalid params'], literal);
      }
      assert.is(await knownAgents(), before, 'a refused report registers no agent');
    });
  }

  test.run();
}
