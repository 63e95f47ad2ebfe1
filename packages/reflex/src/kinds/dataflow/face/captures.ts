import type { Change } from '../../../kernel/index.ts'
import type { NamedProgram } from '../../../programs/property-tests.ts'
import type { RunCaptures } from '../../../programs/run-captures.ts'
import { type Bundle, CAPTURE_VERSION } from '../capture/bundle.ts'
import { captureHeader, capturedSteps } from '../capture/capture-run.ts'
import { compareGraphs, type LimitedGraph } from '../capture/compare-graphs.ts'
import { readBundle } from '../capture/read-bundle.ts'
import { type Attempt, type Evaluation, replayBundle, type ReplayReport } from '../capture/replay-bundle.ts'
import { restoreRun } from '../capture/restore-run.ts'
import { BundleWriter } from '../capture/write-bundle.ts'
import { evaluate } from '../pass/evaluate.ts'
import { markedId } from '../pass/intent-id.ts'
import { terminationOf } from '../pass/pass-error.ts'
import type { CompiledGraph } from '../run/compiled.ts'
import { hostFor } from './host-of.ts'

/** Captures of runs of graphs: bundles (reference 8). */
export const graphCaptures: RunCaptures<CompiledGraph> = {
  format: 'bundle',
  ending: '.bundle.json',
  owns: (text) => text.slice(0, 4096).includes('"capture_version"') || text.includes(`"${CAPTURE_VERSION}"`),
  async *write(def, changes) {
    // The first record has the arguments.
    const rest = changes[Symbol.asyncIterator]() as AsyncIterator<Change<CompiledGraph>>
    const first = await rest.next()
    if (first.done === true) return
    const writer = new BundleWriter(captureHeader(def, first.value.state.root.args))
    for await (const step of capturedSteps(withFirst(first.value, rest))) yield* writer.add(step)
    yield* writer.end()
  },
  compare: (one, other, events) => compareGraphs(limited(one), limited(other), events),
  replay(def, text, { file, all }) {
    const { bundle, findings } = readBundle(text, file)
    if (bundle === undefined) return { findings, events: 0, verified: 0 }
    return replayed(def, bundle, all)
  },
  restore(def, text, { file }) {
    const { bundle, findings } = readBundle(text, file)
    if (bundle === undefined) return { findings }
    const replay = replayed(def, bundle)
    return replay.findings.length > 0 ? { findings: replay.findings } : { run: restoreRun(bundle), findings: [] }
  },
}

function limited({ def, file, options }: NamedProgram<CompiledGraph>): LimitedGraph {
  return { def, host: hostFor(options, file) }
}

function replayed(def: CompiledGraph, bundle: Bundle, all?: boolean): ReplayReport {
  return replayBundle(bundle, { graph: def.graph, adapter: def.adapter?.adapter, evaluate: evaluationOf(def), all })
}

async function* withFirst<Item>(first: Item, rest: AsyncIterator<Item>): AsyncGenerator<Item> {
  yield first
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value
}

/** Returns the checked pass of a graph: a replay is slow and sure. */
function evaluationOf({ graph }: CompiledGraph): Evaluation {
  return (context, event_id, fork): Attempt => {
    const reader = { value: (key: string) => (Object.hasOwn(context, key) ? context[key] : undefined) }
    const result = evaluate(graph, reader, { graphId: markedId(graph.id, fork), eventId: event_id })
    return 'error' in result
      ? { termination: terminationOf(result.error), effects: [], outputs: null }
      : { termination: 'Completed', effects: result.effects, outputs: result.outputs }
  }
}
