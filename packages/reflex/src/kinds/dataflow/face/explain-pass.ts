import type { Json } from '../../../kernel/index.ts'
import type { PartCause } from '../../../programs/inside-view.ts'
import { shortJson } from '../../../text/index.ts'
import { keyOf } from '../adapter/graph-needs.ts'
import { SET_CONTEXT } from '../model/effect.ts'
import { type GraphNode, nodeName, type ValidatedGraph } from '../model/graph.ts'
import { untagged } from '../model/value.ts'
import type { NodeTrace } from '../pass/evaluate.ts'
import type { PassReport } from '../run/taken.ts'

/** The levels of an explanation: a node further back is explained by a question of its own. */
const MAX_DEPTH = 60

/** A pass with every value of it, and what its context was merged from. */
export interface ExplainedPass {
  readonly graph: ValidatedGraph
  readonly report: PassReport
  /** The name of the episode that wrote a key earlier in the same record; undefined if none did. */
  readonly writtenBefore: (key: string) => string | undefined
}

/** Explains a node of a pass: the gates, branches and operands that decided it, back to fields, parameters and keys of the context. */
export function explainNode(pass: ExplainedPass, index: number): PartCause {
  return new PassExplanation(pass).node(index, 0)
}

/** Explains a pass: what it did and the nodes that did it. */
export function explainPass(pass: ExplainedPass): PartCause {
  const { graph, report } = pass
  const explanation = new PassExplanation(pass)
  const stopped = stoppedText(report)
  const failed = report.failure === undefined ? undefined : report.trace?.at(-1)?.node
  const acted = graph.order.filter((index) => graph.nodes[index]?.primitive.kind === 'action' && explanation.hasRun(index))
  const from = failed === undefined ? acted : [failed]
  return {
    what: 'node',
    name: `E${report.decision.episode_id}`,
    text: stopped ?? `${passText(pass)}${acted.length === 0 && failed === undefined ? '; no action ran' : ''}`,
    ...(report.failure === undefined ? {} : { failed: true as const }),
    from: from.map((index) => explanation.node(index, 0)),
  }
}

/** Returns a function that gives what a node of a pass did or had, without its causes. */
export function summaries(pass: ExplainedPass): (index: number) => Pick<PartCause, 'text' | 'value' | 'failed'> {
  const explanation = new PassExplanation(pass)
  return (index) => explanation.summary(index)
}

/** Returns what a pass was for, or why there was none. */
export function passText({ report }: Pick<ExplainedPass, 'report'>): string {
  return stoppedText(report) ?? `ran for ${eventText(report)}`
}

/** Returns the name of the event of a pass. That of a deferred item is in its snapshot only. */
function eventText({ event }: PassReport): string {
  return event.kind === 'Pump' ? 'a deferred event' : `event ${event.event_id}`
}

/** Returns why an event has no pass; undefined if it has one. */
function stoppedText({ decision: { decision, schedule_at: at, termination }, event }: PassReport): string | undefined {
  if (decision === 'Defer') return at === null ? 'nothing was due' : `event ${event.event_id} was deferred until ${at.secs} s`
  return termination === 'Aborted' ? `event ${event.event_id} had no pass: its deadline had passed` : undefined
}

class PassExplanation {
  readonly #pass: ExplainedPass
  readonly #traces: ReadonlyMap<number, NodeTrace>
  readonly #explained = new Set<number>()

  constructor(pass: ExplainedPass) {
    this.#pass = pass
    this.#traces = new Map((pass.report.trace ?? []).map((trace) => [trace.node, trace]))
  }

  /** True for a node that was evaluated and that no gate held. */
  hasRun(index: number): boolean {
    return this.#traces.get(index)?.held.length === 0
  }

  /** Returns what a node that was evaluated did or had. */
  summary(index: number): Pick<PartCause, 'text' | 'value' | 'failed'> {
    const [node, trace] = [this.#pass.graph.nodes[index], this.#traces.get(index)]
    if (node === undefined || trace === undefined) return {}
    const facts = this.#facts(node, trace)
    return node.primitive.kind === 'source' ? { ...facts, text: facts.text ?? this.#sourced(node).text ?? '' } : facts
  }

  node(index: number, depth: number): PartCause {
    const node = this.#pass.graph.nodes[index]
    const trace = this.#traces.get(index)
    if (node === undefined) throw new RangeError(`no node ${index}`)
    if (trace === undefined) return this.#unreached(node, depth)
    const base = { what: 'node', name: nodeName(node), ...this.#facts(node, trace) } as const
    if (node.primitive.kind === 'source') return { ...base, ...this.#sourced(node) }
    if (this.#explained.has(index)) return { ...base, again: true, from: [] }
    this.#explained.add(index)
    if (depth === MAX_DEPTH) return { ...base, from: [{ what: 'node', name: 'further back', text: `explain ${base.name}`, from: [] }] }
    const producers = this.#pass.graph.producers[index] ?? {}
    const deciding = new Set(trace.decided.flatMap((port) => producers[port]?.node ?? []))
    return { ...base, from: [...deciding].map((producer) => this.node(producer, depth + 1)) }
  }

  /** Explains a node that the pass did not reach: the pass did not run, or another node ended it. */
  #unreached(node: GraphNode, depth: number): PartCause {
    const { report } = this.#pass
    const last = report.trace?.at(-1)
    const text = stoppedText(report) ?? 'was not reached: the pass failed before it'
    const from = report.failure === undefined || last === undefined ? [] : [this.node(last.node, depth + 1)]
    return { what: 'node', name: nodeName(node), text, from }
  }

  #facts(node: GraphNode, trace: NodeTrace): Pick<PartCause, 'text' | 'value' | 'failed'> {
    const { report } = this.#pass
    const isFailed = report.failure !== undefined && report.trace?.at(-1) === trace
    if (isFailed) return { failed: true, text: report.failure?.message ?? '' }
    if (node.primitive.kind === 'action') return { text: this.#deed(node, trace) }
    if (node.primitive.kind === 'trigger') return { text: Object.values(trace.outputs)[0] === 'Emitted' ? 'emitted' : 'did not emit' }
    const values = Object.entries(trace.outputs)
    return { value: (values.length === 1 ? values[0]?.[1] : trace.outputs) as Json }
  }

  /** Returns what an action did, and the gates that let it or that held it. */
  #deed(node: GraphNode, { held, outputs }: NodeTrace): string {
    if (held.length > 0) return `was skipped because ${this.#producers(node, held)} did not emit`
    const gates = Object.keys(this.#pass.graph.producers[this.#pass.graph.nodes.indexOf(node)] ?? {}).filter((port) => isEvent(node, port))
    const because = gates.length === 0 ? '' : ` because ${this.#producers(node, gates)} emitted`
    const [outcome] = Object.values(outputs)
    const deeds = this.#effectsOf(node)
    const how = outcome === 'Attempted' || outcome === 'Completed' ? '' : ` and answered ${String(outcome)}`
    return `${deeds.length === 0 ? 'ran' : deeds.join(', ')}${how}${because}`
  }

  #producers(node: GraphNode, ports: readonly string[]): string {
    const { nodes, producers } = this.#pass.graph
    const from = producers[nodes.indexOf(node)] ?? {}
    const names = ports.flatMap((port) => {
      const producer = nodes[from[port]?.node ?? -1]
      return producer === undefined ? [] : [nodeName(producer)]
    })
    return names.join(' and ')
  }

  /** Returns the effects of an action, in words. */
  #effectsOf(node: GraphNode): string[] {
    const { writes = [], intents = [] } = node.primitive.manifest.effects ?? {}
    const keys = new Set(writes.map(({ name }) => keyOf(node, name)))
    const wrote = this.#pass.report.effects
      .filter(({ kind }) => kind === SET_CONTEXT)
      .flatMap((effect) => effect.writes)
      .filter(({ key }) => keys.has(key))
      .map(({ key, value }) => `wrote ${key} = ${shortJson(untagged(value) as Json, 40)}`)
    return [...wrote, ...intents.map(({ name }) => `asked for ${name}`)]
  }

  /** Explains the value of a source: a parameter, a field of the event, or a key of the context. */
  #sourced(node: GraphNode): Pick<PartCause, 'text' | 'from'> {
    const reads = (node.primitive.manifest.requires?.context ?? []).flatMap(({ name }) => keyOf(node, name) ?? [])
    if (reads.length === 0) return { text: 'a parameter of the node', from: [] }
    const [key = ''] = reads
    const origins = reads.map((read) => this.#origin(read))
    if (origins.length > 1) return { from: origins }
    const { key: board, text } = this.#origin(key)
    return { text: text ?? '', from: [], ...(board === undefined ? {} : { key: board }) }
  }

  #origin(name: string): PartCause {
    const { report, writtenBefore } = this.#pass
    const { context = {}, event } = report
    const leaf = (text: string, key?: string): PartCause => ({
      what: 'value',
      name,
      text,
      ...(context[name] === undefined ? {} : { value: context[name] }),
      ...(key === undefined ? {} : { key }),
      from: [],
    })
    if (context[name] === undefined) return leaf(`context key ${name}, absent: the default of its type`)
    if (event.kind === 'Pump') return leaf(`field ${name} of a deferred event, as it arrived`)
    if (event.payload !== undefined && Object.hasOwn(event.payload, name)) return leaf(`event ${event.event_id}, field ${name}`)
    const before = writtenBefore(name)
    return before === undefined ? leaf(`context key ${name}`, name) : leaf(`context key ${name}, written in ${before}`)
  }
}

function isEvent(node: GraphNode, port: string): boolean {
  return node.primitive.manifest.inputs.some(({ name, type }) => name === port && type === 'Event')
}
