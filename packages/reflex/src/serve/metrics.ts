/** The labels of a value, by name. */
export type Labels = Readonly<Record<string, string | number>>

type Kind = 'counter' | 'gauge' | 'histogram'

/** The upper bounds of durations in seconds. */
const BOUNDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60]
/** The most sets of labels of one metric. Further ones are counted together. */
const MOST_SERIES = 2000

/** A number, or a histogram, for each set of labels. */
class Metric {
  readonly name: string
  readonly kind: Kind
  readonly help: string
  readonly #values = new Map<string, number>()
  readonly #histograms = new Map<string, { readonly counts: number[]; sum: number; count: number }>()

  constructor(name: string, kind: Kind, help: string) {
    this.name = name
    this.kind = kind
    this.help = help
  }

  add(value: number, labels: Labels = {}): void {
    const key = this.#keyOf(labels, this.#values)
    this.#values.set(key, (this.#values.get(key) ?? 0) + value)
  }

  set(value: number, labels: Labels = {}): void {
    this.#values.set(this.#keyOf(labels, this.#values), value)
  }

  clear(): void {
    this.#values.clear()
  }

  record(value: number, labels: Labels = {}): void {
    const key = this.#keyOf(labels, this.#histograms)
    const histogram = this.#histograms.get(key) ?? { counts: BOUNDS.map(() => 0), sum: 0, count: 0 }
    BOUNDS.forEach((bound, i) => {
      if (value <= bound) histogram.counts[i] = (histogram.counts[i] ?? 0) + 1
    })
    histogram.sum += value
    histogram.count++
    this.#histograms.set(key, histogram)
  }

  lines(): readonly string[] {
    const lines = [`# HELP ${this.name} ${this.help}`, `# TYPE ${this.name} ${this.kind}`]
    for (const [key, value] of this.#values) lines.push(`${this.name}${braced(key)} ${value}`)
    for (const [key, { counts, sum, count }] of this.#histograms) {
      const withBound = (bound: number | '+Inf'): string => braced([key, `le="${bound}"`].filter((part) => part !== '').join(','))
      BOUNDS.forEach((bound, i) => void lines.push(`${this.name}_bucket${withBound(bound)} ${counts[i] ?? 0}`))
      lines.push(`${this.name}_bucket${withBound('+Inf')} ${count}`)
      lines.push(`${this.name}_sum${braced(key)} ${sum}`, `${this.name}_count${braced(key)} ${count}`)
    }
    return lines
  }

  #keyOf(labels: Labels, known: ReadonlyMap<string, unknown>): string {
    const key = Object.entries(labels)
      .map(([name, value]) => `${name}="${escaped(String(value))}"`)
      .join(',')
    if (known.has(key) || known.size < MOST_SERIES) return key
    return Object.keys(labels)
      .map((name) => `${name}="other"`)
      .join(',')
  }
}

/** Every metric of a server, in the order in which they are listed. */
export class ServeMetrics {
  readonly runs = new Metric('reflex_runs', 'gauge', 'Runs of the store, by status and kind')
  readonly questions = new Metric('reflex_questions_open', 'gauge', 'Open questions of all runs')
  readonly due = new Metric('reflex_runs_due', 'gauge', 'Runs without a process that could continue now')
  readonly dueLag = new Metric('reflex_runs_due_lag_seconds', 'gauge', 'The time for which the oldest of them has been due')
  readonly tokens = new Metric('reflex_model_tokens', 'gauge', 'Tokens that models have stated for the runs of the store')
  readonly cost = new Metric('reflex_cost_usd', 'gauge', 'Costs that models have stated for the runs of the store')
  readonly starts = new Metric('reflex_starts_total', 'counter', 'Runs that this process has started, by what started them')
  readonly effects = new Metric('reflex_effects_total', 'counter', 'Effects that this process has performed, by port and outcome')
  readonly requests = new Metric('reflex_http_requests_total', 'counter', 'Requests, by route and status')
  readonly durations = new Metric('reflex_http_request_seconds', 'histogram', 'Durations of requests, by route')
  readonly streams = new Metric('reflex_http_streams_open', 'gauge', 'Open event streams')
  readonly hooks = new Metric('reflex_hooks_total', 'counter', 'Deliveries that arrived, by hook and result')
  readonly deliveries = new Metric('reflex_deliveries_total', 'counter', 'Deliveries that were sent, by subscription and result')
  readonly behind = new Metric('reflex_deliveries_behind', 'gauge', 'Runs with events that are not delivered, by subscription')
  readonly schedules = new Metric('reflex_schedules_total', 'counter', 'Times of schedules, by schedule and result')

  readonly workers = new Metric('reflex_cluster_workers', 'gauge', 'Living workers of the cluster, by version')
  readonly slots = new Metric('reflex_cluster_slots', 'gauge', 'Slots of the living workers, by version')
  readonly turns = new Metric('reflex_cluster_turns', 'gauge', 'Turns of the cluster, by queue and state')
  readonly calls = new Metric('reflex_cluster_calls', 'gauge', 'Calls of limited models and tools, by queue and state')
  readonly waiting = new Metric('reflex_cluster_waiting', 'gauge', 'Turns that wait to be admitted, by queue and tenant')
  readonly waitingLag = new Metric('reflex_cluster_waiting_seconds', 'gauge', 'The time for which the oldest of them has waited')
  readonly missing = new Metric('reflex_cluster_runs_missing', 'gauge', 'Runs that are due and that no living worker can take')
  readonly lacking = new Metric('reflex_cluster_runs_lacking', 'gauge', 'The 100 oldest runs that no worker can take, by missing word')
  readonly stuck = new Metric('reflex_cluster_runs_stuck', 'gauge', 'Runs whose turns failed too often')
  readonly crashing = new Metric('reflex_cluster_runs_crashing', 'gauge', 'Runs in whose turns several workers in a row have died')
  readonly retrying = new Metric('reflex_cluster_runs_retrying', 'gauge', 'Runs of which several turns in a row had no result')

  /** Returns all metrics as the text format of Prometheus. */
  text(): string {
    const all: readonly Metric[] = Object.values(this)
    return `${all.flatMap((metric) => metric.lines()).join('\n')}\n`
  }
}

function braced(labels: string): string {
  return labels === '' ? '' : `{${labels}}`
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
