import type { PartEdge, PartNode, PartPicture } from '../../../programs/inside-view.ts'
import { shortJson } from '../../../text/index.ts'
import { edgeId } from '../graph/drawing.ts'
import { nodeName } from '../model/graph.ts'
import type { NodeTrace } from '../pass/evaluate.ts'
import { type ExplainedPass, passText, summaries } from './explain-pass.ts'

/** The most characters of a value in a picture. */
const LONGEST_VALUE = 24

/** Returns what a pass did on its graph: the values on the edges, what was emitted, and what was held and why. */
export function picturePass(pass: ExplainedPass): PartPicture {
  const { graph, report } = pass
  const traces = new Map((report.trace ?? []).map((trace) => [trace.node, trace]))
  const summary = summaries(pass)
  const nodes = [...traces.values()].flatMap((trace): [string, PartNode][] => {
    const node = graph.nodes[trace.node]
    if (node === undefined) return []
    const { value, text, failed } = summary(trace.node)
    const isHeld = trace.held.length > 0 || (node.primitive.kind === 'trigger' && !isEmitted(Object.values(trace.outputs)[0]))
    const shown = value === undefined ? [] : [shortJson(value, LONGEST_VALUE)]
    const said = [...shown, ...(text === undefined || text === '' ? [] : [text])].join(', ')
    const standing = failed === true ? 'failed' : isHeld ? 'held' : 'passed'
    return [[nodeName(node), { standing, text: isHeld ? `${said}${reason(pass, trace)}` : said }]]
  })
  const edges = graph.edges.flatMap(({ from, to }): [string, PartEdge][] => {
    const value = traces.get(from.node)?.outputs[from.port]
    if (value === undefined) return []
    const isEvent =
      graph.nodes[from.node]?.primitive.manifest.outputs.some(({ name, type }) => name === from.port && type === 'Event') === true
    if (isEvent && !isEmitted(value)) return [[edgeId(graph, from, to), { standing: 'silent' }]]
    const isDecided = traces.get(to.node)?.decided.includes(to.port) === true || isEvent
    return [[edgeId(graph, from, to), { standing: isDecided ? 'decided' : 'carried', ...(isEvent ? {} : { value }) }]]
  })
  return { name: `E${report.decision.episode_id}`, facts: [passText(pass)], nodes: new Map(nodes), edges: new Map(edges) }
}

/** Outcomes of actions are emitted, whatever they are, except for one that was skipped. */
function isEmitted(value: unknown): boolean {
  return value !== 'NotEmitted' && value !== 'Skipped'
}

/** Returns the values for which a trigger did not emit. */
function reason({ graph }: ExplainedPass, { node, decided, inputs, held }: NodeTrace): string {
  if (held.length > 0) return ''
  const causes = decided.flatMap((port) => {
    const producer = graph.nodes[graph.producers[node]?.[port]?.node ?? -1]
    if (producer === undefined) return []
    const value = inputs[port]
    return [`${nodeName(producer)} ${value === 'NotEmitted' ? 'did not emit' : `is ${shortJson(value ?? null, LONGEST_VALUE)}`}`]
  })
  return causes.length === 0 ? '' : `: ${causes.join(', ')}`
}
