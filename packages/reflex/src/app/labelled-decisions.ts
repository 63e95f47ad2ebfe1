import { isObject, type Call, type Json, type Port } from '../kernel/index.ts'
import { passedBy } from '../kinds/pipeline/engine/labels.ts'
import { keepSeen, type LabelledTools, levelBelow, refresh, touchedFiles, watched } from '../kinds/pipeline/face/labelled-tools.ts'
import { combine, DERIVED, type Label, TRUSTED, UNTRUSTED } from '../kinds/pipeline/contract/label.ts'

const NETWORK = 'arbor://net/'
const TOOL = 'arbor://tool/'

/**
 * The port of decisions, which labels the files that tools write at nodes of workflows. A workflow keeps no labels on its board, so
 * everything that it writes is worth as little as the worst that the programs of its run that keep none have read: replies of models,
 * files with labels, the net, and what a pipeline has passed to it.
 */
export function labelledDecisions(port: Port, house: LabelledTools): Port {
  const { labels } = house
  return {
    ...port,
    async perform(call) {
      const { needs = [], costs = false } = port.traits?.(call) ?? port
      const isTool = needs.some((need) => need.startsWith(TOOL))
      if (!isTool) {
        const decided = (await port.perform(call)) as Json
        if (costs || isUsing(decided)) await seen(house, call, DERIVED)
        return decided
      }
      await refresh(house, call)
      const touched = touchedFiles(needs)
      const isSent = needs.some((need) => need.startsWith(NETWORK))
      const read = isSent ? UNTRUSTED : combine(...touched.reads.flatMap((place) => [labels.ofPath(place), labels.below(place)]))
      const given = combine(labels.seenBy(call.run), passedBy(call.frame.link?.caller), read, costs ? DERIVED : TRUSTED)
      if (isSent || touched.reads.length > 0) await keepSeen(labels, call, read)
      const files = { ...touched, anything: touched.anything && !isSent }
      const label = files.anything ? combine(given, labels.byRun(call.run), levelBelow(house, call.run)) : given
      const decided = await watched(house, files, call, label, () => port.perform(call) as Promise<Json>)
      // The output of a command is worth as little as its inputs, and as what its text shows that it has read.
      if (files.anything) await keepSeen(labels, call, combine(label, ...textsOf(decided).map((text) => labels.ofText(text))))
      return decided
    },
  }
}

async function seen(house: LabelledTools, call: Call, label: Label): Promise<void> {
  await refresh(house, call)
  await keepSeen(house.labels, call, label)
}

/** True for a decision that says what a model used for it. */
function isUsing(decided: Json): boolean {
  return isObject(decided) && decided['used'] !== undefined
}

/** The texts that a decision writes. */
function textsOf(decided: Json): readonly string[] {
  if (typeof decided === 'string') return [decided]
  if (Array.isArray(decided)) return decided.flatMap(textsOf)
  return isObject(decided) ? Object.values(decided).flatMap(textsOf) : []
}
