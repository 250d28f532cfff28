import type { Example } from '@svc/plugin-sdk';

/** Calls for the documentation, in an order in which they work (test/discovery/examples.test.ts). */
export const examples: readonly Example[] = [
  {
    method: 'js-worker_create',
    params: {
      name: 'greeter',
      description: 'Says hello.',
      js_script_base64:
        'ZXhwb3J0IGRlZmF1bHQgeyBvbkNhbGw6ICh7IG5hbWUgfSkgPT4gKHsgZ3JlZXRpbmc6IGBIZWxsbyAke25hbWV9YCB9KSB9',
      route_name: 'hello',
    },
    result: {
      id: 1,
      name: 'greeter',
      description: 'Says hello.',
      route_name: 'hello',
      runtime_clean_time: null,
      max_run_time: null,
      max_stack_size: null,
      max_heap_size: null,
      create_at: 1795394632259,
      update_at: 1795394632259,
    },
  },
  {
    method: 'js-worker_run',
    params: { js_script_name: 'greeter', run_type: 'call', params: { name: 'edge-7' } },
    result: { id: 1 },
  },
  {
    method: 'js-worker_run',
    params: { js_script_name: 'unknown', params: null },
    error: { code: 105, message: 'Not found in database: js_worker not found: unknown' },
  },
  {
    method: 'js-result_query',
    params: { query: { condition: [{ id: 1 }, 'is_success'] } },
    result: [
      {
        id: 1,
        js_worker_id: 1,
        js_worker_name: 'greeter',
        run_type: 'call',
        start_time: 1795394632279,
        finish_time: 1795394632364,
        param: { name: 'edge-7' },
        result: { greeting: 'Hello edge-7' },
        error_message: null,
      },
    ],
  },
  {
    method: 'js-worker_get_rt_pool',
    params: {},
    result: {
      total_workers: 1,
      workers: [
        {
          script_name: 'greeter',
          active_requests: 0,
          last_used_ms: 1795394632364,
          idle_ms: 779,
          runtime_clean_time_ms: null,
        },
      ],
    },
  },
  { method: 'js-worker_list_all_js_worker', params: {}, result: ['greeter'] },
  {
    method: 'js-worker_read',
    params: { name: 'greeter' },
    result: {
      name: 'greeter',
      description: 'Says hello.',
      route_name: 'hello',
      js_script_base64:
        'ZXhwb3J0IGRlZmF1bHQgeyBvbkNhbGw6ICh7IG5hbWUgfSkgPT4gKHsgZ3JlZXRpbmc6IGBIZWxsbyAke25hbWV9YCB9KSB9',
      runtime_clean_time: null,
      max_run_time: null,
      max_stack_size: null,
      max_heap_size: null,
      env: null,
      create_at: 1795394632259,
      update_at: 1795394632259,
    },
  },
  {
    method: 'js-worker_read',
    params: { name: 'unknown' },
    error: { code: 105, message: 'Not found in database: js_worker not found: unknown' },
  },
  {
    method: 'js-worker_update',
    params: {
      name: 'greeter',
      description: 'Says that it is there.',
      js_script_base64: 'ZXhwb3J0IGRlZmF1bHQgeyBvbkNhbGw6ICgpID0+ICh7IG9rOiB0cnVlIH0pIH0=',
    },
    result: {
      success: true,
      name: 'greeter',
      description: 'Says that it is there.',
      route_name: null,
      runtime_clean_time: null,
      max_run_time: null,
      max_stack_size: null,
      max_heap_size: null,
      update_at: 1795394633150,
    },
  },
  {
    method: 'js-result_delete',
    params: { query: { condition: [{ js_worker_name: 'greeter' }] } },
    result: { success: true, deleted: 1, condition_count: 1 },
  },
  {
    method: 'js-worker_delete',
    params: { name: 'greeter' },
    result: { success: true, rows_affected: 1 },
  },
];
