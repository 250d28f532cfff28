import { ROOT_CONTEXT, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import {
  type ISerializer,
  JsonMetricsSerializer,
  JsonTraceSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  type CollectionResult,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Call, Kernel, Outcome } from '@svc/plugin-sdk';
import { within } from '@svc/plugin-sdk/util';
import type { Registry } from '../registry.ts';
import { Collector } from './collector.ts';
import { metricOf } from './data.ts';
import type { OtlpSettings } from './settings.ts';

const EXPORT_MS = 10_000;
/** Data points of one request. */
const MOST_POINTS = 2_000;
/** Spans that wait; more are dropped. A request has a quarter of them. */
const MOST_SPANS = 2_048;
const SPANS_MS = 5_000;
/** A stop waits this long for what is left. */
const LAST_MS = 2_000;

interface Options {
  readonly kernel: Kernel<unknown>;
  readonly registry: Registry;
  readonly settings: OtlpSettings;
}

/** Sends the server's metrics, and some of its calls as spans, to an OpenTelemetry collector. */
export class Push {
  readonly #options: Options;
  readonly #collector: Collector;
  readonly #meters: MeterProvider;
  readonly #tracers: TracerProvider;
  readonly #tracer: Tracer;
  readonly #started: number;
  #ended: Promise<void> | undefined;

  constructor(options: Options) {
    this.#options = options;
    const { kernel, settings } = options;
    const { brand, clock, server } = kernel;
    this.#started = clock.now();
    this.#collector = new Collector(kernel, settings);
    const resource = resourceFromAttributes({
      'service.name': `${brand.word}-server`,
      'service.version': server.version,
      'service.instance.id': server.uuid(),
    });
    const isJson = settings.otlp_encoding === 'json';
    const exportIntervalMillis = settings.otlp_interval_s * 1_000;
    const reader = new PeriodicExportingMetricReader({
      exporter: this.#exporter(
        '/v1/metrics',
        isJson ? JsonMetricsSerializer : ProtobufMetricsSerializer,
      ),
      exportIntervalMillis,
      exportTimeoutMillis: Math.min(EXPORT_MS, exportIntervalMillis),
      maxExportBatchSize: MOST_POINTS,
      metricProducers: [{ collect: async () => this.#collect() }],
    });
    const spans = new BatchSpanProcessor({
      exporter: this.#exporter(
        '/v1/traces',
        isJson ? JsonTraceSerializer : ProtobufTraceSerializer,
      ),
      maxQueueSize: MOST_SPANS,
      maxExportBatchSize: MOST_SPANS / 4,
      scheduledDelayMillis: SPANS_MS,
      exportTimeoutMillis: EXPORT_MS,
    });
    this.#meters = new MeterProvider({ resource, readers: [reader] });
    this.#tracers = new TracerProvider({
      resource,
      spanProcessors: [spans],
      // The calls are chosen before: one that is not costs nothing.
      sampler: new AlwaysOnSampler(),
    });
    this.#tracer = this.#tracers.getTracer(`${brand.word}-server`, server.version);
  }

  /** Counts a call after it has ended. */
  settled({ method, transport, caller }: Call, { error, started }: Outcome): void {
    const { kernel, settings } = this.#options;
    if (Math.random() >= settings.otlp_traces) return;
    const now = kernel.clock.now();
    const attributes = {
      'rpc.system': 'jsonrpc',
      'rpc.jsonrpc.version': '2.0',
      'rpc.method': method,
      'network.transport': transport,
      ...(caller.id === '' ? {} : { 'enduser.id': caller.id }),
      ...(error ? { 'rpc.jsonrpc.error_code': error.code } : {}),
    };
    const startTime = now - (performance.now() - started);
    const span = this.#tracer.startSpan(
      method,
      { kind: SpanKind.SERVER, startTime, attributes },
      ROOT_CONTEXT,
    );
    if (error) span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
    span.end(now);
  }

  /** Sends what is left, for two seconds at most. */
  stop(): Promise<void> {
    const end = async () => {
      const parts = [this.#meters.shutdown(), this.#tracers.shutdown()];
      // The log has heard of what failed.
      await within(LAST_MS, Promise.allSettled(parts));
      this.#collector.close();
    };
    this.#ended ??= end();
    return this.#ended;
  }

  #exporter<T>(path: '/v1/metrics' | '/v1/traces', serializer: ISerializer<T, unknown>) {
    const send = async (data: T) =>
      this.#collector.send(path, serializer.serializeRequest(data) ?? new Uint8Array());
    return {
      export: (data: T, done: (result: { code: 0 | 1; error?: Error }) => void) =>
        void send(data).then(
          () => done({ code: 0 }),
          (error: Error) => done({ code: 1, error }),
        ),
      forceFlush: async () => {},
      shutdown: async () => {},
    };
  }

  #collect(): CollectionResult {
    const { kernel, registry } = this.#options;
    const { clock, server, brand } = kernel;
    const span = { startTime: hrTime(this.#started), endTime: hrTime(clock.now()) };
    const metrics = registry.map((family) => metricOf(registry.prefix, family, span));
    const scope = { name: `${brand.word}-server`, version: server.version };
    const resource = resourceFromAttributes({});
    return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] }, errors: [] };
  }
}

const hrTime = (ms: number): [number, number] => [
  Math.floor(ms / 1_000),
  Math.round((ms % 1_000) * 1e6),
];
