import { isObject, type Json, type Call, type Port } from '../../../kernel/index.ts'
import { type RunSettings, labelPassedBy } from '../../../policy/index.ts'
import { combine, DERIVED, type Label, TRUSTED, UNTRUSTED } from '../../../policy/label.ts'
import {
  type FileLabels,
  levelBelow,
  performWatched,
  refreshLabels,
  storeSeen,
  touchedFiles,
  watchedFiles,
} from '../../../programs/labelled-files.ts'

const NETWORK = 'arbor://net/'
const TOOL = 'arbor://tool/'
/** The tools of other servers: their results are text from outside. */
const OUTSIDE = `${TOOL}mcp.`

/**
 * Returns the port of decisions that labels the files that tools write at nodes of workflows. A workflow keeps no labels on its board.
 * So everything that it writes gets the worst label of what the programs of its run without labels have read: replies of models,
 * files with labels, the network, and inputs from a caller that keeps labels.
 */
export function labelledDecisions(port: Port<RunSettings>, house: FileLabels): Port<RunSettings> {
  const { labels } = house
  const watched = watchedFiles(house)
  return {
    ...port,
    // A simulated run writes nothing, so there is nothing to label.
    simulate: (call) => port.perform(call),
    async perform(call) {
      const { needs = [], costs = false } = port.traits?.(call) ?? port
      const isTool = needs.some((need) => need.startsWith(TOOL))
      if (!isTool) {
        const decided = (await port.perform(call)) as Json
        if (costs || usesModel(decided)) await markSeen(house, call, DERIVED)
        return decided
      }
      await refreshLabels(labels, call)
      const touched = touchedFiles(needs)
      const isSent = needs.some((need) => need.startsWith(NETWORK))
      const isOutside = isSent || needs.some((need) => need.startsWith(OUTSIDE))
      const read = isOutside ? UNTRUSTED : combine(...touched.reads.flatMap((place) => [labels.ofPath(place), labels.ofFolder(place)]))
      const inputLabel = combine(labels.ofReads(call.run), labelPassedBy(call.frame.link?.caller), read, costs ? DERIVED : TRUSTED)
      if (isOutside || touched.reads.length > 0) await storeSeen(labels, call, read)
      const files = { ...touched, anything: touched.anything && !isSent }
      const label = files.anything ? combine(inputLabel, labels.ofRun(call.run), levelBelow(labels, call)) : inputLabel
      const decided = await performWatched(watched, files, call, label, () => port.perform(call) as Promise<Json>)
      // The output of a command gets the worst label of its inputs and of the texts in it.
      if (files.anything) await storeSeen(labels, call, combine(label, ...textsOf(decided).map((text) => labels.ofText(text))))
      return decided
    },
  }
}

async function markSeen(house: FileLabels, call: Call, label: Label): Promise<void> {
  await refreshLabels(house.labels, call)
  await storeSeen(house.labels, call, label)
}

/** True for a decision that a model was used for. */
function usesModel(decided: Json): boolean {
  return isObject(decided) && decided['used'] !== undefined
}

/** Returns the texts that a decision writes. */
function textsOf(decided: Json): readonly string[] {
  if (typeof decided === 'string') return [decided]
  if (Array.isArray(decided)) return decided.flatMap(textsOf)
  return isObject(decided) ? Object.values(decided).flatMap(textsOf) : []
}
