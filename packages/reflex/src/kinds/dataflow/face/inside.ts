import type { Change } from '../../../kernel/index.ts'
import type { InsideView, PartCause, UnknownName } from '../../../programs/inside-view.ts'
import { nodeName, type ValidatedGraph } from '../model/graph.ts'
import type { CompiledGraph } from '../run/compiled.ts'
import { passesOf } from '../run/passes-of.ts'
import { readPosition } from '../run/position.ts'
import type { PassReport } from '../run/taken.ts'
import { type ExplainedPass, explainNode, explainPass } from './explain-pass.ts'
import { picturePass } from './picture-pass.ts'

/** The passes of a record, each with the number of its episode. */
export const graphInside: InsideView<CompiledGraph> = {
  noun: 'episode',
  isName: (text) => /^E\d{1,15}$/.test(text),
  find(change, name) {
    const episode = Number(name.slice(1))
    const [before, after] = [readPosition(change.before), readPosition(change.frame.position)]
    const isNew = episode >= before.episode && episode < after.episode
    // A deferred item keeps its episode until it runs.
    if (!isNew && (episode >= after.episode || before.deferred === 0)) return undefined
    const index = reportsOf(change, false).findLastIndex(({ decision }) => decision.episode_id === episode)
    return index < 0 ? undefined : index + 1
  },
  last(frame) {
    const { episode } = readPosition(frame.position)
    return episode === 0 ? undefined : `E${episode - 1}`
  },
  explain: explainPart,
  picture(change, part) {
    const pass = explainedPass(change, part)
    return 'unknown' in pass ? pass : picturePass(pass)
  },
  writer(change, key) {
    const report = lastWriter(reportsOf(change, false), key)
    return report === undefined ? undefined : episodeName(report)
  },
}

function reportsOf(change: Change<CompiledGraph>, traced: boolean): readonly PassReport[] {
  return passesOf(change, { traced })?.passes ?? []
}

function explainPart(change: Change<CompiledGraph>, part: number, name?: string): PartCause | UnknownName {
  const pass = explainedPass(change, part)
  if ('unknown' in pass) return pass
  if (name === undefined) return explainPass(pass)
  const index = nodeNamed(pass.graph, name)
  return index === undefined ? { unknown: name, known: namesOf(pass.graph) } : explainNode(pass, index)
}

/** Repeats a record and returns one of its passes with every value. */
function explainedPass(change: Change<CompiledGraph>, part: number): ExplainedPass | UnknownName {
  const reports = reportsOf(change, true)
  const report = reports[part - 1]
  if (report === undefined) return { unknown: String(part), known: reports.map((_, index) => String(index + 1)) }
  const earlier = reports.slice(0, part - 1)
  return {
    graph: change.def.graph,
    report,
    writtenBefore: (key: string) => {
      const writer = lastWriter(earlier, key)
      return writer === undefined ? undefined : episodeName(writer)
    },
  }
}

function lastWriter(reports: readonly PassReport[], key: string): PassReport | undefined {
  return reports.findLast(({ effects }) => effects.some(({ writes }) => writes.some((write) => write.key === key)))
}

function episodeName({ decision }: PassReport): string {
  return `E${decision.episode_id}`
}

/** Returns the node with a name: its own, that of an output of the graph, of the effect that it asks for, or its runtime id. */
function nodeNamed({ nodes, outputs }: ValidatedGraph, name: string): number | undefined {
  const index = nodes.findIndex((node) => nodeName(node) === name)
  if (index >= 0) return index
  const output = outputs.find((one) => one.name === name)
  if (output !== undefined) return output.node
  const asking = nodes.findIndex(({ primitive }) => (primitive.manifest.effects?.intents ?? []).some((intent) => intent.name === name))
  if (asking >= 0) return asking
  const runtime = nodes.findIndex(({ id }) => id === name)
  return runtime < 0 ? undefined : runtime
}

function namesOf({ nodes, outputs }: ValidatedGraph): string[] {
  const intents = nodes.flatMap(({ primitive }) => (primitive.manifest.effects?.intents ?? []).map(({ name }) => name))
  return [...new Set([...nodes.map(nodeName), ...outputs.map(({ name }) => name), ...intents])]
}
