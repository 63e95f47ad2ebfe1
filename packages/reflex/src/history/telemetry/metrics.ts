import type { Meter } from './api.ts'
import type { ProjectedSpan } from './spans.ts'

/** Counts and durations of the records that this process has made durable. */
export class Metrics {
  readonly #runs
  readonly #waits
  readonly #effects
  readonly #tokens
  readonly #cost

  constructor(meter: Meter) {
    this.#runs = meter.createCounter('reflex.runs', { unit: '{run}', description: 'Started and ended runs, by status' })
    this.#waits = meter.createUpDownCounter('reflex.waits.open', {
      unit: '{wait}',
      description: 'Answers, messages and times that runs wait for',
    })
    this.#effects = meter.createHistogram('reflex.effect.duration', { unit: 's', description: 'The duration of effects' })
    this.#tokens = meter.createHistogram('gen_ai.client.token.usage', { unit: '{token}', description: 'The tokens of model calls' })
    this.#cost = meter.createCounter('reflex.cost', { unit: 'USD', description: 'The cost of models that have a price' })
  }

  countBegin({ what, attributes }: ProjectedSpan): void {
    if (what === 'run') this.#runs.add(1, { 'reflex.status': 'started', ...programOf(attributes) })
    if (what === 'wait') this.#waits.add(1, typeOf(attributes))
  }

  countEnd({ what, attributes, start, end = start }: ProjectedSpan): void {
    if (what === 'run') this.#runs.add(1, { 'reflex.status': attributes['reflex.status'] ?? '', ...programOf(attributes) })
    if (what === 'wait') this.#waits.add(-1, typeOf(attributes))
    if (what !== 'effect') return
    const { 'reflex.port': port = '', 'reflex.status': status = '', 'error.type': error } = attributes
    const facts = { 'reflex.port': port, 'reflex.status': status, ...modelOf(attributes) }
    this.#effects.record((end - start) / 1000, { ...facts, ...(error === undefined ? {} : { 'error.type': error }) })
    for (const type of ['input', 'output'] as const) {
      const tokens = attributes[`gen_ai.usage.${type}_tokens`]
      if (typeof tokens === 'number') this.#tokens.record(tokens, { 'gen_ai.token.type': type, ...modelOf(attributes) })
    }
    const cost = attributes['reflex.cost.usd']
    if (typeof cost === 'number') this.#cost.add(cost, modelOf(attributes))
  }
}

type Attributes = ProjectedSpan['attributes']

function programOf(attributes: Attributes): Attributes {
  return { 'reflex.program': attributes['reflex.program'] ?? '', 'reflex.kind': attributes['reflex.kind'] ?? '' }
}

function typeOf(attributes: Attributes): Attributes {
  return { 'reflex.wait.type': attributes['reflex.wait.type'] ?? '' }
}

function modelOf(attributes: Attributes): Attributes {
  const model = attributes['gen_ai.response.model'] ?? attributes['gen_ai.request.model']
  const provider = attributes['gen_ai.provider.name']
  return {
    ...(model === undefined ? {} : { 'gen_ai.response.model': model }),
    ...(provider === undefined ? {} : { 'gen_ai.provider.name': provider }),
  }
}
