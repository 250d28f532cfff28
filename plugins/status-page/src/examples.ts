import type { Example } from '@svc/plugin-sdk';

const agent = '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411';
const page = {
  title: 'Example status',
  description: '',
  language: 'auto',
  url: null,
  accent: '#2f5bd0',
  banner: null,
  entries: [
    { key: 'web-1', name: 'web-1', group: 'Servers', agent },
    {
      key: 'uplink',
      name: 'Uplink',
      group: 'Network',
      agent,
      probe: { type: 'ping', target: '192.0.2.1' },
    },
  ],
  logo: null,
};
const incident = {
  id: 1,
  title: 'New power supply',
  text: 'web-1 is off for some minutes.',
  impact: 'maintenance',
  begins_at: 1781000000000,
  ends_at: null,
  updated_at: 1781000000000,
};

/** Calls for the documentation, in an order in which they work (test/discovery/examples.test.ts). */
export const examples: readonly Example[] = [
  {
    method: 'agent_report_dynamic_summary',
    params: { data: { uuid: agent, time: 1781000004000, cpu_usage: 172 } },
    result: { status: 'buffered' },
  },
  {
    method: 'status-page_create',
    params: {
      slug: 'example',
      page: { title: page.title, accent: page.accent, entries: page.entries },
    },
    result: { slug: 'example', page, updated_at: 1781000000000 },
  },
  {
    method: 'status-page_update',
    params: { slug: 'example', page: { language: 'en' } },
    result: {
      slug: 'example',
      page: { ...page, language: 'en' },
      updated_at: 1781000000000,
    },
  },
  {
    method: 'status-page_get',
    params: { slug: 'example' },
    result: {
      slug: 'example',
      page: { ...page, language: 'en' },
      updated_at: 1781000000000,
    },
  },
  {
    method: 'status-page_list',
    params: {},
    result: [{ slug: 'example', title: 'Example status', entries: 2, updated_at: 1781000000000 }],
  },
  {
    method: 'status-page_incident_add',
    params: {
      slug: 'example',
      incident: {
        title: incident.title,
        text: incident.text,
        impact: 'maintenance',
        begins_at: 1781000000000,
      },
    },
    result: incident,
  },
  {
    method: 'status-page_incident_update',
    params: { slug: 'example', id: 1, incident: { ends_at: 1781000600000 } },
    result: { ...incident, ends_at: 1781000600000 },
  },
  {
    method: 'status-page_incident_list',
    params: { slug: 'example' },
    result: [{ ...incident, ends_at: 1781000600000 }],
  },
  {
    method: 'status-page_incident_delete',
    params: { slug: 'example', id: 1 },
    result: { success: true },
  },
  { method: 'status-page_delete', params: { slug: 'example' }, result: { success: true } },
];
